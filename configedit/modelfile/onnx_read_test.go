package modelfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"conch/build/golden"
	"conch/configedit/derive"
	"conch/configedit/modelfile"
)

// TestReadONNX compares the headers of the files in testdata/header with the .json beside each.
func TestReadONNX(t *testing.T) {
	for _, file := range headerFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".onnx"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			model, err := modelfile.ReadONNX(bytes.NewReader(data), int64(len(data)))
			golden.File(t, strings.TrimSuffix(file, "onnx")+"json", showModel(t, model, err))
		})
	}
}

func headerFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/header/*.onnx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	return files
}

func showModel(t *testing.T, model *modelfile.ONNX, err error) string {
	t.Helper()
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	data, err := json.MarshalIndent(model, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func TestReadONNXCutFiles(t *testing.T) {
	data, err := os.ReadFile("testdata/header/add_sub.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(data) {
		_, err := modelfile.ReadONNX(bytes.NewReader(data[:size]), int64(size))
		if size < len(data)-len("\x42\x04\x0a\x00\x10\x12") && err == nil {
			t.Errorf("cut at %d of %d it was read", size, len(data))
		}
		// The reader's size may also be wrong because the file shrank meanwhile.
		if _, err := modelfile.ReadONNX(bytes.NewReader(data[:size]), int64(len(data))); err == nil {
			t.Errorf("cut to %d while it was read: no error", size)
		}
	}
	_, err = modelfile.ReadONNX(bytes.NewReader(data), int64(len(data)-20))
	var broken *modelfile.Error
	if !errors.As(err, &broken) || !broken.Truncated {
		t.Errorf("got %v", err)
	}
}

// hugeFile is a model with weights of 3 GB, which only the reader's arithmetic ever sees.
type hugeFile struct {
	head, tail []byte
	weights    int64
	read       int
}

func (h *hugeFile) ReadAt(p []byte, off int64) (int, error) {
	h.read += len(p)
	for i := range p {
		at := off + int64(i)
		switch {
		case at < int64(len(h.head)):
			p[i] = h.head[at]
		case at < int64(len(h.head))+h.weights:
			p[i] = 0
		case at < h.size():
			p[i] = h.tail[at-int64(len(h.head))-h.weights]
		default:
			return i, io.EOF
		}
	}
	return len(p), nil
}

func (h *hugeFile) size() int64 { return int64(len(h.head)+len(h.tail)) + h.weights }

func TestReadONNXStepsOverWeights(t *testing.T) {
	const weights = 3 << 30
	name := protowire.AppendString(protowire.AppendTag(nil, 8, protowire.BytesType), "W")
	raw := protowire.AppendVarint(protowire.AppendTag(nil, 9, protowire.BytesType), weights)
	output := protowire.AppendBytes(protowire.AppendTag(nil, 12, protowire.BytesType), []byte("\x0a\x01Y"))
	tensorSize := len(name) + len(raw) + weights
	initializer := protowire.AppendVarint(protowire.AppendTag(nil, 5, protowire.BytesType), uint64(tensorSize))
	graphSize := len(initializer) + tensorSize + len(output)
	head := protowire.AppendVarint(protowire.AppendTag(nil, 7, protowire.BytesType), uint64(graphSize))
	head = append(append(append(head, initializer...), name...), raw...)
	file := &hugeFile{head: head, tail: output, weights: weights}
	model, err := modelfile.ReadONNX(file, file.size())
	if err != nil {
		t.Fatal(err)
	}
	if len(model.Outputs) != 1 || model.Outputs[0].Name != "Y" {
		t.Errorf("got %+v", model)
	}
	if file.read > 1<<20 {
		t.Errorf("read %d bytes of a %d byte file", file.read, file.size())
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("disk on fire") }

func TestReadONNXPassesReadErrorsOn(t *testing.T) {
	if _, err := modelfile.ReadONNX(failing{}, 100); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadONNX(f *testing.F) {
	for _, file := range headerFiles(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		model, err := modelfile.ReadONNX(bytes.NewReader(data), int64(len(data)))
		if (model == nil) == (err == nil) {
			t.Fatalf("model %v, error %v", model, err)
		}
		if err != nil {
			return
		}
		// What was read can be completed and checked without a panic either.
		cfg, _, err := derive.Effective(nil, derive.Facts{
			ModelName: "m", Files: []derive.File{{Name: "model.onnx"}}, ONNX: model, AutoComplete: true,
		})
		if err == nil {
			derive.CheckONNX(cfg, model)
		}
	})
}

func BenchmarkReadONNX(b *testing.B) {
	data, err := os.ReadFile("testdata/header/add_sub.onnx")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := modelfile.ReadONNX(bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}
