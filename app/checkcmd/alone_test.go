package checkcmd_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"conch/app/checkcmd"
)

// code matches a finding's code in an answer as text.
var code = regexp.MustCompile(`(error|warning).*\[([A-Z][A-Z0-9-]*)\]`)

// TestFileAlone: a file by itself is judged by its text only, not by what its folder would have.
func TestFileAlone(t *testing.T) {
	tensor := func(more string) string {
		return `input { name: "a" data_type: TYPE_FP32 dims: [ 1 ] ` + more + ` } output { name: "b" data_type: TYPE_FP32 dims: [ 1 ] }`
	}
	const steps = `input { name: "a" data_type: TYPE_FP32 dims: 1 } output { name: "b" data_type: TYPE_FP32 dims: 1 }
ensemble_scheduling { step { model_name: "m" model_version: -1 input_map { key: "x" value: "a" } output_map { key: "y" value: "%" } } }`
	for name, c := range map[string]struct{ text, dir, want string }{
		"a shape tensor of what may be a plan":     {tensor("is_shape_tensor: true"), "", ""},
		"a non-linear format of what may be one":   {tensor("is_non_linear_format_io: true"), "", ""},
		"a profile of what may be one":             {`instance_group { kind: KIND_GPU profile: "0" }`, "", ""},
		"a shape tensor of a plan":                 {`backend: "tensorrt" ` + tensor("is_shape_tensor: true"), "", ""},
		"a shape tensor of another model":          {`backend: "python" ` + tensor("is_shape_tensor: true"), "", "error IO12"},
		"a profile of another model":               {`backend: "python" instance_group { kind: KIND_GPU profile: "0" }`, "", "error IG9"},
		"a platform that files tell":               {`backend: "tensorflow"`, "", ""},
		"a backend and another's platform":         {`backend: "tensorflow" platform: "onnxruntime_onnx"`, "", "error G5"},
		"an empty reshape that files may explain":  {tensor("reshape { }"), "", "warning IO4"},
		"a folder with a dot that may hold a file": {`max_batch_size: 4`, "resnet.v2/", ""},
		"an ensemble that does not say so":         {strings.Replace(steps, "%", "b", 1), "", "error AC1"},
		"such an ensemble that is wired wrongly":   {strings.Replace(steps, "%", "c", 1), "", "error AC1, error E12"},
		"an ensemble that is right":                {`platform: "ensemble" ` + strings.Replace(steps, "%", "b", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := "m/config.pbtxt"
			if c.dir != "" {
				file = c.dir + "config.pbtxt"
			}
			dir := lay(t, map[string]string{file: c.text})
			_, out := judged(t, checkcmd.Options{}, dir+"/"+file)
			var said []string
			for _, m := range code.FindAllStringSubmatch(out, -1) {
				said = append(said, m[1]+" "+m[2])
			}
			slices.Sort(said)
			if got := strings.Join(said, ", "); got != c.want {
				t.Errorf("got %q, want %q\n%s", got, c.want, out)
			}
		})
	}
}

// TestFileInFolder: with FilesInFolders a config is judged as its model's folder, in the repository
// around it, where that folder has a version.
func TestFileInFolder(t *testing.T) {
	const wiring = `platform: "ensemble" input { name: "a" data_type: TYPE_FP32 dims: 1 } output { name: "b" data_type: TYPE_FP32 dims: 1 }
ensemble_scheduling { step { model_name: "lost" model_version: -1 input_map { key: "x" value: "a" } output_map { key: "y" value: "b" } } }`
	dir := lay(t, map[string]string{
		"whole/config.pbtxt": wiring, "whole/1/x": "", "alone/config.pbtxt": `backend: "python"`,
		"other/config.pbtxt": `max_batch_size: -1`, "other/1/model.py": model,
	})
	for file, want := range map[string]string{"whole": "[D1]", "alone": ""} {
		status, out := judged(t, checkcmd.Options{Files: checkcmd.FilesInFolders}, dir+"/"+file+"/config.pbtxt")
		if wrong := status != 0; wrong != (want != "") || !strings.Contains(out, want) || strings.Contains(out, "[G6]") {
			t.Errorf("%s: status %d, want %q\n%s", file, status, want, out)
		}
	}
	if status, out := judged(t, checkcmd.Options{}, dir+"/whole/config.pbtxt"); status != 0 {
		t.Errorf("alone: status %d\n%s", status, out)
	}
}
