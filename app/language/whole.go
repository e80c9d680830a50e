package language

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"regexp"

	"conch/configedit/backends"
)

// BeginFromFolder says what a folder is that is a model itself, and no model's folder: a saved model of TensorFlow, or the checkpoint
// of a T5. known is false for any other folder; the error says why one that is known cannot be a model.
func BeginFromFolder(name string, fsys fs.FS) (b Beginning, known bool, err error) {
	if _, err := fs.Stat(fsys, backends.SavedModel.Inside); err == nil {
		b, err = beginSaved(fsys)
		return b, true, err
	}
	if ini, err := readSmall(fsys, "config.ini"); err == nil && stacks.Match(ini) {
		return beginT5(), true, nil
	}
	text, err := readSmall(fsys, "config.json")
	if err != nil {
		return b, false, nil
	}
	var config struct {
		Type string `json:"model_type"`
	}
	switch err := json.Unmarshal(text, &config); {
	case err == nil && (config.Type == "t5" || config.Type == "mt5"):
		return beginT5(), true, nil
	case err == nil && config.Type != "":
		return b, true, fmt.Errorf("%s is a model of Hugging Face of the kind %q; of these Conch runs t5 and mt5. Export it to ONNX, or write a Python model that loads it", name, config.Type)
	}
	return b, false, nil
}

func beginSaved(fsys fs.FS) (b Beginning, err error) {
	f, err := fsys.Open(backends.SavedModel.Inside)
	if err != nil {
		return b, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return b, err
	}
	b, err = BeginFrom(backends.SavedModel.Inside, f.(io.ReaderAt), info.Size())
	b.File, b.Whole = backends.SavedModel.File, true
	return b, err
}

// mostConfig is far more than the description of a checkpoint has.
const mostConfig = 1 << 20

func readSmall(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, mostConfig))
	return text, cmp.Or(err, f.Close())
}

// stacks is what a config.ini of a model with an encoder and a decoder has.
var stacks = regexp.MustCompile(`(?s)\[encoder\].*\[decoder\]`)

func beginT5() Beginning {
	return Beginning{
		Backend: backends.Named(backends.FasterTransformer), File: "t5", Whole: true, Config: []byte(t5Config),
		Note: "The config has the inputs that people use most; others of FasterTransformer, such as len_penalty and is_return_log_probs, can be added.",
	}
}

// t5Config is a first config of a T5 (docs/triton/backends.md, "FasterTransformer").
const t5Config = `backend: "fastertransformer"
default_model_filename: "t5"
max_batch_size: 8
input [
  { name: "input_ids" data_type: TYPE_UINT32 dims: [ -1 ] },
  { name: "sequence_length" data_type: TYPE_UINT32 dims: [ 1 ] reshape: { shape: [ ] } },
  { name: "max_output_len" data_type: TYPE_UINT32 dims: [ 1 ] reshape: { shape: [ ] } },
  { name: "beam_width" data_type: TYPE_UINT32 dims: [ 1 ] reshape: { shape: [ ] } optional: true },
  { name: "runtime_top_k" data_type: TYPE_UINT32 dims: [ 1 ] reshape: { shape: [ ] } optional: true },
  { name: "runtime_top_p" data_type: TYPE_FP32 dims: [ 1 ] reshape: { shape: [ ] } optional: true },
  { name: "temperature" data_type: TYPE_FP32 dims: [ 1 ] reshape: { shape: [ ] } optional: true }
]
output [
  { name: "output_ids" data_type: TYPE_INT32 dims: [ -1, -1 ] },
  { name: "sequence_length" data_type: TYPE_INT32 dims: [ -1 ] }
]
instance_group [ { count: 1 kind: KIND_CPU } ]
parameters { key: "model_type" value { string_value: "T5" } }
parameters { key: "data_type" value { string_value: "fp32" } }
`
