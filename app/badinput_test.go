//go:build unix

package app_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/enginehost"
	"conch/app/web"
	"conch/build/fulldisk"
)

// TestOtherFolders: for a folder that is not a repository, the error says what it is, and what to open
// instead.
func TestOtherFolders(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	root := apptest.CopyExamples(t)
	w := open(t, root)
	apptest.Write(t, filepath.Join(home, "papers", "drafts", "a.txt"), "x")
	if err := os.Rename(root, filepath.Join(home, "models")); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "the folder is gone, that is told, and its models stay in sight", func(s *apptest.Snapshot) bool {
		return strings.Contains(s.Repository.GetTrouble(), root+" does not exist") && s.Repository.GetAway() && len(s.Models) == 4
	})
	for path, want := range map[string]string{
		filepath.Join(home, "papers"):                    "papers has no models in it",
		filepath.Join(home, "papers", "drafts", "a.txt"): "is a file. Open the folder",
		home:                                    "but its folder models is one. Try " + filepath.Join(home, "models"),
		filepath.Join(home, "models", "digits"): "is one model, not a repository",
		filepath.Join(home, "models", "digits", "1"):            "is one version of a model",
		filepath.Join(home, "models", "digits", "config.pbtxt"): "is a file",
		"~/nothing":                          filepath.Join(home, "nothing") + " does not exist",
		"/" + strings.Repeat("long", 1000):   "cannot be read: file name too long",
		filepath.Join(home, "nul\x00inside"): "cannot be read",
	} {
		if said := apptest.Refused(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: path}, connect.CodeInvalidArgument); !strings.Contains(said, want) {
			t.Errorf("%.80s: said %.200q, want %q", path, said, want)
		}
	}
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: "~/models"})
	s := w.Until(t, "the models are there", apptest.AllReady)
	if s.Repository.Name != "~/models" || s.Repository.Trouble != "" {
		t.Errorf("repository is %v", s.Repository)
	}
	if err := os.Rename(filepath.Join(home, "models"), root); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it is gone", func(s *apptest.Snapshot) bool { return s.Repository.GetTrouble() != "" })
	if err := os.Rename(root, filepath.Join(home, "models")); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it is back, with its models loaded", func(s *apptest.Snapshot) bool {
		return s.Repository.GetTrouble() == "" && len(s.Models) == 4 && apptest.AllReady(s)
	})
}

// holdPort takes a port during the test, as another program would.
func holdPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

// heldByUs is how a message names this process, where the system can find it.
func heldByUs(port int) string {
	if runtime.GOOS != "linux" {
		return fmt.Sprintf("port %d", port)
	}
	return fmt.Sprintf("port %d for HTTP is taken by app.test (process %d)", port, os.Getpid())
}

func TestTakenPorts(t *testing.T) {
	root, held := apptest.CopyExamples(t), holdPort(t)
	t.Run("serve", func(t *testing.T) {
		for want, args := range map[string][]string{
			heldByUs(held): {fmt.Sprintf("--http-port=%d", held)},
			"--grpc-port":  {fmt.Sprintf("--http-port=%d", 39999), "--grpc-port=39999"},
			"--http-port is 99999: a port is a number from 1 to 65535": {"--http-port=99999"},
		} {
			args = append([]string{"serve", "--model-repository", root, "--grpc-port=0", "--metrics-port=0"}, args...)
			out, err := exec.Command(apptest.Program(), args...).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), want) {
				t.Errorf("%v says %s, %v; want %q", args[5:], out, err, want)
			}
		}
	})
	t.Run("asked for", func(t *testing.T) {
		w := openWith(t, app.Options{Repositories: []string{root}, Ports: enginehost.Ports{HTTP: held}})
		s := w.Until(t, "the engine is given up", func(s *apptest.Snapshot) bool { return s.Engine.GetState() == api.Engine_STATE_STOPPED })
		if !strings.HasPrefix(s.Engine.Reason, "The engine cannot start: "+heldByUs(held)) {
			t.Errorf("reason is %q", s.Engine.Reason)
		}
		if file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"}); file.Text == "" {
			t.Error("the editor does not work without an engine")
		}
		if said := apptest.Refused(t, w.Try.Infer, apptest.Sum(), connect.CodeUnavailable); !strings.Contains(said, "taken") {
			t.Errorf("trying says %q", said)
		}
	})
	t.Run("or any", func(t *testing.T) {
		w := openWith(t, app.Options{Repositories: []string{root}, Ports: enginehost.Ports{HTTP: held, Any: true}})
		w.Until(t, "it runs on another", apptest.AllReady)
	})
	t.Run("not asked for", func(t *testing.T) {
		a, b := open(t, root), open(t, root)
		one := a.Until(t, "the first runs", apptest.AllReady).Engine
		other := b.Until(t, "the second runs", apptest.AllReady).Engine
		if one.HttpAddress == other.HttpAddress || one.GrpcAddress == other.GrpcAddress || one.MetricsAddress == other.MetricsAddress {
			t.Errorf("both are at %v", one)
		}
	})
}

