package engine_test

import (
	"testing"
	"time"

	"conch/engine/backend/fake"
	"conch/engine/infer"
)

// BenchmarkTrace measures a request through the engine without a trace, with a trace, and with a trace that
// copies tensors.
func BenchmarkTrace(b *testing.B) {
	e := start(b, &fake.Backend{}, map[string]string{"m": config})
	for name, trace := range map[string]func() *infer.Trace{
		"off":     func() *infer.Trace { return nil },
		"times":   func() *infer.Trace { return &infer.Trace{} },
		"tensors": func() *infer.Trace { return &infer.Trace{Tensors: true} },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := request("m", 1)
			for b.Loop() {
				r.Trace, r.Received = trace(), time.Time{}
				if err := e.Infer(b.Context(), r, ignore); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
