package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/modelconfig"
)

// large is an ensemble of five steps with many tensors, 400 lines, and the model that its steps use.
func large() map[string]string {
	const tensors = 15
	var model, head, steps, onnx strings.Builder
	fmt.Fprintf(&model, "backend: \"onnxruntime\"\nmax_batch_size: 8\n")
	fmt.Fprintf(&head, "platform: \"ensemble\"\nmax_batch_size: 8\n")
	for i := range tensors {
		fmt.Fprintf(&model, "input [ { name: \"in%d\" data_type: TYPE_FP32 dims: [ 4 ] } ]\noutput [ { name: \"out%d\" data_type: TYPE_FP32 dims: [ 4 ] } ]\n", i, i)
		fmt.Fprintf(&onnx, "input in%d TYPE_FP32 [-1, 4]\noutput out%d TYPE_FP32 [-1, 4]\n", i, i)
		fmt.Fprintf(&head, "input {\n  name: \"t0_%d\"\n  data_type: TYPE_FP32\n  dims: [ 4 ]\n}\noutput {\n  name: \"t5_%d\"\n  data_type: TYPE_FP32\n  dims: [ 4 ]\n}\n", i, i)
	}
	for s := range 5 {
		fmt.Fprintf(&steps, "  step {\n    model_name: \"inner\"\n    model_version: -1\n")
		for i := range tensors {
			fmt.Fprintf(&steps, "    input_map { key: \"in%d\" value: \"t%d_%d\" }\n    output_map { key: \"out%d\" value: \"t%d_%d\" }\n", i, s, i, i, s+1, i)
		}
		fmt.Fprintf(&steps, "  }\n")
	}
	return map[string]string{
		"inner/config.pbtxt": model.String(), "inner/1/model.onnx": onnx.String(), "big/1/.keep": "",
		"big/config.pbtxt": head.String() + "ensemble_scheduling {\n" + steps.String() + "}\n",
	}
}

// BenchmarkCheck parses and checks a large ensemble, as every keystroke does. It must stay under 3 ms.
func BenchmarkCheck(b *testing.B) {
	files := large()
	r := checktest.New(b, files)
	m, _ := r.Model("big")
	if list := check.Check(m, r); len(list) > 0 {
		b.Fatalf("the benchmark's ensemble is wrong: %s", list[0].Message)
	}
	src := []byte(files["big/config.pbtxt"])
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		m.Decoded, m.Syntax = modelconfig.Parse("config.pbtxt", src)
		m.Effective = m.Decoded.Config
		check.Check(m, r)
		check.Graph(m, r)
		check.Hints(m)
	}
}

// BenchmarkJudge parses and checks the same ensemble, and no more: what conch check does of each model.
func BenchmarkJudge(b *testing.B) {
	files := large()
	r := checktest.New(b, files)
	m, _ := r.Model("big")
	src := []byte(files["big/config.pbtxt"])
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		m.Decoded, m.Syntax = modelconfig.Parse("config.pbtxt", src)
		m.Effective = m.Decoded.Config
		check.Check(m, r)
	}
}

// TestLinear: neither a config of 2 MB that is right nor one that is wrong everywhere takes long, and what is
// said about it stays readable.
func TestLinear(t *testing.T) {
	for _, input := range []string{
		"input { name: \"in%d\" data_type: TYPE_FP32 dims: [ 4 ] }\n",
		"input { name: \"in%d\" dims: [ 0 ] }\n",
	} {
		var src strings.Builder
		src.WriteString("backend: \"python\"\nmax_batch_size: 8\n")
		for i := range 30_000 {
			fmt.Fprintf(&src, input, i)
		}
		r := checktest.New(t, map[string]string{"m/config.pbtxt": src.String(), "m/1/model.py": "x"})
		m, _ := r.Model("m")
		begun := time.Now()
		list := check.Check(m, r)
		check.Hints(m)
		if took := time.Since(begun); took > 20*time.Second || len(list) > 200 {
			t.Errorf("%s took %s for %d diagnostics", input, took, len(list))
		}
	}
}

// TestLargeEnsemble: a step with thousands of tensors, right and all wrong.
func TestLargeEnsemble(t *testing.T) {
	for _, suffix := range []string{"", "x"} {
		var model, src strings.Builder
		model.WriteString("backend: \"python\"\n")
		src.WriteString("platform: \"ensemble\"\nensemble_scheduling { step { model_name: \"inner\" model_version: -1\n")
		for i := range 5_000 {
			fmt.Fprintf(&model, "input { name: \"i%d\" data_type: TYPE_FP32 dims: 1 }\noutput { name: \"o%d\" data_type: TYPE_FP32 dims: 1 }\n", i, i)
			fmt.Fprintf(&src, "input_map { key: \"i%d%s\" value: \"a%d%s\" } output_map { key: \"o%d\" value: \"b%d%s\" }\n", i, suffix, i, suffix, i, i, suffix)
		}
		src.WriteString("} }\n")
		for i := range 5_000 {
			fmt.Fprintf(&src, "input { name: \"a%d\" data_type: TYPE_FP32 dims: 1 }\noutput { name: \"b%d\" data_type: TYPE_FP32 dims: 1 }\n", i, i)
		}
		r := checktest.New(t, map[string]string{
			"inner/config.pbtxt": model.String(), "inner/1/model.py": "x", "big/config.pbtxt": src.String(), "big/1/.keep": "",
		})
		m, _ := r.Model("big")
		begun := time.Now()
		list := check.Check(m, r)
		check.Graph(m, r)
		if took := time.Since(begun); took > 20*time.Second || (len(list) > 0) != (suffix != "") {
			t.Errorf("%q: %s for %d diagnostics", suffix, took, len(list))
		}
	}
}
