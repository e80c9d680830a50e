//go:build unix

package enginehost_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"conch/app/enginehost"
	"conch/app/enginetest"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

func TestMain(m *testing.M) {
	enginetest.Main(configure)
	os.Exit(m.Run())
}

// configure sets up the child engines of these tests, by mode.
func configure(f *enginetest.Fake, mode string) {
	f.Add("add_sub", "digits", "poison")
	fmt.Fprintln(os.Stderr, `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"started","model":"digits","took":"3ms"}`)
	f.Heartbeat = 20 * time.Millisecond
	f.OnInfer = func(ctx context.Context, r *kservepb.ModelInferRequest) (*kservepb.ModelInferResponse, error) {
		if r.Id == "endless" {
			<-ctx.Done()
		}
		return &kservepb.ModelInferResponse{Id: r.Id}, nil
	}
	switch mode {
	case "refuse":
		fmt.Fprintln(os.Stderr, `{"level":"ERROR","msg":"port 8000 is taken by process 17"}`)
		os.Exit(1)
	case "crash on poison":
		f.OnLoad = func(name string) error {
			if name == "poison" {
				fmt.Fprintln(os.Stderr, "SIGSEGV in native code")
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
	}
}

// recorder collects updates and lets a test wait for what it wants to see.
type recorder struct {
	mu      sync.Mutex
	changed chan struct{}
	all     []enginehost.Update
	models  map[string]*enginepb.Model
}

func (r *recorder) up(u enginehost.Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, u)
	if u.Event.GetReset_() {
		r.models = map[string]*enginepb.Model{}
	}
	for _, m := range u.Event.GetModels() {
		r.models[m.Name] = m
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// until waits for a condition over everything seen so far.
func (r *recorder) until(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		r.mu.Lock()
		ok, changed := met(), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func (r *recorder) seen() []enginehost.Update {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// status is lastStatus for who does not hold the lock.
func (r *recorder) status() enginehost.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastStatus()
}

// lastStatus is for conditions of until.
func (r *recorder) lastStatus() (last enginehost.Status) {
	for _, u := range r.all {
		if u.Status != nil {
			last = *u.Status
		}
	}
	return last
}

func (r *recorder) loaded() (names []string) {
	for name, m := range r.models {
		if len(m.Versions) > 0 && m.Versions[0].State == enginepb.State_STATE_READY {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func start(t *testing.T, mode string) (*enginehost.Host, *recorder) {
	t.Helper()
	return startWith(t, enginehost.Options{}, mode)
}

func startWith(t *testing.T, opts enginehost.Options, mode string) (*enginehost.Host, *recorder) {
	t.Helper()
	t.Setenv(enginetest.Env, mode)
	r := &recorder{changed: make(chan struct{}), models: map[string]*enginepb.Model{}}
	opts.Command, opts.Repositories = []string{os.Args[0]}, []string{t.TempDir()}
	if opts.Wait == nil {
		opts.Wait = func(context.Context, time.Duration) error { return nil }
	}
	h, err := enginehost.Start(opts, r.up)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, r
}

func TestStartsAndLoadsEverything(t *testing.T) {
	h, r := start(t, "")
	r.until(t, "all are loaded", func() bool { return len(r.loaded()) == 3 })
	if s := h.Status(); s.State != enginehost.Ready || s.PID == 0 {
		t.Errorf("status is %+v", s)
	}
	lines := h.LogLines("digits", 10)
	if len(lines) != 1 || lines[0].Text != "started took=3ms" || lines[0].Level != "INFO" || lines[0].Time.Year() != 2026 {
		t.Errorf("log is %+v", lines)
	}
}

func TestKilledEngineComesBackWithWhatWasLoaded(t *testing.T) {
	h, r := start(t, "")
	r.until(t, "all are loaded", func() bool { return len(r.loaded()) == 3 })
	client, err := h.Client()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.RepositoryModelUnload(t.Context(), &kservepb.RepositoryModelUnloadRequest{ModelName: "poison"}); err != nil {
		t.Fatal(err)
	}
	r.until(t, "one is unloaded", func() bool { return len(r.loaded()) == 2 })
	first := h.Status().PID
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.until(t, "it is ready again", func() bool { s := r.lastStatus(); return s.State == enginehost.Ready && s.PID != first })
	r.until(t, "two are loaded again", func() bool { return slices.Equal(r.loaded(), []string{"add_sub", "digits"}) })
	var told string
	for _, u := range r.seen() {
		if u.Status != nil && u.Status.State == enginehost.Restarting {
			told = u.Status.Reason
		}
	}
	if !strings.Contains(told, "signal: killed") || h.Status().Restarts != 1 {
		t.Errorf("told %q, %d restarts", told, h.Status().Restarts)
	}
}

func TestGivesUpOnAnEngineThatRefuses(t *testing.T) {
	h, r := start(t, "refuse")
	r.until(t, "it is given up", func() bool { return r.lastStatus().State == enginehost.Stopped })
	reason := h.Status().Reason
	if !strings.Contains(reason, "exit code 1") || !strings.Contains(reason, "port 8000 is taken by process 17") {
		t.Errorf("reason is %q", reason)
	}
	if _, err := h.Client(); err == nil || !strings.Contains(err.Error(), "port 8000") {
		t.Errorf("client says %v", err)
	}
}

func TestModelThatCrashesTheEngineIsLeftOut(t *testing.T) {
	h, r := start(t, "crash on poison")
	r.until(t, "the others are loaded", func() bool {
		return r.lastStatus().State == enginehost.Ready && slices.Equal(r.loaded(), []string{"add_sub", "digits"}) && r.lastStatus().Restarts == 3
	})
	found := false
	for _, u := range r.seen() {
		found = found || u.Status != nil && strings.Contains(u.Status.Reason, "It was loading poison") && strings.Contains(u.Status.Reason, "SIGSEGV")
	}
	if !found {
		t.Error("the reason was not told")
	}
	if n := h.Status().Restarts; n != 3 {
		t.Errorf("%d restarts", n)
	}
}

func TestCloseEndsTheProcess(t *testing.T) {
	h, r := start(t, "")
	r.until(t, "it is ready", func() bool { return r.lastStatus().State == enginehost.Ready })
	pid := h.Status().PID
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d is still there: %v", pid, err)
	}
	if r.lastStatus().State != enginehost.Stopped {
		t.Errorf("status is %+v", r.lastStatus())
	}
}

// TestFolderOfAKilledWorkbench: the next start removes it.
func TestFolderOfAKilledWorkbench(t *testing.T) {
	parent, err := os.MkdirTemp("", "conch-t-") // because paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	t.Setenv("XDG_RUNTIME_DIR", parent)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(parent, fmt.Sprintf("conch-engine-%d-1", ended.Process.Pid))
	past := time.Now().Add(-48 * time.Hour)
	if err := errors.Join(os.Mkdir(old, 0o700), os.Chtimes(old, past, past)); err != nil {
		t.Fatal(err)
	}
	h, _ := start(t, "")
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 || entries[0].Name() == filepath.Base(old) {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("after the end: %v, %v", entries, err)
	}
}