// TestKilledEngine: what was loaded is loaded again, at the same address; what was unloaded is not.
// People are told. An unsaved edit is not touched.
func TestKilledEngine(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	apptest.Call(t, w.Models.Unload, &api.UnloadRequest{Name: "add_sub"})
	before := w.Until(t, "it is unloaded", func(s *apptest.Snapshot) bool { return s.State("add_sub") == api.ModelState_MODEL_STATE_UNLOADED })
	file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"})
	if err := syscall.Kill(int(before.Engine.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s := w.Until(t, "it is back and people were told", func(s *apptest.Snapshot) bool {
		told := strings.Join(s.Notices, "\n")
		return s.Engine.GetRestarts() == 1 && s.State("digits") == api.ModelState_MODEL_STATE_READY && s.State("read_digit") == api.ModelState_MODEL_STATE_READY &&
			strings.Contains(told, "ended unexpectedly: signal: killed. Conch starts it again.") && strings.Contains(told, "The engine loaded 3 models again")
	})
	if s.State("add_sub") != api.ModelState_MODEL_STATE_UNLOADED {
		t.Errorf("add_sub is %v", s.State("add_sub"))
	}
	if s.Engine.HttpAddress != before.Engine.HttpAddress || s.Engine.GrpcAddress != before.Engine.GrpcAddress {
		t.Errorf("it was at %v, is at %v", before.Engine.HttpAddress, s.Engine.HttpAddress)
	}
	saved := apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "config.pbtxt", Text: file.Text + "# kept\n", BaseVersion: file.Version})
	if saved.Conflict || !strings.HasSuffix(apptest.ReadFile(t, filepath.Join(w.Root, "digits", "config.pbtxt")), "# kept\n") {
		t.Errorf("the edit gives %v", saved)
	}
}

