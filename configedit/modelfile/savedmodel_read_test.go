package modelfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"conch/build/golden"
	"conch/configedit/check/checktest"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// TestReadSavedModel compares what is read of the files in testdata/saved, written as checktest.SavedModel takes them.
func TestReadSavedModel(t *testing.T) {
	golden.Each(t, "testdata/saved", func(t *testing.T, c *golden.Case) {
		data := checktest.SavedModel(t, c.Text(t, "file"))
		model, err := modelfile.ReadSavedModel(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			c.Want("error: " + err.Error() + "\n")
			return
		}
		text, err := json.MarshalIndent(model, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		c.Want(string(text) + "\n")
	})
}

const savedLines = `graph serve
signature serving_default tensorflow/serving/predict
input image 1 [-1, 64]
output scores 1 [-1, 10]
`

func TestReadSavedModelCutFiles(t *testing.T) {
	data := checktest.SavedModel(t, savedLines)
	for size := range len(data) {
		_, err := modelfile.ReadSavedModel(bytes.NewReader(data[:size]), int64(size))
		var broken *modelfile.Error
		if !errors.As(err, &broken) {
			t.Errorf("cut at %d of %d: %v", size, len(data), err)
		}
		if _, err := modelfile.ReadSavedModel(bytes.NewReader(data[:size]), int64(len(data))); err == nil {
			t.Errorf("cut to %d while it was read: no error", size)
		}
	}
}

func TestReadSavedModelStepsOverGraphs(t *testing.T) {
	const weights = 3 << 30
	tag := []byte("\x0a\x07\x22\x05serve")
	body := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.BytesType), weights)
	size := len(tag) + len(body) + weights
	head := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.BytesType), uint64(size))
	file := &hugeFile{head: append(append(head, tag...), body...), weights: weights}
	model, err := modelfile.ReadSavedModel(file, file.size())
	if err != nil || len(model.Graphs) != 1 || len(model.Graphs[0].Tags) != 1 {
		t.Fatalf("got %+v, %v", model, err)
	}
	if file.read > 1<<20 {
		t.Errorf("read %d bytes of a %d byte file", file.read, file.size())
	}
}

func TestReadSavedModelIsBounded(t *testing.T) {
	data := []byte(strings.Repeat("\x12\x00", 1<<20))
	_, err := modelfile.ReadSavedModel(bytes.NewReader(data), int64(len(data)))
	if err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadSavedModel(f *testing.F) {
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\n"))
	for _, lines := range []string{
		savedLines, "graph\n", "graph serve gpu\ngraph serve\nsignature a x\ninput x 14 ?\ninput y 7 []\n",
		strings.ReplaceAll(savedLines, "-1, 64", "1, 64") + "input x 20 [9]\nsignature b x\n",
	} {
		f.Add(checktest.SavedModel(f, lines))
	}
	cfg := &modelconfig.ModelConfig{
		Backend: "tensorflow", Name: "m", MaxBatchSize: 2,
		Input:  []*modelconfig.ModelInput{{Name: "image", Dims: []int64{64}}, {Name: "x", AllowRaggedBatch: true}},
		Output: []*modelconfig.ModelOutput{{Name: "scores", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{10}}},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		model, err := modelfile.ReadSavedModel(bytes.NewReader(data), int64(len(data)))
		if (model == nil) == (err == nil) {
			t.Fatalf("model %v, error %v", model, err)
		}
		if err == nil {
			derive.CheckSavedModel(cfg, model, false)
			derive.CheckSavedModel(cfg, model, true)
			_, _, _ = derive.FromSavedModel(model)
		}
	})
}
