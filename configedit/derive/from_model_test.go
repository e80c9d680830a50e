package derive_test

import (
	"bytes"
	"strings"
	"testing"

	"conch/configedit/check/checktest"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// TestFromSavedModel makes configs from signatures, and says where it cannot.
func TestFromSavedModel(t *testing.T) {
	const one = "signature serving_default x\n"
	for lines, want := range map[string]string{
		"graph serve\n" + one + "input image 1 [-1, 64]\noutput scores 1 [-1, 10]\n": "max_batch_size: 4 input [ { name: \"image\" data_type: TYPE_FP32 dims: [ 64 ] } ]",
		"graph serve\n" + one + "input image 1 [2, 64]\noutput scores 3 []\n":        "dims: [ 2, 64 ] } ] output [ { name: \"scores\" data_type: TYPE_INT32 dims: [ 1 ] } ]",
		"graph serve\n" + one + "input image 1 [-1]\noutput scores 1 [-1]\n":         "max_batch_size: 4 input [ { name: \"image\" data_type: TYPE_FP32 dims: [ 1 ] reshape {} } ]",
		"graph train\n" + one:                                     "error: the saved model has no graph with the tag serve alone",
		"graph serve\nsignature a x\nsignature b x\n":             "error: the saved model has several signatures",
		"graph serve\nsignature __saved_model_init_op x\n":        "expected 'serving_default' signature",
		"graph serve\nsignature a x\ninput image 1 [-1, 64]\n":    "name: \"image\"",
		"graph serve\n" + one + "input image 7 ?\noutput o 7 ?\n": "data_type: TYPE_STRING dims: [ 1 ]",
	} {
		data := checktest.SavedModel(t, lines)
		model, err := modelfile.ReadSavedModel(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		got := "error: "
		if cfg, _, err := derive.FromFacts(derive.Facts{SavedModel: model}); err != nil {
			got += err.Error()
		} else {
			if problems := derive.CheckSavedModel(cfg, model, true); len(problems) > 0 {
				t.Errorf("%s\nthe file does not take its config: %v", lines, problems[0])
			}
			got = strings.Join(strings.Fields(string(modelconfig.PrintText(cfg))), " ")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\ngot %s\nwant %s", lines, got, want)
		}
	}
}

// TestFromFacts: which file counts, and what to say without one.
func TestFromFacts(t *testing.T) {
	if _, _, err := derive.FromFacts(derive.Facts{}); err == nil || !strings.Contains(err.Error(), "no model file") {
		t.Errorf("nothing: %v", err)
	}
	if cfg, filled, err := derive.FromFacts(derive.Facts{Plan: &modelfile.Plan{}}); err != nil || cfg.Backend != "tensorrt" || len(filled) == 0 {
		t.Errorf("a plan: %v, %v, %v", cfg, filled, err)
	}
}
