//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// exampleCopy copies all of the example repository, its Python model too.
func exampleCopy(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "repository")
	if err := os.CopyFS(root, os.DirFS("../examples/repository")); err != nil {
		t.Fatal(err)
	}
	return root
}

// A program that is started with --trust asks nothing about the repositories of its command line; an answer given in the
// window counts more. Other repositories are asked about.
func TestTrustOfTheCommandLine(t *testing.T) {
	apptest.UsePython(t)
	root, data := exampleCopy(t), t.TempDir()
	ready := func(s *apptest.Snapshot) bool { return s.State("say_digit") == api.ModelState_MODEL_STATE_READY }
	waits := func(s *apptest.Snapshot) bool {
		return s.State("say_digit") == api.ModelState_MODEL_STATE_UNTRUSTED && strings.Contains(s.Models["say_digit"].Reason, "this repository is not trusted")
	}
	w := openWith(t, app.Options{Repositories: []string{root}, Trust: true, DataDir: data})
	w.Until(t, "it serves without a question", ready)
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: exampleCopy(t)})
	w.Until(t, "another repository waits", waits)
	w.Close()
	w = openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
	s := w.Until(t, "it waits without the flag", waits)
	if s.Repository.Access.Trust != api.Access_TRUST_UNSPECIFIED {
		t.Errorf("the flag of another start is kept: %v", s.Repository.Access)
	}
	w.trust(t, api.Access_TRUST_NOT_TRUSTED)
	w.Close()
	w = openWith(t, app.Options{Repositories: []string{root}, Trust: true, DataDir: data})
	w.Until(t, "the answer of the window counts more", waits)
}

// A machine without Python, or without NumPy, serves all other examples, and the model's row says what is missing.
func TestExamplesWithoutPython(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "python3") // an interpreter that finds no module but its own
	apptest.Write(t, bare, "#!/bin/sh\nexec /usr/bin/env -i PATH=/usr/bin:/bin python3 -I -S \"$@\"\n")
	if err := os.Chmod(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct{ path, python, want string }{
		"no Python": {t.TempDir(), "", "install Python 3.9 or newer with NumPy"},
		"no NumPy":  {os.Getenv("PATH"), bare, "Python models need NumPy"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			t.Setenv("CONCH_PYTHON", test.python)
			w := openWith(t, app.Options{Repositories: []string{exampleCopy(t)}, Trust: true})
			s := w.Until(t, "all were tried", func(s *apptest.Snapshot) bool {
				for _, name := range []string{"add_sub", "digits", "digits_prepare", "read_digit"} {
					if s.State(name) != api.ModelState_MODEL_STATE_READY {
						return false
					}
				}
				return s.State("say_digit") == api.ModelState_MODEL_STATE_FAILED
			})
			if reason := s.Models["say_digit"].Reason; !strings.Contains(reason, test.want) || strings.Contains(reason, "exit status") {
				t.Errorf("its row says %q, want %q in it", reason, test.want)
			}
			if out := apptest.Call(t, w.Try.Infer, apptest.Sum()); !out.Ok {
				t.Errorf("add_sub: %v", out)
			}
		})
	}
}