// TestKilledEngineWithALeftover: of a model whose last load failed, what served on goes with the engine, and people are told.
func TestKilledEngineWithALeftover(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	config := filepath.Join(w.Root, "add_sub", "config.pbtxt")
	apptest.Write(t, config, strings.Replace(apptest.ReadFile(t, config), "TYPE_INT32", "TYPE_FP64", 1))
	before := w.Until(t, "the state before serves on", func(s *apptest.Snapshot) bool {
		return s.State("add_sub") == api.ModelState_MODEL_STATE_OLDER_SERVES
	})
	if err := syscall.Kill(int(before.Engine.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s := w.Until(t, "the others are back", func(s *apptest.Snapshot) bool {
		return s.State("add_sub") == api.ModelState_MODEL_STATE_FAILED && strings.Contains(strings.Join(s.Notices, "\n"), "models again")
	})
	const want = "add_sub no longer serves: version 1 of it was left from before a load that failed, and went with the engine. Correct what does not load: "
	if told := strings.Join(s.Notices, "\n"); !strings.Contains(told, want) {
		t.Errorf("people were told %s", told)
	}
}

// TestReadOnly: nothing is written, nothing is lost, and the reason is given. Root may write where
// others may not, but not to a file that nobody may write, and not to a file system that is mounted
// read-only.
func TestReadOnly(t *testing.T) {
	root := apptest.CopyExamples(t)
	config := filepath.Join(root, "digits", "config.pbtxt")
	good := apptest.ReadFile(t, config)
	if err := os.Chmod(config, 0o444); err != nil {
		t.Fatal(err)
	}
	want := lockFolder(t, root)
	w := open(t, root)
	w.Until(t, "all are ready", apptest.AllReady)
	file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"})
	if !file.ReadOnly || !strings.Contains(file.Note, "no permission to write") {
		t.Errorf("read-only %v, note %q", file.ReadOnly, file.Note)
	}
	said := apptest.Refused(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "config.pbtxt", Text: "x", BaseVersion: file.Version}, connect.CodePermissionDenied)
	if !strings.Contains(said, "cannot save "+config) || !strings.Contains(said, "chmod u+w") && !strings.Contains(said, want) || !strings.Contains(said, "unchanged") {
		t.Errorf("said %q", said)
	}
	if now := apptest.ReadFile(t, config); now != good {
		t.Errorf("the file now holds %q", now)
	}
	if want == "" {
		return // this user may write in the folder
	}
	if file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "add_sub", Path: "config.pbtxt"}); !file.ReadOnly && want != "permission denied" || file.ReadOnly && !strings.HasPrefix(file.Note, "saving is off: the file system is "+want) {
		t.Errorf("of another file: read-only %v, note %q", file.ReadOnly, file.Note)
	}
	if s := w.Until(t, "the repository is known", func(s *apptest.Snapshot) bool { return s.Repository != nil }); !s.Repository.ReadOnly {
		t.Error("the repository is not called read-only")
	}
	if closed := apptest.Call(t, w.Models.ListKinds, &api.ListKindsRequest{}).Closed; !strings.HasPrefix(closed, "cannot make a model in "+w.Root) || !strings.Contains(closed, want) {
		t.Errorf("before a model is made, said %q, want %q", closed, want)
	}
	said = apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "fresh", Backend: "python"}, connect.CodePermissionDenied)
	if !strings.Contains(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// lockFolder makes a folder unwritable in a way that works for this user, and returns the words for
// it; "" when there is no way.
func lockFolder(t *testing.T, root string) (words string) {
	t.Helper()
	if os.Getuid() != 0 {
		if err := os.Chmod(root, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(root, 0o755) })
		return "permission denied"
	}
	if !mountReadOnly(t, root) {
		return ""
	}
	return "mounted read-only"
}

