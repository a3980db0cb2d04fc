// Package rawjson walks JSON text without decoding it, so that what needs no change is copied byte by byte.
//
// All functions take text that json.Valid accepted: they find their way by structure and check nothing. Text that is
// not valid gives meaningless values, but no panic and no endless loop. Strings are handed on escaped (Inner), because
// joining two escaped strings gives the escaped form of the joined string.
package rawjson
