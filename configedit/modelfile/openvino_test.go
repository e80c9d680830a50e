package modelfile_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"conch/configedit/derive"
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

// The layouts of a file say whether its tensors have a batch. The file is one of OpenVINO 2026.
func TestReadOpenVINOLayouts(t *testing.T) {
	text, err := os.ReadFile("testdata/openvino/layouts.xml")
	if err != nil {
		t.Fatal(err)
	}
	const layout = `layout="[N,C]"`
	output := strings.LastIndex(string(text), layout)
	for given, want := range map[string]bool{
		layout: true, `layout="NC"`: true, `layout="[...,batch]"`: true, `layout="[N,...]"`: true,
		`layout="[C,H]"`: false, `layout="[NEW,C]"`: false, `layout="SCALAR"`: false, `layout=""`: false, `other="[N,C]"`: false,
	} {
		model, err := readXML(string(text[:output]) + given + string(text[output+len(layout):]))
		if err != nil || model.Batches != want {
			t.Errorf("%s: %+v, %v", given, model, err)
		}
	}
	if model, err := readXML(strings.Replace(string(text), layout, `layout="C"`, 1)); err != nil || model.Batches {
		t.Errorf("an input without a batch: %+v, %v", model, err)
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
	for text, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-1"?><net></net>`: `the file says that its encoding is "ISO-8859-1", and Conch reads UTF-8 alone`,
		`<?xml version="1.1"?><net></net>`:                       `Conch does not read such XML: unsupported version "1.1"; only version 1.0 is supported`,
	} {
		var wrong *modelfile.Error
		if _, err := readXML(text); !errors.As(err, &wrong) || wrong.Message != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	loop := `<net><layers><layer id="0" name="loop" type="Loop"><body><layers><layer id="0" name="inner" type="Parameter"/></layers></body></layer></layers></net>`
	if model, err := readXML(loop); err != nil || len(model.Inputs) != 0 {
		t.Errorf("the graph of a loop: %v, %v", model, err)
	}
}

// A small file that would take very much memory takes little, and is refused.
func TestReadOpenVINOIsBounded(t *testing.T) {
	const mega = 1 << 20
	in := func(layer string) string { return "<net><layers>" + layer + "</layers></net>" }
	for text, want := range map[string]string{
		"<net>" + strings.Repeat("<a>", 5*mega):                                                               "100 elements in one another",
		in("<layer>" + strings.Repeat("<a>", 5*mega)):                                                         "100 elements in one another",
		in(`<layer type="Parameter"><data shape="` + strings.Repeat(",", 10*mega) + `"/></layer>`):            "more than 1 MiB",
		in(`<layer type="Result" output_names="` + strings.Repeat(",", 10*mega) + `"/>`):                      "more than 1 MiB",
		"<net " + strings.Repeat(`a="" `, mega) + "></net>":                                                   "more than 1 MiB",
		in(`<layer type="Result"><input><port>` + strings.Repeat("<dim/>", mega) + `</port></input></layer>`): "more than 16384 <dim>",
		in(`<layer type="Result"><output>` + strings.Repeat("<port/>", mega) + `</output></layer>`):           "more than 16384 <port>",
		in(strings.Repeat(`<layer type="Result"/>`, mega)):                                                    "more than 16384 inputs or outputs",
		in(strings.Repeat(`<layer type="Parameter"/>`, mega)):                                                 "more than 16384 inputs or outputs",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readXML(text)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "which Conch does not read") {
			t.Errorf("%.60s: %v", text, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 80 {
			t.Errorf("%.60s took %d MiB", text, took)
		}
	}
}

func FuzzReadOpenVINO(f *testing.F) {
	text, err := os.ReadFile(mixed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("version https://git-lfs.github.com/spec/v1\n")
	f.Add(`<?xml version="1.0" encoding="latin1"?><!DOCTYPE net [<!ENTITY a "b">]><a:net xmlns:a="b"><layers><layer/></layers><edges><edge/></edges>&a;</a:net>`)
	f.Fuzz(func(t *testing.T, text string) {
		model, err := readXML(text)
		if (model == nil) == (err == nil) {
			t.Fatalf("model %v, error %v", model, err)
		}
		var wrong *modelfile.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("no error for people: %v", err)
		}
		if err == nil {
			_, _, _ = derive.Effective(nil, derive.Facts{ModelName: "m", Files: []derive.File{{Name: "model.xml"}}, OpenVINO: model, AutoComplete: true})
		}
	})
}
