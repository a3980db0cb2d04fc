package bench

import "testing"

// places are where benchmarks run. The last of each medium asks the adapter process each time.
var places = []place{
	{name: "tmpfs/in-process", on: memory},
	{name: "tmpfs/adapter", on: memory, process: true},
	{name: "tmpfs/adapter-asked", on: memory, process: true, asked: true},
	{name: "disk/in-process", on: disk},
	{name: "disk/adapter", on: disk, process: true},
	{name: "disk/adapter-asked", on: disk, process: true, asked: true},
}

func BenchmarkFresh(b *testing.B)    { each(b, (*site).fresh) }
func BenchmarkAgain(b *testing.B)    { each(b, (*site).again) }
func BenchmarkCleanup(b *testing.B)  { each(b, (*site).cleanup) }
func BenchmarkParallel(b *testing.B) { each(b, (*site).parallel) }

// each measures an operation for each provider and place. The time of an operation is ours; beside it stand that of the
// floor, and the ratios to all floors.
func each(b *testing.B, of func(*site) operation) {
	for _, provider := range []string{"codex", "claude"} {
		for _, p := range places {
			b.Run(provider+"/"+p.name, func(b *testing.B) {
				o := of(p.site(b, provider, false))
				b.ResetTimer()
				f := o.rounds(b.N)
				b.ReportMetric(float64(f.ours), "ns/op")
				b.ReportMetric(float64(f.floor.time), "floor-ns/op")
				for unit, a := range map[string]against{"times-floor": f.floor, "times-tree": f.tree, "times-whole": f.whole} {
					if a.time > 0 {
						b.ReportMetric(a.ratio, unit)
					}
				}
			})
		}
	}
}
