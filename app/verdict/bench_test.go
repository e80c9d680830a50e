package verdict_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"conch/app/verdict"
)

// BenchmarkThousandModels judges 1,000 models with 10,000 files, every tenth an ensemble. It must stay under 1 s.
func BenchmarkThousandModels(b *testing.B) {
	dir := b.TempDir()
	model, err := os.ReadFile(root + "/examples/repository/add_sub/1/model.onnx")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		files := map[string]string{}
		if name := fmt.Sprintf("m%d", i); i%10 == 9 {
			files[name+"/config.pbtxt"] = fmt.Sprintf(benchEnsemble, i-1, i-2)
			files[name+"/1/.keep"] = ""
		} else {
			files[name+"/config.pbtxt"] = benchModel
			files[name+"/1/model.onnx"] = string(model)
			files[name+"/labels.txt"] = "a\nb\n"
		}
		for j := len(files); j < 10; j++ {
			files[fmt.Sprintf("m%d/note%d.txt", i, j)] = "x"
		}
		for path, content := range files {
			at := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if status := verdict.Run(b.Context(), []string{dir}, verdict.Options{}, &out); status != 0 {
			b.Fatal(out.String())
		}
	}
}

const benchModel = `backend: "onnxruntime"
max_batch_size: 8
input [ { name: "INPUT0" data_type: TYPE_INT32 dims: [ 16 ] }, { name: "INPUT1" data_type: TYPE_INT32 dims: [ 16 ] } ]
output [ { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 16 ] label_filename: "labels.txt" }, { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 16 ] } ]
dynamic_batching { }
`

const benchEnsemble = `platform: "ensemble"
max_batch_size: 8
input [ { name: "A" data_type: TYPE_INT32 dims: [ 16 ] }, { name: "B" data_type: TYPE_INT32 dims: [ 16 ] } ]
output [ { name: "C" data_type: TYPE_INT32 dims: [ 16 ] } ]
ensemble_scheduling {
  step [
    {
      model_name: "m%d"
      model_version: -1
      input_map { key: "INPUT0" value: "A" }
      input_map { key: "INPUT1" value: "B" }
      output_map { key: "OUTPUT0" value: "sum" }
    },
    {
      model_name: "m%d"
      model_version: -1
      input_map { key: "INPUT0" value: "sum" }
      input_map { key: "INPUT1" value: "B" }
      output_map { key: "OUTPUT0" value: "C" }
    }
  ]
}
`
