//go:build unix

package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// addCode adds a model with custom operators. Their library leaves a mark when the system opens it.
func addCode(t *testing.T, root, name string) (mark string) {
	t.Helper()
	dir := t.TempDir()
	mark = filepath.Join(dir, "it ran")
	apptest.Write(t, filepath.Join(dir, "ops.c"), `#include <stdio.h>
__attribute__((constructor)) static void run(void) { FILE *f = fopen(MARK, "a"); if (f) { fputs("x", f); fclose(f); } }
void *RegisterCustomOps(void *options, const void *api) { (void)options; (void)api; return 0; }
`)
	library := filepath.Join(dir, "ops.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-DMARK="+fmt.Sprintf("%q", mark), "-o", library, filepath.Join(dir, "ops.c")).CombinedOutput(); err != nil {
		t.Fatalf("compile a library: %v\n%s", err, out)
	}
	if err := os.CopyFS(filepath.Join(root, name), os.DirFS("../examples/repository/add_sub")); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(apptest.ReadFile(t, filepath.Join(root, name, "config.pbtxt")), `name: "add_sub"`, fmt.Sprintf("name: %q\nmodel_operations { op_library_filename: %q }", name, library), 1)
	apptest.Write(t, filepath.Join(root, name, "config.pbtxt"), text)
	return mark
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// A repository from a stranger does not run its own code until the user trusts it; the rest works. The
// user is asked once. The answer applies to every start of the engine and of the workbench, and can be
// changed.
func TestUntrustedRepositoryRunsNothing(t *testing.T) {
	root, data := apptest.CopyExamples(t), t.TempDir()
	mark := addCode(t, root, "stranger")
	opts := app.Options{Repositories: []string{root}, DataDir: data}
	w := openWith(t, opts)
	waits := func(s *apptest.Snapshot) bool {
		return s.State("stranger") == api.ModelState_MODEL_STATE_UNTRUSTED && s.State("add_sub") == api.ModelState_MODEL_STATE_READY &&
			s.State("read_digit") == api.ModelState_MODEL_STATE_READY && len(s.Repository.GetAccess().GetCode()) == 1
	}
	s := w.Until(t, "it waits and the others serve", waits)
	if reason := s.Models["stranger"].Reason; !strings.Contains(reason, "this repository is not trusted") || !strings.Contains(reason, `"Trust this repository"`) {
		t.Errorf("reason %q", reason)
	}
	if a := s.Repository.Access; a.Trust != api.Access_TRUST_UNSPECIFIED || a.Code[0].Model != "stranger" || !strings.HasSuffix(a.Code[0].Path, "ops.so") {
		t.Errorf("asked %v", a)
	}
	post(t, "a client loads it", "http://"+s.Engine.HttpAddress+"/v2/repository/models/stranger/load", "{}", "is not trusted")
	apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "stranger", Force: true}, connect.CodeFailedPrecondition)
	w.trust(t, api.Access_TRUST_NOT_TRUSTED)
	if err := syscall.Kill(int(s.Engine.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s = w.Until(t, "it waits in the engine's next life", func(s *apptest.Snapshot) bool { return s.Engine.GetRestarts() == 1 && waits(s) })
	if s.Repository.Access.Trust != api.Access_TRUST_NOT_TRUSTED || exists(mark) {
		t.Fatalf("it ran: %v; access %v", exists(mark), s.Repository.Access)
	}
	w.trust(t, api.Access_TRUST_TRUSTED)
	ready := func(s *apptest.Snapshot) bool { return s.State("stranger") == api.ModelState_MODEL_STATE_READY }
	if after := w.Until(t, "what waited is loaded", ready); after.Engine.Pid != s.Engine.Pid || !exists(mark) {
		t.Errorf("engine %d before, %d after; it ran: %v", s.Engine.Pid, after.Engine.Pid, exists(mark))
	}
	w.Close()
	w = openWith(t, opts)
	s = w.Until(t, "it is trusted next time", ready)
	if told := strings.Join(s.Notices, "\n"); s.Repository.Access.Trust != api.Access_TRUST_TRUSTED || strings.Contains(told, "stranger did not load") {
		t.Errorf("access %v; the engine is told before anything is loaded, yet %s", s.Repository.Access, told)
	}
	w.trust(t, api.Access_TRUST_NOT_TRUSTED)
	w.Until(t, "it is trusted no more", waits)
}

func (w *window) trust(t *testing.T, answer api.Access_Trust) {
	t.Helper()
	apptest.Call(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{w.Root}, Trust: answer})
}

