//go:build unix

package rpc_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/checkcmd"
	"conch/app/language"
	"conch/configedit/backends"
)

// TestNewModelFromFile: a file that is sent in pieces becomes a model with the config of `conch config`,
// is loaded, and answers.
func TestNewModelFromFile(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	source := filepath.Join(w.Root, "add_sub", "1", "model.onnx")
	upload := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{}).Upload
	send(t, w, upload, "my sums.onnx", apptest.ReadFile(t, source))
	draft := apptest.Call(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: upload})
	if draft.Name != "my_sums" || draft.Backend != "onnxruntime" || draft.Label != "ONNX" || draft.Lacks != "" || !slices.Equal(draft.Files, []string{"1/model.onnx"}) {
		t.Errorf("the draft is %v", draft)
	}
	var said bytes.Buffer
	if err := checkcmd.Config(source, checkcmd.Options{}, &said); err != nil {
		t.Fatal(err)
	}
	if want, _, _ := strings.Cut(said.String(), "\n# Filled in:"); draft.Config != want {
		t.Errorf("the draft has the config\n%s\nand `conch config` prints\n%s", draft.Config, want)
	}
	apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "digits", Upload: upload}, connect.CodeAlreadyExists)
	apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "../sums", Upload: upload}, connect.CodeInvalidArgument)
	apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "sums", Upload: upload, Config: &draft.Config})
	s := w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_READY })
	if slices.Contains(s.Notices, "sums was added") {
		t.Errorf("what the window made is told as news: %q", s.Notices)
	}
	request := apptest.Sum()
	request.Model = "sums"
	if out := apptest.Call(t, w.Try.Infer, request); !out.Ok {
		t.Errorf("it answers %v", out)
	}
	apptest.Refused(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: upload}, connect.CodeNotFound)
	if left := hidden(t, w.Root); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestAddFiles: files that are sent go into a folder of a model, all or none, and nothing else.
func TestAddFiles(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	upload := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{}).Upload
	send(t, w, upload, "labels.txt", "zero\none\n")
	send(t, w, upload, "weights.bin", strings.Repeat("w", 250))
	add := func(folder string) *api.AddFilesRequest {
		return &api.AddFilesRequest{Upload: upload, Model: "add_sub", Folder: folder}
	}
	for folder, code := range map[string]connect.Code{"..": connect.CodeInvalidArgument, "/tmp": connect.CodeInvalidArgument, "a//b": connect.CodeInvalidArgument, "1/model.onnx": connect.CodeFailedPrecondition} {
		apptest.Refused(t, w.Models.AddFiles, add(folder), code)
	}
	apptest.Write(t, filepath.Join(w.Root, "add_sub", "1", "labels.txt"), "mine")
	apptest.Refused(t, w.Models.AddFiles, add("1"), connect.CodeAlreadyExists)
	if got := apptest.Call(t, w.Models.AddFiles, add("extra/more")); !slices.Equal(got.Paths, []string{"extra/more/labels.txt", "extra/more/weights.bin"}) {
		t.Errorf("%v", got)
	}
	if got := apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "extra", "more", "weights.bin")); len(got) != 250 {
		t.Errorf("%d bytes", len(got))
	}
	apptest.Refused(t, w.Models.AddFiles, add("again"), connect.CodeNotFound)
	upload = apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{}).Upload
	apptest.Refused(t, w.Models.AddFiles, add(""), connect.CodeFailedPrecondition)
	send(t, w, upload, "beside.txt", "b")
	if got := apptest.Call(t, w.Models.AddFiles, add("")); !slices.Equal(got.Paths, []string{"beside.txt"}) {
		t.Errorf("%v", got)
	}
	if got := apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "1", "labels.txt")); got != "mine" {
		t.Errorf("a file was replaced: %q", got)
	}
	if left := hidden(t, w.Root); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// send sends a file in pieces of a few bytes.
func send(t *testing.T, w *apptest.Window, upload, file, content string) {
	t.Helper()
	const piece = 100
	for at := 0; at < len(content); at += piece {
		part := []byte(content[at:min(at+piece, len(content))])
		apptest.Call(t, w.Models.WriteUpload, &api.WriteUploadRequest{Upload: upload, File: file, Offset: uint64(at), Data: part})
	}
}

