//go:build unix

package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// A program that says that it has begun, and answers when it may.
const patientProgram = `
import os
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        a = pb_utils.get_input_tensor_by_name(requests[0], "INPUT0").as_numpy()
        open(BEGUN, "w").close()
        while not os.path.exists(RELEASE):
            time.sleep(0.01)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", a)])]
`

// underWay is a request that runs at a server, which is shown alone.
type underWay struct {
	peer     *apptest.Peer
	w        *apptest.Window
	answered chan string // why there was no answer; "" for one
	release  func()      // lets it be answered
}

// ask sends a request to a server with this scheme, and returns once its program runs.
func ask(t *testing.T, scheme string) underWay {
	t.Helper()
	apptest.UsePython(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root, signs := apptest.CopyExamples(t), t.TempDir()
	begun, release := filepath.Join(signs, "begun"), filepath.Join(signs, "release")
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), "BEGUN = "+strconv.Quote(begun)+"\nRELEASE = "+strconv.Quote(release)+"\n"+patientProgram)
	p := apptest.StartPeer(t, root, "--load-model=checked")
	w := shown(t, scheme+map[string]string{"grpc://": p.GRPC, "http://": p.HTTP}[scheme], p)
	w.Until(t, "the server's model is shown", func(s *apptest.Snapshot) bool {
		return s.State("checked") == api.ModelState_MODEL_STATE_READY
	})
	answered := make(chan string, 1)
	go func() {
		_, failure := askChecked(t, w, "[[1, 0]]")
		answered <- failure
	}()
	awaitBegun(t, begun, answered)
	return underWay{p, w, answered, func() { apptest.Write(t, release, "") }}
}

// TestLeftServerAnswers: a request that is under way at a server is answered, although meanwhile another server or a repository
// is shown.
func TestLeftServerAnswers(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *apptest.Window){
		"another server": func(t *testing.T, w *apptest.Window) {
			save := &api.SaveServerRequest{Server: &api.Server{Name: "away", Address: "grpc://127.0.0.1:1", Metrics: "none"}}
			apptest.Call(t, w.Servers.SaveServer, save)
			apptest.Call(t, w.Servers.Attach, &api.AttachRequest{Name: "away"})
		},
		"nothing": func(t *testing.T, w *apptest.Window) {
			apptest.Call(t, w.Servers.Attach, &api.AttachRequest{})
		},
		"a repository": func(t *testing.T, w *apptest.Window) {
			apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: apptest.CopyExamples(t)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := ask(t, "grpc://")
			leave(t, request.w)
			request.release()
			if failure := <-request.answered; failure != "" {
				t.Error(failure)
			}
		})
	}
}

// TestKilledServerLosesTheAnswer: what is said of it does not depend on the protocol.
func TestKilledServerLosesTheAnswer(t *testing.T) {
	for _, scheme := range []string{"grpc://", "http://"} {
		t.Run(scheme, func(t *testing.T) {
			request := ask(t, scheme)
			request.peer.Kill()
			if failure := <-request.answered; !strings.HasPrefix(failure, "peer ended the connection before it answered.") {
				t.Error(failure)
			}
		})
	}
}

// awaitBegun waits until a program says that it has begun.
func awaitBegun(t *testing.T, begun string, ended chan string) {
	t.Helper()
	for _, err := os.Stat(begun); err != nil; _, err = os.Stat(begun) {
		if t.Context().Err() != nil || len(ended) > 0 {
			t.Fatalf("the request did not begin: %v", <-ended)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A program that says that its model is being loaded, and is ready when it may be.
const patientLoad = `
import os
import time


class TritonPythonModel:
    def initialize(self, args):
        open(BEGUN, "w").close()
        while not os.path.exists(RELEASE):
            time.sleep(0.01)

    def execute(self, requests):
        return []
`

// TestLeftServerLoadsAll: all models of a server are loaded there, although it is left meanwhile.
func TestLeftServerLoadsAll(t *testing.T) {
	apptest.UsePython(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root, signs := t.TempDir(), t.TempDir()
	begun, release := filepath.Join(signs, "begun"), filepath.Join(signs, "release")
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), "BEGUN = "+strconv.Quote(begun)+"\nRELEASE = "+strconv.Quote(release)+"\n"+patientLoad)
	p := apptest.StartPeer(t, root, "--model-control-mode=explicit")
	w := shown(t, p.GRPC, p)
	w.Until(t, "the server's model is known", func(s *apptest.Snapshot) bool {
		return s.State("checked") == api.ModelState_MODEL_STATE_UNLOADED
	})
	ended := make(chan string, 1)
	go func() {
		all, err := w.Models.LoadAll(t.Context(), connect.NewRequest(&api.LoadAllRequest{}))
		if err != nil {
			ended <- err.Error()
			return
		}
		ended <- strings.Join(all.Msg.Loaded, " ") + fmt.Sprint(all.Msg.Failed)
	}()
	awaitBegun(t, begun, ended)
	apptest.Call(t, w.Servers.Attach, &api.AttachRequest{})
	apptest.Write(t, release, "")
	if told := <-ended; told != "checked[]" {
		t.Error(told)
	}
}
