package modelfolder_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
)

// addSub is a model of the tests of modelfile.
func addSub(t *testing.T) *fstest.MapFile {
	t.Helper()
	data, err := os.ReadFile("../modelfile/testdata/header/add_sub.onnx")
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: data}
}

// counted counts the files that are opened.
type counted struct {
	fstest.MapFS
	opened int
}

func (c *counted) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".onnx") {
		c.opened++
	}
	return c.MapFS.Open(name)
}

func TestRead(t *testing.T) {
	fsys := fstest.MapFS{"1/model.onnx": addSub(t), "2/model.onnx/model.onnx": addSub(t), "3/model.onnx": {Data: []byte("no model")}}
	for version, want := range map[string]string{"1": "1/model.onnx", "2": "2/model.onnx/model.onnx", "3": "3/model.onnx", "4": "4/model.onnx", "": ""} {
		r, err := modelfolder.Read(fsys, modelfolder.Question{Name: "m", Version: version})
		if err != nil || r.File != want {
			t.Errorf("version %q: %q, %v; want %q", version, r.File, err, want)
		}
		if read := version == "1" || version == "2"; (r.Facts.ONNX != nil) != read || (r.Broken != nil) != (version == "3") {
			t.Errorf("version %q: read %v, broken %v", version, r.Facts.ONNX != nil, r.Broken)
		}
		if len(r.Facts.Files) != 1 || r.Facts.Files[0].Name != "model.onnx" {
			t.Errorf("version %q: the first folder holds %v", version, r.Facts.Files)
		}
	}
	if _, err := modelfolder.Read(os.DirFS("/nowhere/at/all"), modelfolder.Question{Name: "m"}); err == nil {
		t.Error("a folder that is not there: no error")
	}
}

// A config with other tensors means the same file, which is not read again; one with another file name means another.
func TestAgain(t *testing.T) {
	fsys := &counted{MapFS: fstest.MapFS{"1/model.onnx": addSub(t), "1/other.onnx": addSub(t)}}
	question := func(cfg *modelconfig.ModelConfig) modelfolder.Question {
		return modelfolder.Question{Name: "m", Config: cfg, Version: "1"}
	}
	r, err := modelfolder.Read(fsys, question(nil))
	if err != nil || fsys.opened != 1 {
		t.Fatalf("opened %d files, %v", fsys.opened, err)
	}
	same := r.Again(fsys, question(&modelconfig.ModelConfig{MaxBatchSize: 8}))
	if fsys.opened != 1 || same.Facts.ONNX != r.Facts.ONNX {
		t.Errorf("the same file was read again")
	}
	other := r.Again(fsys, question(&modelconfig.ModelConfig{Backend: "onnxruntime", DefaultModelFilename: "other.onnx"}))
	if fsys.opened != 2 || other.File != "1/other.onnx" || other.Facts.ONNX == nil {
		t.Errorf("another file: opened %d, %q", fsys.opened, other.File)
	}
	for _, cfg := range []*modelconfig.ModelConfig{
		{Backend: "onnxruntime", DefaultModelFilename: "../2/model.onnx"}, {Backend: "python"}, {Backend: "onnxruntime", Runtime: "model.py"},
	} {
		if none := r.Again(fsys, question(cfg)); none.File != "" || none.Facts.ONNX != nil {
			t.Errorf("%v: read %q", cfg, none.File)
		}
	}
}

// OpenVINO reads an ONNX file, too: such a name says nothing of a broken model.xml.
func TestReadOtherFormsOfOpenVINO(t *testing.T) {
	fsys := fstest.MapFS{"1/model.onnx": addSub(t), "1/model.xml": {Data: []byte("<net></net>")}}
	for file, known := range map[string]bool{"": true, "model.onnx": false} {
		cfg := &modelconfig.ModelConfig{Backend: "openvino", DefaultModelFilename: file}
		r, err := modelfolder.Read(fsys, modelfolder.Question{Name: "m", Version: "1", Config: cfg})
		if err != nil || r.Broken != nil || (r.Facts.OpenVINO != nil) != known || r.Facts.ONNX != nil {
			t.Errorf("%q: %+v, %v, %v", file, r.Facts, r.Broken, err)
		}
	}
}
