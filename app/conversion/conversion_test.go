package conversion_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/language"
	"conch/engine/backend/onnx/onnxtest"
	"conch/repo/scan"
)

// model scans a model with a config and version folders.
func model(t *testing.T, config string, versions ...string) (conversion.Source, error) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "m")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "config.pbtxt"), config)
	for _, version := range versions {
		write(filepath.Join(dir, version), "")
	}
	m, found := language.As(scan.New(root).Scan(nil), language.Flags{}).Model("m")
	if !found {
		t.Fatal("there is no model")
	}
	return conversion.Of(m)
}

const onnx = "backend: \"onnxruntime\"\nmax_batch_size: 8\ninput [ { name: \"x\" data_type: TYPE_FP32 dims: [ 3, -1 ] } ]\n" +
	"output [ { name: \"y\" data_type: TYPE_FP32 dims: [ 2 ] label_filename: \"labels.txt\" } ]\n"

// What the version policy makes of a new version is told: served at once, beside others, or not.
func TestServing(t *testing.T) {
	for policy, want := range map[string]string{
		"":                           "Version 8 is served as soon as the model is loaded again, at once where it follows its files, and version 7 is not served any more",
		"version_policy: { all {} }": "Version 8 is served as soon as the model is loaded again, at once where it follows its files, beside versions 1, 7.",
		"version_policy: { specific { versions: [ 1 ] } }": "does not name version 8: it is not served until you change the policy",
	} {
		source, err := model(t, onnx+policy, "1/model.onnx", "7/model.onnx")
		if err != nil {
			t.Fatal(err)
		}
		if got := source.Serving(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", policy, got)
		}
		if in := source.Inputs()[0]; len(in.Shape) != 3 || in.Shape[0] != -1 || in.Datatype != "FP32" {
			t.Errorf("input %v", in)
		}
	}
}

