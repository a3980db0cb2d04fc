package fsroot

import (
	"encoding/binary"
	"unicode/utf16"
)

// Sizes and tags of the Windows Driver Kit, REPARSE_DATA_BUFFER.
const (
	reparseTagMountPoint = 0xA0000003
	reparseHeader        = 8 // tag, size, and a field of nothing
	mountPointHeader     = 8 // four offsets and lengths in front of the names
	maxReparse           = 16 << 10
)

// mountPoint is what makes a directory of Windows lead to another one: its clean path, by the name that the system knows
// it by and by that for people. Only a directory of a disk of this machine can be led to; nil says that it is none.
func mountPoint(target string) []byte {
	if len(target) < 3 || target[1] != ':' || target[2] != '\\' {
		return nil
	}
	substitute, shown := utf16.Encode([]rune(`\??\`+target)), utf16.Encode([]rune(target))
	size := mountPointHeader + 2*(len(substitute)+1+len(shown)+1)
	if reparseHeader+size > maxReparse {
		return nil
	}
	buf := binary.LittleEndian.AppendUint32(make([]byte, 0, reparseHeader+size), reparseTagMountPoint)
	for _, field := range []int{size, 0, 0, 2 * len(substitute), 2 * (len(substitute) + 1), 2 * len(shown)} {
		buf = binary.LittleEndian.AppendUint16(buf, uint16(field))
	}
	for _, name := range [][]uint16{substitute, shown} {
		for _, unit := range append(name, 0) {
			buf = binary.LittleEndian.AppendUint16(buf, unit)
		}
	}
	return buf
}
