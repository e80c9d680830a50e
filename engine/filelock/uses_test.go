package filelock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"conch/engine/filelock"
)

func TestUses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "uses")
	if filelock.InUse(dir) {
		t.Error("a folder that is not there is used")
	}
	first, err := filelock.Use(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := filelock.Use(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{first, second} {
		if !filelock.InUse(dir) {
			t.Error("not used while a process uses it")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if filelock.InUse(dir) {
		t.Error("used by nobody")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.Wait(t.Context(), path, func() { t.Error("waited for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := filelock.Wait(ctx, path, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	second, err := filelock.Wait(t.Context(), path, func() { _ = first.Close() })
	if err != nil {
		t.Fatal(err)
	}
	_ = second.Close()
}
