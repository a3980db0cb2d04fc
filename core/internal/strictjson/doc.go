// Package strictjson reads JSON documents of others of which every part was meant: names of fields are matched letter by
// letter, and an unknown name, a name that stands twice, null, a second document and text that is no UTF-8 are errors
// that say where they are. encoding/json alone takes the last of two equal names, in any case, and forgives the rest.
//
// It knows no format, and reads nothing from a disk.
package strictjson
