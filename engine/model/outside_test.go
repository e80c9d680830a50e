package model_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/model"
)

// loadBy loads version 1 by a loader of its own.
func loadBy(t *testing.T, l *model.Loader, src model.Source) error {
	t.Helper()
	l.Backends, l.Log = map[string]backend.Backend{"fake": &fake.Backend{}}, slog.New(slog.DiscardHandler)
	definition, err := l.Define(src)
	if err != nil {
		return err
	}
	v, err := l.Load(t.Context(), definition, model.VersionDir{Number: 1, Dir: filepath.Join(src.Dir, "1")}, func(string) {})
	if err != nil {
		return err
	}
	return v.Close()
}

// Warm-up and initial-state files must be in the model's folder. Links may lead elsewhere in the repository, and the model's
// folder may itself be a link.
func TestFilesOutsideOfTheModel(t *testing.T) {
	const eight = "12345678"
	state := fmt.Sprintf(states, "", "2", `initial_state { name: "i" data_type: TYPE_INT32 dims: [2] data_file: %q }`, "")
	for _, c := range []struct{ name, file, want string }{
		{"own", "good", ""},
		{"own, by a detour", "../%s/good", ""},
		{"from the model's folder", "/good", ""},
		{"another file of the model", "../1/data", ""},
		{"up and out", "../../secret", "is outside of the model's folder"},
		{"up and out, deeper", "a/../../../secret", "is outside of the model's folder"},
		{"link to a shared file", "shared", ""},
		{"link out", "link", "outside of the repository"},
		{"folder that is a link out", "away/secret", "outside of the repository"},
		{"link out behind a detour", "../%s/link", "outside of the repository"},
		{"missing", "none", "No such file"},
	} {
		for folderName, config := range map[string]string{
			"warmup":        fakeModel + warmup(`input_data_file: %q`),
			"initial_state": fakeModel + state,
		} {
			t.Run(folderName+" "+c.name, func(t *testing.T) {
				file := strings.ReplaceAll(c.file, "%s", folderName)
				src := folder(t, fmt.Sprintf(config, file), map[string]string{
					folderName + "/good": eight, folderName + "/a/x": "", "1/data": eight, "../shared": eight,
				})
				src.Root = filepath.Dir(src.Dir)
				away := t.TempDir()
				if err := os.WriteFile(filepath.Join(away, "secret"), []byte(eight), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(src.Root, "secret"), []byte(eight), 0o600); err != nil {
					t.Fatal(err)
				}
				for name, target := range map[string]string{"link": filepath.Join(away, "secret"), "away": away, "shared": "../../shared"} {
					if err := os.Symlink(target, filepath.Join(src.Dir, folderName, name)); err != nil {
						t.Fatal(err)
					}
				}
				wantLoad(t, loadBy(t, &model.Loader{}, src), c.want)
				if c.want != "No such file" {
					wantLoad(t, loadBy(t, &model.Loader{ExternalPaths: true}, src), "") // --allow-external-paths
				}
				linked := filepath.Join(t.TempDir(), "repository", "m")
				if err := os.MkdirAll(filepath.Dir(linked), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(src.Dir, linked); err != nil {
					t.Fatal(err)
				}
				if c.name != "link to a shared file" { // it leaves the linked model, and that repository
					src.Dir, src.Root = linked, filepath.Dir(linked)
					wantLoad(t, loadBy(t, &model.Loader{}, src), c.want)
				}
			})
		}
	}
}

// wantLoad compares the error of a load with a part of a sentence; "" is success.
func wantLoad(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if err != nil && strings.Contains(err.Error(), "outside of") && !strings.Contains(err.Error(), "--allow-external-paths") {
		t.Errorf("it names no way out: %v", err)
	}
}
