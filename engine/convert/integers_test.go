//go:build unix

package convert_test

import (
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelfile"
	"conch/engine/convert"
)

// An LSTM has an INT8 form for its weights alone. What it becomes is known as INT8 by its name, also where people choose a version.
func TestLSTM(t *testing.T) {
	model := makeModel(t, "lstm")
	dir, r, steps, err := run(t, convert.Job{Target: convert.INT8, Model: model, Dynamic: true, Requests: rows(2, 64)})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(steps, "\n"))
	}
	if d := r.Outputs[0].Difference; d.Elements != 512 || d.Cosine < 0.99 || r.BytesAfter > r.BytesBefore/2 {
		t.Errorf("%+v", r)
	}
	made := filepath.Join(dir, convert.Made, "model.onnx")
	if got := modelfile.Narrowed(made); got != "INT8" {
		t.Errorf("it is taken for %q", got)
	}
	const again = "the model is quantized already, by DynamicQuantizeLSTM"
	if _, _, _, err := run(t, convert.Job{Target: convert.INT8, Model: made, Dynamic: true}); err == nil || !strings.HasPrefix(err.Error(), again) {
		t.Errorf("once more: %v", err)
	}
	const want = "nothing in this model can be turned to INT8 by calibration, but LSTM can without: convert the weights alone"
	if _, _, _, err := run(t, convert.Job{Target: convert.INT8, Model: model, Requests: rows(2, 64)}); err == nil || err.Error() != want {
		t.Errorf("calibrated: %v", err)
	}
}