// What cannot be converted says why.
func TestUnfit(t *testing.T) {
	for want, given := range map[string][2]string{
		"m is not an ONNX model":                  {"backend: \"python\"", "1/model.py"},
		"no version of m has the file other.onnx": {onnx + "default_model_filename: \"other.onnx\"", "1/model.onnx"},
		"lies in a folder of its version":         {onnx + "default_model_filename: \"a/b.onnx\"", "1/a/b.onnx"},
		"is run by a program of its own":          {onnx + "runtime: \"model.py\"", "1/model.onnx"},
	} {
		if _, err := model(t, given[0], given[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	source, err := model(t, onnx, "1/model.onnx", "2/other.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Version(2, "fp16"); err == nil || !strings.Contains(err.Error(), "m has no version 2 with the file model.onnx") {
		t.Errorf("%v", err)
	}
	if source.Next() != 3 {
		t.Errorf("the next version is %d", source.Next())
	}
}

// The config of a plan's model has the tensors of the plan, batches as large as its profiles take, and the labels of the ONNX model.
func TestPlanConfig(t *testing.T) {
	source, err := model(t, onnx+"dynamic_batching {}", "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	tensors := []*api.ConvertedTensor{
		{Name: "x", Datatype: "TYPE_FP32", Shape: []int64{-1, 3, -1}, Input: true},
		{Name: "y", Datatype: "TYPE_FP16", Shape: []int64{-1, 2}},
	}
	plan := &api.ConversionReport{Tensors: tensors, Profiles: 1, LargestBatch: 16}
	text := conversion.PlanConfig("m_trt", source.Config, plan)
	if strings.Contains(text, "profile") {
		t.Errorf("the only profile is named:\n%s", text)
	}
	for _, want := range []string{`name: "m_trt"`, `platform: "tensorrt_plan"`, "max_batch_size: 16", "dims: [ 3, -1 ]", "data_type: TYPE_FP16", `label_filename: "labels.txt"`, "KIND_GPU", "dynamic_batching"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	tensors[1].Shape = []int64{-1} // a number for each item of a batch
	if text := conversion.PlanConfig("m_trt", source.Config, plan); !strings.Contains(text, "dims: [ 1 ]\n    reshape {}") {
		t.Errorf("an output has no dims:\n%s", text)
	}
	tensors[1].Shape = []int64{-1, 2}
	source.Config.GetDynamicBatching().PreferredBatchSize = []int32{4, 16, 32}
	if text := conversion.PlanConfig("m_trt", source.Config, plan); !strings.Contains(text, "preferred_batch_size: [ 4, 16 ]") {
		t.Errorf("it prefers batches that no profile takes:\n%s", text)
	}
	if kept := source.Config.GetDynamicBatching().PreferredBatchSize; len(kept) != 3 {
		t.Errorf("the config of the ONNX model has %v", kept)
	}
	if text := conversion.PlanConfig("m_trt", source.Config, plan); strings.Contains(text, "gpus") {
		t.Errorf("GPUs are named where all run it:\n%s", text)
	}
	plan.Gpus = []int32{1, 3}
	if text := conversion.PlanConfig("m_trt", source.Config, plan); !strings.Contains(text, "gpus: [ 1, 3 ]") {
		t.Errorf("the GPUs of the builder's kind are not named:\n%s", text)
	}
	plan.Profiles = 3
	if text := conversion.PlanConfig("m_trt", source.Config, plan); !strings.Contains(text, `profile: [ "0", "1", "2" ]`) {
		t.Errorf("an instance has not all profiles:\n%s", text)
	}
	tensors[1].Shape = []int64{4, 2}
	if text := conversion.PlanConfig("m_trt", source.Config, plan); strings.Contains(text, "max_batch_size") || !strings.Contains(text, "dims: [ -1, 3, -1 ]") {
		t.Errorf("a plan with a fixed first size has no batches:\n%s", text)
	}
}

// anything takes each request.
func anything(*api.InferRequest) error { return nil }

// Requests and shapes are read as people write them, and what is wrong is told.
func TestTyped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests.json")
	read := func(text string) ([]*api.InferRequest, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return conversion.ReadRequests([]string{file}, anything)
	}
	one := `{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[[1,2]]}]}`
	if list, err := read("[" + one + "," + one + "]"); err != nil || len(list) != 2 || len(list[1].Inputs[0].GetRaw()) != 8 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := read(one); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	for text, want := range map[string]string{"{}": `it has no "inputs"`, "text": "not a request in the JSON", strings.Replace(one, "[1,2]", "[1,3]", 1): `does not fit together: input "x"`, one[:20]: "of the inference protocol: it ends in the middle"} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), file+" ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if r, err := conversion.ParseRange("a:b:1x64,8x64,32x64"); err != nil || r.Input != "a:b" || r.Largest[0] != 32 {
		t.Errorf("%v, %v", r, err)
	}
	for _, text := range []string{"", "x", "x:1,2", "x:1,2,a", ":1,2,3", "x:1,-2,3"} {
		if _, err := conversion.ParseRange(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// Files of requests are read up to a bound, together, also those that never end: all of it is held in memory.
func TestFilesOfRequestsAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests.json")
	one := []byte(`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[[1,2]]}]}`)
	if err := os.WriteFile(file, one, 0o600); err != nil {
		t.Fatal(err)
	}
	most := 2 * int64(len(one))
	if list, err := conversion.ReadRequestsUpTo([]string{file, file}, most); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	for _, files := range [][]string{{"/dev/zero"}, {file, file, file}} {
		last := files[len(files)-1]
		want := last + ": the files of requests have more than 144 B together, which Conch would hold in memory: name fewer or smaller ones"
		if _, err := conversion.ReadRequestsUpTo(files, most); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", files, err, want)
		}
	}
	if err := os.Truncate(file, 600_000_000); err != nil { // a file with a hole, which takes no room on the disk
		t.Fatal(err)
	}
	if _, err := conversion.ReadRequests([]string{file}, anything); err == nil || !strings.Contains(err.Error(), "more than 512 MiB together") {
		t.Errorf("%v", err)
	}
}

// The ranges of an input belong to profiles in turn; a single one belongs to all.
func TestProfiles(t *testing.T) {
	sorted := func(ranges ...string) (string, error) {
		var list []*api.ShapeRange
		for _, text := range ranges {
			r, err := conversion.ParseRange(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
		profiles, err := conversion.Profiles(list)
		var said []string
		for _, p := range profiles {
			for _, r := range p.Ranges {
				said = append(said, fmt.Sprint(r.Input, r.Best))
			}
			said = append(said, "|")
		}
		return strings.Join(said, " "), err
	}
	for want, ranges := range map[string][]string{
		"":                         nil,
		"a[2] b[5] |":              {"a:1,2,3", "b:4,5,6"},
		"b[5] a[2] | b[8] a[2] |":  {"b:4,5,6", "a:1,2,3", "b:7,8,9"},
		"a[2] b[5] | a[20] b[8] |": {"a:1,2,3", "a:1,20,30", "b:4,5,6", "b:7,8,9"},
	} {
		if got, err := sorted(ranges...); err != nil || got != want {
			t.Errorf("%v: %s, %v, want %s", ranges, got, err, want)
		}
	}
	want := "input a has 2 ranges, and input b has 3: an input has one range for each profile, or one for all"
	if _, err := sorted("a:1,2,3", "b:1,2,3", "a:1,2,3", "b:4,5,6", "b:4,5,6"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The size of a version is that of its model file with the weights beside it, and of no other file.
func TestSizeWithWeightsBeside(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx", "1/weights.bin", "1/notes.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
		Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Int32, Dims: []int64{2}, External: "weights.bin"}},
		Nodes:        []onnxtest.Node{{Op: "Add", Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
	}
	v := source.Versions[0]
	if err := os.WriteFile(filepath.Join(v.Dir, "model.onnx"), m.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Files = []scan.File{{Path: "model.onnx", Size: 891}, {Path: "notes.txt", Size: 5}, {Path: "weights.bin", Size: 470_000_000}}
	if got := source.Size(v); got != 470_000_891 {
		t.Errorf("%d bytes", got)
	}
}

// What FP16 or INT8 has been made of already is not made so again unasked: the newest other version is taken. TensorRT takes FP16, too.
func TestUsualVersion(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx", "2/model.onnx", "3/model.onnx", "4/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	put := func(version, weights int, op string) {
		t.Helper()
		m := onnxtest.Model{
			Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
			Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
			Initializers: []onnxtest.Initializer{{Name: "W", Type: weights, Dims: []int64{2}, Raw: make([]byte, 8)}},
			Nodes:        []onnxtest.Node{{Op: op, Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
		}
		if err := os.WriteFile(filepath.Join(source.Versions[version-1].Dir, "model.onnx"), m.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(1, onnxtest.Float, "Add")
	put(2, onnxtest.Float, "Mul")
	put(3, onnxtest.Float16, "Add")
	put(4, onnxtest.Float, "DequantizeLinear")
	var made []string
	for _, v := range source.Versions {
		made = append(made, source.Narrowed(v))
	}
	if got := strings.Join(made, ","); got != ",,FP16,INT8" {
		t.Errorf("they are %s", got)
	}
	for target, want := range map[string]int64{"fp16": 2, "int8": 2, conversion.Plan: 3} {
		if v, err := source.Version(0, target); err != nil || v.Number != want {
			t.Errorf("%s is made of version %d, want %d; %v", target, v.Number, want, err)
		}
		if v, err := source.Version(3, target); err != nil || v.Number != 3 {
			t.Errorf("%s of version 3 is of version %d; %v", target, v.Number, err)
		}
	}
	source.Versions = source.Versions[2:] // none is left that could become FP16: the newest says why
	if v, err := source.Version(0, "fp16"); err != nil || v.Number != 4 {
		t.Errorf("version %d, %v", v.Number, err)
	}
}