// hidden lists the hidden entries of a folder.
func hidden(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestUploadBounds: an upload is bounded, its files stay in their folder, and nothing of it is a model.
func TestUploadBounds(t *testing.T) {
	data := t.TempDir()
	w := apptest.OpenWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, DataDir: data})
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	begin := func() string { return apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{}).Upload }
	first := begin()
	refused := func(file string, offset uint64, size int) {
		t.Helper()
		apptest.Refused(t, w.Models.WriteUpload, &api.WriteUploadRequest{Upload: first, File: file, Offset: offset, Data: make([]byte, size)}, connect.CodeInvalidArgument)
	}
	for _, file := range []string{"", ".", "..", "../x.onnx", "/etc/x.onnx", "a/b.onnx", `a\b.onnx`, "a\x00b", "C:x.onnx", ".conch-x.tmp"} {
		refused(file, 0, 1)
	}
	refused("a.onnx", 0, 4<<20+1)
	refused("a.onnx", 1, 1)
	send(t, w, first, "a.onnx", "some bytes")
	refused("a.onnx", 5, 1)
	apptest.Refused(t, w.Models.WriteUpload, &api.WriteUploadRequest{Upload: "x", File: "a.onnx"}, connect.CodeNotFound)
	apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "bad", Upload: first}, connect.CodeFailedPrecondition)
	if said := apptest.Refused(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: first}, connect.CodeFailedPrecondition); !strings.Contains(said, "a.onnx cannot be read as ONNX") {
		t.Errorf("said %q", said)
	}
	send(t, w, first, "b.pt", "other bytes")
	if said := apptest.Refused(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: first}, connect.CodeFailedPrecondition); !strings.Contains(said, "a.onnx, b.pt are several model files") {
		t.Errorf("said %q", said)
	}
	// The page offers to make a model of each.
	_, err := w.Models.DraftModel(t.Context(), connect.NewRequest(&api.DraftModelRequest{Upload: first}))
	var several *connect.Error
	if !errors.As(err, &several) || len(several.Details()) != 1 || several.Details()[0].Type() != "conch.v1.SeveralModels" {
		t.Errorf("%v: %v", err, several.Details())
	}
	for range 4 {
		begin()
	}
	apptest.Refused(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: first}, connect.CodeNotFound)
	if shown := hidden(t, w.Root); len(shown) > 0 {
		t.Errorf("the repository shows the uploads: %q", shown)
	}
	if left := hidden(t, filepath.Join(data, "uploads")); len(left) != 4 {
		t.Errorf("%d uploads are kept: %q", len(left), left)
	}
	if list := apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "digits"}); list.Summary == nil {
		t.Error("the repository is not shown any more")
	}
	w.Close()
	if left := hidden(t, filepath.Join(data, "uploads")); len(left) > 0 {
		t.Errorf("left behind at the end: %q", left)
	}
}

// TestNewModelOfOtherKinds: files of kinds whose framework may be missing are taken, and a folder without a file
// says what it waits for, and is loaded when the file comes.
func TestNewModelOfOtherKinds(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	upload := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{}).Upload
	send(t, w, upload, "model.graphdef", "graph")
	draft := apptest.Call(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: upload})
	if draft.Backend != "tensorflow" || draft.Lacks != "" || !strings.Contains(draft.Note, "write them into the config") {
		t.Errorf("the draft is %v", draft)
	}
	apptest.Call(t, w.Models.DiscardUpload, &api.DiscardUploadRequest{Upload: upload})
	upload = apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{}).Upload
	send(t, w, upload, "model.plan", "ftrt"+strings.Repeat("\x00", 60))
	draft = apptest.Call(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: upload})
	// What the machine lacks is said as soon as the engine has read its GPUs.
	if draft.Backend != "tensorrt" || draft.Lacks != "" && draft.Lacks != language.NeedsGPU(backends.TensorRT) {
		t.Errorf("the draft is %v", draft)
	}
	apptest.Call(t, w.Models.DiscardUpload, &api.DiscardUploadRequest{Upload: upload})
	if left := hidden(t, w.Root); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "later", Backend: "onnxruntime"})
	w.Until(t, "it says what it waits for", func(s *apptest.Snapshot) bool {
		m := s.Models["later"]
		return m.GetState() == api.ModelState_MODEL_STATE_UNLOADED && m.GetReason() == "It has no model file yet. Put model.onnx into later/1."
	})
	apptest.Write(t, filepath.Join(w.Root, "later", "1", "model.onnx"), apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "1", "model.onnx")))
	w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("later") == api.ModelState_MODEL_STATE_READY })
	if err := os.CopyFS(filepath.Join(w.Root, "twice", "1"), os.DirFS(filepath.Join(w.Root, "add_sub", "1"))); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "a copied folder is told and loaded", func(s *apptest.Snapshot) bool {
		return slices.Contains(s.Notices, "twice was added") && s.State("twice") == api.ModelState_MODEL_STATE_READY
	})
}

