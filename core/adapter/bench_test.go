package adapter_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/greenroom-agents/greenroom/core/adapter"
)

// BenchmarkPrepare compares what a layout costs from memory, from this process and from a warm one.
func BenchmarkPrepare(b *testing.B) {
	ctx := context.Background()
	for name, s := range map[string]adapter.Source{
		"process": source("alpha"), "in-process": {Provider: "alpha", InProcess: local{provider: "alpha"}},
	} {
		p := pool(b, adapter.Config{}, s)
		if _, err := p.Prepare(ctx, "alpha", request("same")); err != nil {
			b.Fatal(err)
		}
		n := 0
		b.Run(name+"/asked", func(b *testing.B) {
			for b.Loop() {
				n++
				if _, err := p.Prepare(ctx, "alpha", request(strconv.Itoa(n))); err != nil {
					b.Fatal(err)
				}
			}
		})
		if _, err := p.Prepare(ctx, "alpha", request("same")); err != nil {
			b.Fatal(err)
		}
		calls := p.Calls("alpha")
		b.Run(name+"/remembered", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Prepare(ctx, "alpha", request("same")); err != nil {
					b.Fatal(err)
				}
			}
		})
		if p.Calls("alpha") != calls {
			b.Error("what is remembered was asked")
		}
	}
}

// BenchmarkStart is a cold start: digest, process, handshake, certificates, description, and the end of it all.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p := pool(b, adapter.Config{}, source("alpha"))
		if _, _, err := p.Descriptor(context.Background(), "alpha"); err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
