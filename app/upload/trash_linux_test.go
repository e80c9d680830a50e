package upload_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"conch/app/upload"
	"conch/build/fulldisk"
)

// clearing is a context that has another workbench open the repository whenever somebody asks whether it lasts.
type clearing struct {
	context.Context
	clear func()
}

func (c clearing) Err() error {
	c.clear()
	return c.Context.Err()
}

// What is on its way to a trash on another disk, or back, is not cleared by another workbench that opens the repository.
func TestWhatIsDeletedIsNotCleared(t *testing.T) {
	fulldisk.Run(t, 1<<20, func(t *testing.T, disk *fulldisk.Disk) {
		t.Setenv("XDG_DATA_HOME", disk.Dir)
		root, data := t.TempDir(), t.TempDir()
		model := filepath.Join(root, "m")
		if err := os.MkdirAll(filepath.Join(model, "1"), 0o777); err != nil {
			t.Fatal(err)
		}
		names := []string{"config.pbtxt", "1/model.onnx"}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(model, name), []byte(name), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		to := upload.Trash(data, "/")
		if !to.For(model).Copied {
			t.Fatal("the trash is on the same disk")
		}
		ctx := clearing{t.Context(), func() {
			if err := upload.Clear(data, root); err != nil {
				t.Error(err)
			}
		}}
		item, err := to.Put(ctx, model)
		if err != nil {
			t.Fatal(err)
		}
		if err := item.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if text, err := os.ReadFile(filepath.Join(model, name)); err != nil || string(text) != name {
				t.Errorf("%s is %q, %v", name, text, err)
			}
		}
	})
}
