package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/runtimes"
)

// What the window does with builds of ONNX Runtime: lists, installs until the call ends, chooses, removes.
func TestRuntimesOfTheWindow(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	library := onnxtest.Library(t)
	if info, err := os.Stat(library); err == nil && !info.IsDir() {
		library = filepath.Dir(library)
	}
	t.Setenv("CONCH_ONNXRUNTIME", "")
	w := apptest.OpenExamples(t)
	installFromFolder(t, w, library)
	list := func() (mine *api.Runtime, offers int) {
		answer := apptest.Call(t, w.Workspace.ListRuntimes, &api.ListRuntimesRequest{})
		for _, r := range answer.Here {
			if r.Installed {
				mine = r
			}
		}
		return mine, len(answer.Offered)
	}
	mine, offers := list()
	if mine == nil || !strings.HasPrefix(mine.Name, "mine-1.") || mine.Used || mine.Chosen || mine.Error != "" || mine.Bytes == 0 || offers < 3 {
		t.Fatalf("%v and %d offers", mine, offers)
	}
	apptest.Refused(t, w.Workspace.ChooseRuntime, &api.ChooseRuntimeRequest{Name: "other"}, connect.CodeFailedPrecondition)
	apptest.Refused(t, w.Workspace.ChooseRuntime, &api.ChooseRuntimeRequest{Name: "--help"}, connect.CodeFailedPrecondition)
	apptest.Call(t, w.Workspace.ChooseRuntime, &api.ChooseRuntimeRequest{Name: mine.Name})
	if mine, _ := list(); !mine.Used || !mine.Chosen {
		t.Errorf("chosen, but %v", mine)
	}
	installIsCancelled(t, w)
	removed := apptest.Call(t, w.Workspace.RemoveRuntime, &api.RemoveRuntimeRequest{Name: mine.Name})
	if !strings.HasPrefix(removed.Text, mine.Name+" is removed, which frees ") || !strings.Contains(removed.Text, " MiB. It was the chosen one") {
		t.Errorf("%q", removed.Text)
	}
	if mine, _ := list(); mine != nil {
		t.Errorf("removed, but %v", mine)
	}
}

// The window knows which library the engine has opened: another one may be chosen meanwhile.
func TestLibraryOfTheEngine(t *testing.T) {
	library := onnxtest.Library(t)
	t.Setenv("CONCH_ONNXRUNTIME", library)
	w := apptest.OpenExamples(t)
	w.Until(t, "the engine names the library", func(s *apptest.Snapshot) bool { return strings.HasPrefix(s.Engine.GetRuntimeLibrary(), library) })
}

// installFromFolder installs a build from its folder, twice, and sees what was made. A path without a build is refused.
func installFromFolder(t *testing.T, w *apptest.Window, library string) {
	t.Helper()
	install := func(from string) (last *api.InstallRuntimeResponse, told string, err error) {
		stream, err := w.Workspace.InstallRuntime(t.Context(), connect.NewRequest(&api.InstallRuntimeRequest{Name: "mine", From: from}))
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = stream.Close() }()
		for stream.Receive() {
			last = stream.Msg()
			told += last.Text
		}
		return last, told, stream.Err()
	}
	for _, before := range []bool{false, true} {
		last, told, err := install(library)
		if err != nil || !strings.HasPrefix(last.GetInstalled(), "mine-1.") || last.Before != before || !strings.Contains(told, "unpacking and checking") {
			t.Fatalf("%v, %q, %v", last, told, err)
		}
	}
	if _, _, err := install("lib"); connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), `"lib" is not a path from / or from ~`) {
		t.Error(err)
	}
	if _, _, err := install(t.TempDir()); connect.CodeOf(err) != connect.CodeFailedPrecondition || !strings.Contains(err.Error(), "there is no "+runtimes.LibraryName()+" in ") {
		t.Error(err)
	}
}

// installIsCancelled begins an install whose pip downloads for ever, and ends the call.
func installIsCancelled(t *testing.T, w *apptest.Window) {
	t.Helper()
	begun, pip := filepath.Join(t.TempDir(), "begun"), filepath.Join(t.TempDir(), "python")
	apptest.Write(t, pip, "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\n: > "+begun+"; exec sleep 600\n")
	if err := os.Chmod(pip, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runtimes.PythonVariable, pip)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := w.Workspace.InstallRuntime(ctx, connect.NewRequest(&api.InstallRuntimeRequest{Name: "cpu"}))
	if err != nil {
		t.Fatal(err)
	}
	if !stream.Receive() || !strings.HasPrefix(stream.Msg().Text, "fetching onnxruntime ") {
		t.Fatalf("%v, %v", stream.Msg(), stream.Err())
	}
	for _, err := os.Stat(begun); err != nil; _, err = os.Stat(begun) {
		select {
		case <-t.Context().Done():
			t.Fatal("pip was not called")
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	for stream.Receive() {
	}
	_ = stream.Close()
	// The lock of the store says when the other process has ended.
	builds := filepath.Join(runtimes.Default().Dir, "builds")
	for left := 2; left != 1; {
		entries, err := os.ReadDir(builds)
		if err != nil {
			t.Fatal(err)
		}
		if left = len(entries); left != 1 {
			<-time.After(5 * time.Millisecond)
		}
	}
}
