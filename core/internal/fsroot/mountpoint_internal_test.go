package fsroot

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// The buffer is read back by the offsets that it names, as the system does.
func TestH20_MountPoint(t *testing.T) {
	t.Parallel()
	for _, target := range []string{`C:\`, `D:\Users\Zoë 🎭\state\store`} {
		buf := mountPoint(target)
		u16 := func(at int) int { return int(binary.LittleEndian.Uint16(buf[at:])) }
		name := func(offset, length int) string {
			var units []uint16
			for i := range length / 2 {
				units = append(units, binary.LittleEndian.Uint16(buf[16+offset+2*i:]))
			}
			if binary.LittleEndian.Uint16(buf[16+offset+length:]) != 0 {
				t.Errorf("%s: a name does not end", target)
			}
			return string(utf16.Decode(units))
		}
		if binary.LittleEndian.Uint32(buf) != 0xA0000003 || u16(4) != len(buf)-8 || u16(6) != 0 {
			t.Errorf("%s: the header is % x", target, buf[:8])
		}
		if got := name(u16(8), u16(10)); got != `\??\`+target {
			t.Errorf("it leads to %s", got)
		}
		if got := name(u16(12), u16(14)); got != target {
			t.Errorf("it shows %s", got)
		}
	}
	for _, target := range []string{"", `C:`, `\\server\share`, `/home/x`, `C:relative`, `C:\` + strings.Repeat("x", 8<<10)} {
		if mountPoint(target) != nil {
			t.Errorf("%.20q can be led to", target)
		}
	}
}
