package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/rtk"
)

// program is as large as rtk is.
var program = make([]byte, 8<<20)

// withRTK gives the stage's host rtk.
func (s *stage) withRTK(c *core.Config) {
	s.write("resources/rtk", string(program), 0o755)
	sum := sha256.Sum256(program)
	c.RTK = rtk.Fixed(rtk.Artefact{Path: s.path("resources/rtk"), SHA256: hex.EncodeToString(sum[:])})
}

// A session with rtk, whose program lies in the store, takes at most a quarter longer to be prepared again than one without,
// and a fresh one as much more as nine more files and directories take. Another program that runs disturbs the median or the
// fastest tenth, and seldom both: the lower one is held to the aim.
func TestSpeedRTK(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("measures for some seconds, and without the race detector")
	}
	for _, p := range measured {
		for _, provider := range []string{"codex", "claude"} {
			t.Run(fmt.Sprintf("%s, %s", p.name, provider), func(t *testing.T) {
				s := p.site(t, provider, false)
				with := func(n int) core.Session {
					ses := s.session(n)
					ses.RTK = true
					return ses
				}
				s.prepare(with(1))
				for name, o := range map[string]operation{
					"fresh": {before: nothing, ours: func(i int) { s.prepare(with(1000 + i)) }, floor: func(i int) { s.prepare(s.session(10 + i)) }},
					"again": {before: nothing, ours: func(int) { s.prepare(with(1)) }, floor: func(int) { s.prepare(s.session(0)) }},
				} {
					f := o.rounds(map[string]int{"fresh": many, "again": 10 * many}[name])
					t.Logf("%s: %.3f ms with rtk, %.3f ms without: %.2f times (calm %.2f, aim 1.25)", name, ms(f.ours), ms(f.floor.time), f.floor.ratio, f.floor.calm)
					if most := map[string]float64{"fresh": 2.5, "again": 1.25}[name]; min(f.floor.ratio, f.floor.calm) > most {
						t.Errorf("%s takes %.2f times as long with rtk, and %.2f in the fastest tenth", name, f.floor.ratio, f.floor.calm)
					}
				}
			})
		}
	}
}
