package model_test

import (
	"context"
	"log/slog"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/cache"
	"conch/engine/infer"
	"conch/engine/model"
)

// reading is a backend whose models read inputs on GPU 1 where they are.
type reading struct{ *fake.Backend }

func (b reading) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	m, err := b.Backend.Load(ctx, spec)
	return readingModel{m}, err
}

type readingModel struct{ backend.Model }

func (readingModel) ReadsGPU(gpu int) bool  { return gpu == 1 }
func (readingModel) WritesGPU(gpu int) bool { return gpu == 1 }

// Inputs stay on a GPU for a model that reads them there, unless the engine looks at their bytes before or may join them. Outputs go
// there unless the engine looks at their bytes.
func TestWhatReadsOnAGPU(t *testing.T) {
	for name, c := range map[string]struct {
		of            backend.Backend
		config        string
		reads, writes bool
	}{
		"alone":            {reading{&fake.Backend{}}, batched, true, true},
		"another backend":  {&fake.Backend{}, batched, false, false},
		"batches":          {reading{&fake.Backend{}}, batched + "dynamic_batching {}", false, true},
		"sequences":        {reading{&fake.Backend{}}, batched + "sequence_batching {}", false, false},
		"answers are kept": {reading{&fake.Backend{}}, batched + "response_cache { enable: true }", false, false},
	} {
		l := &model.Loader{Backends: map[string]backend.Backend{fake.Name: c.of}, Log: slog.New(slog.DiscardHandler), Cache: cache.New(1 << 20)}
		v, err := loadWith(t, l, c.config)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		target := infer.Target{Config: v.Config, Version: v}
		if target.ReadsGPU(1) != c.reads || target.ReadsGPU(0) {
			t.Errorf("%s: GPU 1 %v, GPU 0 %v", name, target.ReadsGPU(1), target.ReadsGPU(0))
		}
		if target.WritesGPU(1) != c.writes || target.WritesGPU(0) {
			t.Errorf("%s: writes to GPU 1 %v, to GPU 0 %v", name, target.WritesGPU(1), target.WritesGPU(0))
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// onGPU is an input on a GPU, of so many bytes.
type onGPU int

func (onGPU) GPU() int          { return 1 }
func (onGPU) Address() uintptr  { return 0 }
func (n onGPU) Size() int       { return int(n) }
func (onGPU) Read([]byte) error { return nil }

// The size of an input on a GPU is checked as any other.
func TestSizeOfAnInputOnAGPU(t *testing.T) {
	v, err := loadWith(t, &model.Loader{Backends: map[string]backend.Backend{fake.Name: &fake.Backend{}}, Log: slog.New(slog.DiscardHandler)}, batched)
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[onGPU]string{
		8: "", 12: "[request id: a] input byte size mismatch for input 'IN' for model 'm'. Expected 8, got 12",
	} {
		r := item("a")
		r.Inputs[0].Data, r.Away = nil, map[string]infer.Away{"IN": size}
		err := v.Infer(t.Context(), r, func(*infer.Response) error { return nil })
		if text := errorText(err); text != want {
			t.Errorf("%d bytes: %q", size, text)
		}
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
