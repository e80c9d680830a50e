//go:build unix

package conversion_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/runtimecmd"
)

// TestManyConversions: two run at a time. Another one says that it waits, and runs when one of them has ended.
func TestManyConversions(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "converts")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '{\"step\":\"begun\"}'\nexec cat\n"), 0o700); err != nil { // until it is stopped
		t.Fatal(err)
	}
	jobs := &conversion.Jobs{Program: runtimecmd.Program(program), Dir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	run := func(each func(step string) error) error {
		_, err := jobs.Run(ctx, conversion.Order{Source: source, ConversionOrder: &api.ConversionOrder{Target: "fp16"}}, func(e *api.ConversionEvent) error { return each(e.Step) })
		return err
	}
	begun, ended := make(chan struct{}), make(chan error)
	for range 2 {
		go func() {
			ended <- run(func(string) error { begun <- struct{}{}; return nil })
		}()
		<-begun
	}
	enough := errors.New("enough")
	if err := run(func(step string) error {
		if !strings.Contains(step, "waiting for the end of another conversion") {
			t.Errorf("the third one is told %q", step)
		}
		return enough
	}); !errors.Is(err, enough) {
		t.Error(err)
	}
	cancel()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	ctx = t.Context()
	if err := run(func(step string) error {
		if step != "begun" {
			t.Errorf("when the others have ended it is told %q", step)
		}
		return enough
	}); !errors.Is(err, enough) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(jobs.Dir); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}
