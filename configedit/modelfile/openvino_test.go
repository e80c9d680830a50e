package modelfile_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"conch/configedit/modelfile"
)

// mixed is a model with tensors of many kinds, as OpenVINO 2026 wrote it.
const mixed = "testdata/openvino/mixed.xml"

func readXML(text string) (*modelfile.OpenVINO, error) {
	return modelfile.ReadOpenVINO(strings.NewReader(text), int64(len(text)))
}

func TestReadOpenVINO(t *testing.T) {
	text, err := os.ReadFile(mixed)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"new": string(text),
		// Until 2024 the names of outputs were at the ports that they come from alone.
		"old": strings.NewReplacer(` output_names="a1,r1"`, "", ` output_names="s2"`, "", ` output_names="d2"`, "", ` output_names="Result_14"`, "", ` output_names="adata,with\,comma,zdata"`, "").Replace(string(text)),
	} {
		model, err := readXML(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, list := range [][]modelfile.Tensor{model.Inputs, model.Outputs} {
			for _, tensor := range list {
				fmt.Fprintln(&got, tensor.Name, tensor.Type, tensor.Sizes(), tensor.Shaped)
			}
		}
		want := `adata TYPE_FP32 [-1 4] true
scalar TYPE_INT64 [] true
dyn TYPE_FP16 [] false
bounded TYPE_BOOL [-1 3] true
a1 TYPE_FP32 [-1 4] true
s2 TYPE_INT64 [] false
d2 TYPE_FP16 [] false
Result_14 TYPE_BOOL [-1 3] true
adata TYPE_FP32 [-1 4] true
`
		if got.String() != want {
			t.Errorf("%s: read\n%s", name, got.String())
		}
	}
	for size := range len(text) - len("\n</net>\n") {
		var wrong *modelfile.Error
		if _, err := readXML(string(text[:size])); !errors.As(err, &wrong) || !wrong.Truncated {
			t.Fatalf("cut at %d: %v", size, err)
		}
	}
}

func TestReadWhatIsNoOpenVINO(t *testing.T) {
	for text, want := range map[string]string{
		"<html></html>":                                "it begins with <html>",
		"<net><layers></net>":                          "line 1 is no XML",
		"<net><other><x/></other>":                     "ends inside the model",
		"version https://git-lfs.github.com/spec/v1\n": "Git LFS pointer",
	} {
		if _, err := readXML(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	loop := `<net><layers><layer id="0" name="loop" type="Loop"><body><layers><layer id="0" name="inner" type="Parameter"/></layers></body></layer></layers></net>`
	if model, err := readXML(loop); err != nil || len(model.Inputs) != 0 {
		t.Errorf("the graph of a loop: %v, %v", model, err)
	}
}