// The bundled examples are trusted. Another repository in the same folder is not.
func TestBundledExamplesAreTrusted(t *testing.T) {
	data := t.TempDir()
	for name, want := range map[string]api.Access_Trust{"examples": api.Access_TRUST_TRUSTED, "others": api.Access_TRUST_UNSPECIFIED} {
		root := filepath.Join(data, name)
		if err := os.CopyFS(root, os.DirFS("../examples/repository")); err != nil {
			t.Fatal(err)
		}
		mark := addCode(t, root, "own")
		w := openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
		s := w.Until(t, "it was tried", func(s *apptest.Snapshot) bool {
			return s.State("own") == api.ModelState_MODEL_STATE_READY || s.State("own") == api.ModelState_MODEL_STATE_UNTRUSTED
		})
		if s.Repository.Access.Trust != want || exists(mark) != (want == api.Access_TRUST_TRUSTED) {
			t.Errorf("%s: access %v; it ran: %v; %s", name, s.Repository.Access, exists(mark), s.Models["own"].Reason)
		}
		w.Close()
	}
}

// Clients of the workbench's engine load and unload models. They may send configs and files only if
// the user permits it. They may never name a library, and pages of web sites may do none of this.
func TestClientsOfTheWorkbench(t *testing.T) {
	w := openExamples(t)
	s := w.Until(t, "all are ready", apptest.AllReady)
	load := "http://" + s.Engine.HttpAddress + "/v2/repository/models/add_sub/load"
	override := func(extra string) string {
		text, err := json.Marshal(map[string]any{"parameters": map[string]string{"config": `{"backend":"onnxruntime","max_batch_size":4` + extra + `}`}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	wantCode(t, load, "{}", "", http.StatusOK)
	wantCode(t, load, "{}", "http://evil.example", http.StatusForbidden)
	post(t, "config", load, override(""), `"Take configs from clients"`)
	post(t, "file", load, `{"parameters":{"config":"{}","file:1/model.onnx":"AAAA"}}`, `"Take configs from clients"`)
	allow := true
	apptest.Call(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{w.Root}, Overrides: &allow})
	w.Until(t, "the page knows", func(s *apptest.Snapshot) bool { return s.Repository.Access.GetOverrides() })
	wantCode(t, load, override(""), "", http.StatusOK)
	w.Until(t, "the page knows whose config runs", func(s *apptest.Snapshot) bool { return s.Models["add_sub"].FromClient })
	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "add_sub", Force: true})
	w.Until(t, "the file's config runs again", func(s *apptest.Snapshot) bool { return !s.Models["add_sub"].FromClient })
	wantCode(t, load, override(""), "http://evil.example", http.StatusForbidden)
	post(t, "library", load, override(`,"model_operations":{"op_library_filename":["/tmp/x.so"]}`), "may not name a library")
	apptest.Refused(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{"/another"}, Overrides: &allow}, connect.CodeFailedPrecondition)
	apptest.Refused(t, w.Workspace.SetAccess, &api.SetAccessRequest{Roots: []string{w.Root}, Trust: 7}, connect.CodeInvalidArgument)
}

// wantCode posts as the page of a site, or as a program where site is "".
func wantCode(t *testing.T, url, body, site string, code int) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if site != "" {
		r.Header.Set("Origin", site)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != code {
		t.Errorf("%s from %q: %d %s, want %d", body, site, answer.StatusCode, text, code)
	}
}
