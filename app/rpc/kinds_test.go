package rpc

import (
	"slices"
	"testing"

	"conch/app/language"
	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// TestListKinds: each kind has a label, a note and a first config that names its backend. Kinds that the
// engine lacks come last and say why they cannot run.
func TestListKinds(t *testing.T) {
	lacks := func(backend string) string {
		if backend == backends.ONNXRuntime {
			return ""
		}
		return language.CannotRun(backend)
	}
	var runs, others []string
	for _, k := range kinds(lacks, nil) {
		decoded, found := modelconfig.Parse("config.pbtxt", []byte(language.Begin("m", k.Backend)))
		if cfg := decoded.Config; diag.HasErrors(found) || cfg.Backend != k.Backend && cfg.Platform != k.Backend {
			t.Errorf("%s: the config is for backend %q and platform %q, %v", k.Label, cfg.Backend, cfg.Platform, found)
		}
		if k.Label == "" || k.Note == "" {
			t.Errorf("%v says too little", k)
		}
		if k.Lacks == "" {
			runs = append(runs, k.Label+" "+k.Note)
			if len(others) > 0 {
				t.Errorf("%s runs here and comes after %q", k.Label, others)
			}
			continue
		}
		others = append(others, k.Backend)
		if want := `This engine has no backend "` + k.Backend + `". ` + k.Label + " models can be made, edited, checked and exported here, and run where a Triton has it."; k.Lacks != want {
			t.Errorf("%s lacks %q, want %q", k.Label, k.Lacks, want)
		}
	}
	if want := []string{"ONNX runs model.onnx", "Ensemble joins other models"}; !slices.Equal(runs, want) {
		t.Errorf("%q run here, want %q", runs, want)
	}
	if all := kinds(func(string) string { return "" }, nil); all[0].Backend != backends.ONNXRuntime {
		t.Errorf("the first kind is %q where all run", all[0].Label)
	}
	if !slices.Contains(others, backends.Python) || !slices.Contains(others, backends.TensorRT) {
		t.Errorf("%q cannot run here", others)
	}
}

// TestKindsWithoutPackages: a kind whose packages are missing comes after all that run, and before those that cannot.
func TestKindsWithoutPackages(t *testing.T) {
	lacks := func(backend string) string {
		if backend == backends.TensorRT {
			return language.CannotRun(backend)
		}
		return ""
	}
	var order []string
	for _, k := range kinds(lacks, map[string]string{backends.PyTorch: "torch is not installed", backends.OpenVINO: "openvino is not installed"}) {
		switch {
		case k.Lacks != "":
			order = append(order, "cannot run")
		case k.Needs != "":
			order = append(order, "lacks packages")
		default:
			order = append(order, "runs")
		}
	}
	if got, want := slices.Compact(order), []string{"runs", "lacks packages", "cannot run"}; !slices.Equal(got, want) {
		t.Errorf("kinds come as %q, want %q", got, want)
	}
}
