package python_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/backendtest"
	"conch/engine/backend/python"
	"conch/engine/tensor"
)

// xml is an OpenVINO model of one input and one output without a batch.
const xml = `<net><layers>
<layer id="0" name="x" type="Parameter"><data shape="2,3" element_type="f32"/><output><port id="0" names="x"/></output></layer>
<layer id="1" name="y" type="Result" output_names="y"><input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input></layer>
</layers></net>`

// modelOfXML is a model of the OpenVINO backend with this file.
func modelOfXML(t *testing.T, text string) backend.Spec {
	t.Helper()
	spec := specOf(t, "", &modelconfig.ModelConfig{Name: "m", Backend: "openvino", DefaultModelFilename: "model.xml"})
	spec.File = filepath.Join(spec.VersionDir, "model.xml")
	if err := os.WriteFile(spec.File, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return spec
}

// A config is completed from the file where that tells all: the Python of this test has no OpenVINO, and its import would fail.
func TestFilesThatTellAllNeedNoFramework(t *testing.T) {
	b := newBackend(t).Based(python.Program{Name: "openvino"})
	spec := modelOfXML(t, xml)
	cfg, err := b.Complete(t.Context(), spec)
	if err != nil || len(cfg.Input) != 1 || len(cfg.Output) != 1 || cfg.Input[0].Name != "x" || len(cfg.Output[0].Dims) != 2 {
		t.Errorf("%v, %v", cfg, err)
	}
	if len(spec.Config.Input) != 0 {
		t.Error("the config of the model was changed")
	}
	graph := specOf(t, "", config(backendtest.Shape{Type: tensor.FP32, Dims: []int64{2}}, "x", "y"))
	graph.Config.Backend, graph.Config.Platform = "tensorflow", "tensorflow_graphdef"
	if cfg, err := newBackend(t).Based(python.Program{Name: "tensorflow"}).Complete(t.Context(), graph); err != nil || len(cfg.Input) != 1 {
		t.Errorf("a graph: %v, %v", cfg, err)
	}
	for _, text := range []string{"<net>", "<net/>", "TFL3"} {
		if cfg, err := b.Complete(t.Context(), modelOfXML(t, text)); err == nil {
			t.Errorf("%q: OpenVINO was not asked: %v", text, cfg)
		}
	}
}

// A backend of somebody else completes configs itself, whatever its name is.
func TestOtherProgramsCompleteThemselves(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{"model.py": `
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.set_max_batch_size(7)
        return config
`})
	cfg, err := newBackend(t).Based(python.Program{Name: "openvino", Dir: dir}).Complete(t.Context(), modelOfXML(t, xml))
	if err != nil || cfg.MaxBatchSize != 7 || len(cfg.Input) != 0 {
		t.Errorf("%v, %v", cfg, err)
	}
}
