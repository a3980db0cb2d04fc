package extension_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/core/extension"
)

// BenchmarkLoad is what an installed package costs at each use: "first" in a process, and "again".
func BenchmarkLoad(b *testing.B) {
	s, dir := storeAt(b)
	p := newPublisher(b)
	install(b, s, p, "1.0.0", 1)
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			load(b, s, p)
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			load(b, extension.OpenStore(dir, nil), p)
		}
	})
}
