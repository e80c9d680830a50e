package onnx_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"conch/configedit/modelfile"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
)

func TestLibraryIsFoundInTheDataFolder(t *testing.T) {
	library := onnxtest.Library(t)
	if info, err := os.Stat(library); err == nil && info.IsDir() {
		library = filepath.Join(library, "libonnxruntime.so.1")
	}
	data := t.TempDir()
	t.Setenv(onnx.LibraryVariable, "")
	t.Setenv("XDG_DATA_HOME", data)
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), nil)

	_, err := onnx.New(onnx.Options{}).Load(context.Background(), spec)
	if err == nil || !strings.Contains(err.Error(), data) || !strings.Contains(err.Error(), onnx.LibraryVariable) {
		t.Fatalf("got %v", err)
	}

	home := filepath.Join(data, "conch", "onnxruntime")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(library, filepath.Join(home, filepath.Base(library))); err != nil {
		t.Fatal(err)
	}
	b := onnx.New(onnx.Options{})
	if got := b.LibraryFile(); got != "" {
		t.Errorf("%s is open before a model needs it", got)
	}
	model, err := b.Load(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	model.Close()
	if got := b.Runtime(); !strings.HasPrefix(got, "ONNX Runtime 1.") {
		t.Errorf("runtime %q", got)
	}
	if got := b.LibraryFile(); filepath.Base(got) != filepath.Base(library) {
		t.Errorf("library %q", got)
	}
}

func TestWarningsGoToTheLog(t *testing.T) {
	m := onnxtest.AddSub(4)
	m.Initializers = []onnxtest.Initializer{{Name: "unused", Type: onnxtest.Int32, Dims: []int64{1}, Raw: make([]byte, 4)}}
	var out bytes.Buffer
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.NewJSONHandler(&out, nil))})
	model, err := b.Load(context.Background(), specOf(t, m.Bytes(), nil))
	if err != nil {
		t.Fatal(err)
	}
	model.Close()
	newBackend(t).Load(context.Background(), specOf(t, []byte{0}, nil)) // gives the log back
	var line struct{ Level, Msg, Source string }
	if err := json.Unmarshal(bytes.SplitAfter(out.Bytes(), []byte("\n"))[0], &line); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	if line.Level != "WARN" || line.Source != "onnxruntime" || !strings.Contains(line.Msg, "unused") {
		t.Errorf("got %+v", line)
	}
}

// The header reader sees what ONNX Runtime sees, so that the editor and the engine judge alike.
func TestHeaderAgreesWithSession(t *testing.T) {
	overridable := onnxtest.AddSub(4)
	overridable.Initializers = []onnxtest.Initializer{
		{Name: "INPUT1", Type: onnxtest.Int32, Dims: []int64{4}, Raw: make([]byte, 16)},
	}
	for name, m := range map[string]onnxtest.Model{
		"add_sub": onnxtest.AddSub("batch", 16), "strings": onnxtest.Identity(onnxtest.String, "n", "m"),
		"scalar": onnxtest.Total(2, 3), "nonzero": onnxtest.NonZero(), "overridable": overridable,
	} {
		t.Run(name, func(t *testing.T) {
			file := m.Bytes()
			header, err := modelfile.ReadONNX(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range header.Outputs {
				header.Outputs[i].Inferred = false // of a session nothing is left to infer
			}
			session := onnx.Describe(loadSpec(t, specOf(t, file, nil)))
			for i := range header.Outputs { // in a session nothing is left to infer
				header.Outputs[i].Inferred = false
			}
			for _, pair := range [][2][]modelfile.Tensor{
				{header.Inputs, session.Inputs}, {header.Outputs, session.Outputs}, {header.Overridable, session.Overridable},
			} {
				if len(pair[0])+len(pair[1]) > 0 && !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("header %+v\nsession %+v", pair[0], pair[1])
				}
			}
		})
	}
}
