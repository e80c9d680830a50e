package model_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
)

// loadIn loads a model in a Room with this many free bytes, of which every instance takes some.
func loadIn(t *testing.T, config string, free, each int64) error {
	t.Helper()
	b := &fake.Backend{}
	var left atomic.Int64
	left.Store(free)
	l := &model.Loader{
		Backends: map[string]backend.Backend{fake.Name: b}, Log: slog.New(slog.DiscardHandler),
		Room: &model.Room{Free: func() (int64, bool) { return left.Load() - b.Instances.Load()*each, free >= 0 }, Kept: 1 << 20},
	}
	v, err := loadWith(t, l, config)
	if err == nil {
		err = v.Close()
	}
	if n, m := b.Models.Load(), b.Instances.Load(); n != 0 || m != 0 {
		t.Errorf("%d models and %d instances were not freed", n, m)
	}
	return err
}

// listing is a backend whose models have their weights in files beside the model file.
type listing struct {
	*fake.Backend
	weights []string
}

func (l listing) Files(spec backend.Spec) []string { return append([]string{spec.File}, l.weights...) }

// A model with weights in other files is refused when all files together do not fit.
func TestRoomCountsWeightsInOtherFiles(t *testing.T) {
	weights := filepath.Join(t.TempDir(), "model.data")
	if err := os.WriteFile(weights, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	for free, fits := range map[int64]bool{4000: false, 6000: true} {
		b := listing{&fake.Backend{}, []string{weights, filepath.Join(t.TempDir(), "missing")}}
		l := &model.Loader{
			Backends: map[string]backend.Backend{fake.Name: b}, Log: slog.New(slog.DiscardHandler),
			Room: &model.Room{Free: func() (int64, bool) { return free, true }},
		}
		v, err := loadWith(t, l, fakeModel)
		if err == nil {
			err = v.Close()
		}
		if fits != (err == nil) || err != nil && !strings.Contains(err.Error(), "files of its weights have 4.9 KiB, and 3.9 KiB are free. Unload other models") {
			t.Errorf("with %d bytes free: %v", free, err)
		}
	}
}

// A load that does not fit into memory is refused, and the error has the numbers.
func TestRoom(t *testing.T) {
	count := func(n int) string { return fmt.Sprintf("%sinstance_group [{ count: %d }]", fakeModel, n) }
	for name, c := range map[string]struct {
		config     string
		free, each int64
		want       string // "" for a load that goes well
	}{
		"enough":           {count(1000), 100 << 20, 0, ""},
		"far too many":     {count(100_000_000), 24 << 30, 0, "model 'm' cannot have 100000000 instances: they take 381 GiB at the least, and 24.0 GiB of memory are free. Lower the count in instance_group."},
		"used up":          {count(20_000_000), 100 << 30, 100 << 20, "instances: "},
		"few":              {count(4), 100, 0, ""},
		"nobody can tell":  {count(5000), -1, 0, ""},
		"a file too large": {fakeModel, 2, 0, "does not fit into memory: its file "},
	} {
		err := loadIn(t, c.config, c.free, c.each)
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case infer.CodeOf(err) != infer.Unavailable || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