// TestWholeFolder: the folder of a model, such as one of another repository, is copied as it is; its config
// gets the name of its new folder.
func TestWholeFolder(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	upload := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{Folder: "add_sub"}).Upload
	config := "# kept\n" + apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "config.pbtxt"))
	send(t, w, upload, "config.pbtxt", config)
	send(t, w, upload, "1/model.onnx", apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "1", "model.onnx")))
	send(t, w, upload, "notes/deep/read me.txt", "hello")
	for _, noise := range []string{"1/__pycache__/model.pyc", ".git/HEAD", ".conch-x.tmp"} {
		send(t, w, upload, noise, "noise")
	}
	for _, file := range []string{"../x", "1/../../x", "/x", "1//x", `1\x`, "a/b/c/d/e/f/g/h/i"} {
		apptest.Refused(t, w.Models.WriteUpload, &api.WriteUploadRequest{Upload: upload, File: file, Data: []byte("x")}, connect.CodeInvalidArgument)
	}
	draft := apptest.Call(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: upload})
	if draft.Name != "add_sub_2" || draft.Backend != "onnxruntime" || draft.Label != "ONNX" || draft.Lacks != "" || draft.Config != config {
		t.Errorf("the draft is %v", draft)
	}
	if want := []string{"1/model.onnx", "config.pbtxt", "notes/deep/read me.txt"}; !slices.Equal(draft.Files, want) {
		t.Errorf("its files are %q", draft.Files)
	}
	apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: draft.Name, Upload: upload, Config: &draft.Config})
	w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("add_sub_2") == api.ModelState_MODEL_STATE_READY })
	written := apptest.ReadFile(t, filepath.Join(w.Root, "add_sub_2", "config.pbtxt"))
	if !strings.HasPrefix(written, "# kept\n") || !strings.Contains(written, `"add_sub_2"`) || strings.Contains(written, `"add_sub"`) {
		t.Errorf("the config is\n%s", written)
	}
	if text := apptest.ReadFile(t, filepath.Join(w.Root, "add_sub_2", "notes", "deep", "read me.txt")); text != "hello" {
		t.Errorf("a file of the folder holds %q", text)
	}

	other := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{Folder: "pictures"}).Upload
	send(t, w, other, "cat/one.jpg", "no model")
	if said := apptest.Refused(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: other}, connect.CodeFailedPrecondition); !strings.Contains(said, "pictures is not a model's folder") {
		t.Errorf("said %q", said)
	}
	bare := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{Folder: "sum.v2"}).Upload
	send(t, w, bare, "3/model.onnx", apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "1", "model.onnx")))
	if draft := apptest.Call(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: bare}); draft.Name != "sum.v2" || !strings.Contains(draft.Config, "OUTPUT0") {
		t.Errorf("the draft without a config is %v", draft)
	}
	exported := apptest.Call(t, w.Models.BeginUpload, &api.BeginUploadRequest{Folder: "exported"}).Upload
	send(t, w, exported, "net.onnx", apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "1", "model.onnx")))
	send(t, w, exported, "about.txt", "sums")
	draft = apptest.Call(t, w.Models.DraftModel, &api.DraftModelRequest{Upload: exported})
	if want := []string{"1/model.onnx", "about.txt"}; !slices.Equal(draft.Files, want) {
		t.Errorf("a model file of another name will be among %q", draft.Files)
	}
	apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: draft.Name, Upload: exported, Config: &draft.Config})
	w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("exported") == api.ModelState_MODEL_STATE_READY })
}
