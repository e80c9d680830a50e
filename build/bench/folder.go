package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/control"
	"conch/engine/infer"
)

// folder is a repository that nobody changes, for an engine in this process.
type folder struct{ listing *control.Listing }

var _ control.ModelSource = folder{}

func (f folder) Current() *control.Listing { return f.listing }

func (f folder) Refresh(context.Context, ...string) (*control.Listing, error) { return f.listing, nil }

func (f folder) Subscribe() (<-chan *control.Listing, func()) { return nil, func() {} }

func (f folder) Watch([]string) {}

// model is one to be written and served.
type model struct {
	name, config string
	graph        []byte // nil for none
}

// write puts the models into a repository.
func write(root string, models ...model) error {
	for _, m := range models {
		dir := filepath.Join(root, m.name)
		if err := os.MkdirAll(filepath.Join(dir, "1"), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte(m.config), 0o644); err != nil {
			return err
		}
		if m.graph == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "1", "model.onnx"), m.graph, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// engineOf serves models from a folder in this process until stop is called.
func engineOf(root string, models ...model) (e *engine.Engine, stop func(), err error) {
	if err := write(root, models...); err != nil {
		return nil, nil, err
	}
	listing := &control.Listing{Seq: 1}
	for _, m := range models {
		dir := filepath.Join(root, m.name)
		listing.Models = append(listing.Models, control.Found{
			Name: m.name, Root: root, Dir: dir, ConfigPath: filepath.Join(dir, "config.pbtxt"), ConfigText: []byte(m.config),
			Versions: []control.FoundVersion{{Number: 1, Dir: filepath.Join(dir, "1"), Print: "1"}},
		})
	}
	slices.SortFunc(listing.Models, func(a, b control.Found) int { return strings.Compare(a.Name, b.Name) })
	e = engine.New(engine.Options{
		Options:  control.Options{Models: folder{listing}, Mode: control.Explicit, LoadModels: []string{"*"}},
		Backends: []backend.Backend{onnx.New(onnx.Options{Log: slog.New(slog.DiscardHandler)})},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	stop = func() {
		cancel()
		<-ended
	}
	select {
	case <-e.Started():
	case err := <-ended:
		cancel()
		return nil, nil, fmt.Errorf("start an engine: %w", err)
	}
	for _, m := range models {
		if ready, _ := e.ModelReady(context.Background(), m.name, infer.Latest); !ready {
			defer stop()
			return nil, nil, fmt.Errorf("%s did not load: %v", m.name, e.Index(false))
		}
	}
	return e, stop, nil
}

// ignore takes an answer and nothing of it.
func ignore(*infer.Response) error { return nil }

// inTemp runs something with a folder of its own.
func inTemp(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}