// TestLimitedDisk: a save that does not fit leaves the file as it was.
func TestLimitedDisk(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	config := filepath.Join(w.Root, "digits", "config.pbtxt")
	good := apptest.ReadFile(t, config)
	large := &api.SaveFileRequest{Model: "digits", Path: "config.pbtxt", Text: good + strings.Repeat("# more\n", 1<<17), BaseVersion: apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"}).Version}
	undo := fulldisk.LimitFiles(t, 512<<10)
	_, err := w.Editor.SaveFile(t.Context(), connect.NewRequest(large))
	undo()
	if err == nil || !strings.Contains(err.Error(), "cannot save "+config) || !strings.Contains(err.Error(), "the file on disk is unchanged") {
		t.Errorf("the save says %v", err)
	}
	if now := apptest.ReadFile(t, config); now != good {
		t.Errorf("the file now holds %d bytes", len(now))
	}
	left, _ := os.ReadDir(filepath.Dir(config))
	for _, e := range left {
		if e.Name() != "1" && e.Name() != "config.pbtxt" && e.Name() != "labels.txt" {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	apptest.Call(t, w.Editor.SaveFile, large)
	w.Until(t, "it still serves", func(s *apptest.Snapshot) bool { return well(s, "digits") })
}

// TestHistory: the history exists from the first run on and survives the end. A file that is not a
// history is moved aside.
func TestHistory(t *testing.T) {
	data, root := filepath.Join(t.TempDir(), "not", "there", "yet"), apptest.CopyExamples(t)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
	w.Until(t, "all are ready", apptest.AllReady)
	apptest.Call(t, w.Try.Infer, apptest.Sum())
	apptest.AwaitMetrics(t, w.Window)
	w.Close()

	w = openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
	apptest.AwaitMetrics(t, w.Window)
	if entries := apptest.Call(t, w.Try.ListHistory, &api.ListHistoryRequest{}).Entries; len(entries) != 1 || entries[0].Model != "add_sub" {
		t.Errorf("history is %v", entries)
	}
	w.Close()

	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(filepath.Join(data, "conch.db"+suffix))
	}
	apptest.Write(t, filepath.Join(data, "conch.db"), strings.Repeat("no database ", 1000))
	w = openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
	w.Until(t, "it is told", func(s *apptest.Snapshot) bool {
		return strings.Contains(strings.Join(s.Notices, "\n"), "was damaged. It was moved to conch.db.damaged-")
	})
	apptest.Call(t, w.Workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{"theme": `"dark"`}})
	if aside, _ := filepath.Glob(filepath.Join(data, "conch.db.damaged-*")); len(aside) != 1 {
		t.Errorf("moved aside: %v", aside)
	}
}

// TestNoPlaceForHistory: the workbench still works, and says that nothing will be kept.
func TestNoPlaceForHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	apptest.Write(t, file, "x")
	w := openWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, DataDir: filepath.Join(file, "conch")})
	w.Until(t, "it is told", func(s *apptest.Snapshot) bool {
		return strings.Contains(strings.Join(s.Notices, "\n"), "History and settings last only until Conch is closed") && apptest.AllReady(s)
	})
	apptest.Call(t, w.Try.Infer, apptest.Sum())
	if entries := apptest.Call(t, w.Try.ListHistory, &api.ListHistoryRequest{}).Entries; len(entries) != 1 {
		t.Errorf("history is %v", entries)
	}
}

// TestStrangersAtTheDoor tests the real API behind the real server of `conch web`.
func TestStrangersAtTheDoor(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	server, err := web.Listen(web.Options{API: w.Handler, Files: fstest.MapFS{"index.html": {Data: []byte("Conch")}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	host, _, _ := strings.Cut(strings.TrimPrefix(server.URL(), "http://"), "/")
	if err := os.Symlink("/etc/passwd", filepath.Join(w.Root, "digits", "link.txt")); err != nil {
		t.Fatal(err)
	}
	bearer := "Bearer " + server.Token()
	for name, test := range map[string]struct {
		token, host, origin, path string
		code                      int
	}{
		"a friend":               {bearer, host, "http://" + host, "config.pbtxt", http.StatusOK},
		"no token":               {"", host, "", "config.pbtxt", http.StatusUnauthorized},
		"wrong token":            {"Bearer " + strings.Repeat("0", 32), host, "", "config.pbtxt", http.StatusUnauthorized},
		"foreign host":           {bearer, "rebound.example", "", "config.pbtxt", http.StatusForbidden},
		"foreign origin":         {bearer, host, "http://evil.example", "config.pbtxt", http.StatusForbidden},
		"dots":                   {bearer, host, "", "../../../etc/passwd", http.StatusForbidden},
		"another model":          {bearer, host, "", "../add_sub/config.pbtxt", http.StatusForbidden},
		"absolute":               {bearer, host, "", "/etc/passwd", http.StatusForbidden},
		"link":                   {bearer, host, "", "link.txt", http.StatusForbidden},
		"dots in the middle":     {bearer, host, "", "1/../../../x", http.StatusForbidden},
		"nothing at that place":  {bearer, host, "", "1/none.txt", http.StatusOK},
		"a folder, not a secret": {bearer, host, "", "1", http.StatusBadRequest},
	} {
		r, err := http.NewRequest(http.MethodPost, "http://"+host+"/api/conch.v1.EditorService/ReadFile", strings.NewReader(fmt.Sprintf(`{"model":"digits","path":%q}`, test.path)))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = test.host
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {test.token}}
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != test.code {
			t.Errorf("%s: %d, want %d", name, answer.StatusCode, test.code)
		}
	}
}
