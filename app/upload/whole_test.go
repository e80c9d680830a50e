package upload_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/app/upload"
	"conch/configedit/check/checktest"
)

// sent returns an upload with these files, of a folder or of one version.
func sent(t *testing.T, root, folder string, files map[string]string) *upload.Upload {
	t.Helper()
	u := upload.Uploads{Data: t.TempDir()}
	t.Cleanup(func() { _ = u.Close() })
	id, err := u.Begin(root, folder)
	if err != nil {
		t.Fatal(err)
	}
	one, err := u.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := one.Write(name, 0, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return one
}

// made is files that are sent, and what becomes of them.
type made struct {
	folder string
	files  map[string]string
	config string   // is a part of it
	places []string // are said before
	made   []string // the model's files
	says   string   // in the note, or why there is no model
}

func (c made) check(t *testing.T) {
	root := t.TempDir()
	one := sent(t, root, c.folder, c.files)
	begin, main, err := one.Draft()
	if c.places == nil {
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("it is taken: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if places := one.Places(main, begin); !slices.Equal(places, c.places) {
		t.Errorf("the files will be %q", places)
	}
	if !strings.Contains(string(begin.Config), c.config) || !strings.Contains(begin.Note, c.says) {
		t.Errorf("the note is %q and the config\n%s", begin.Note, begin.Config)
	}
	if _, err := one.Become("a/b", begin.Config); err == nil {
		t.Error("a name that no model has")
	}
	dir, err := one.Become("m", begin.Config)
	if err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, dir); !slices.Equal(got, c.made) {
		t.Errorf("it has the files %q", got)
	}
	config, err := os.ReadFile(filepath.Join(dir, "config.pbtxt"))
	if err != nil || !strings.Contains(string(config), c.config) || strings.Contains(string(config), "old") {
		t.Errorf("its config is, %v,\n%s", err, config)
	}
}

// What frameworks write is taken as they write it: a folder that is a model itself, a file with its weights beside it, and each file
// with the platform that is its own. What cannot be a model says why.
func TestModelsAsFrameworksWriteThem(t *testing.T) {
	saved := string(checktest.SavedModel(t, "graph serve\nsignature serving_default x\ninput image 1 [-1, 64]\noutput label 7 [-1]\n"))
	const ini, index = "[encoder]\nd_model = 8\n[decoder]\nd_model = 8\n", "variables/variables.index"
	for what, c := range map[string]made{
		"a saved model": {
			"digits.savedmodel", map[string]string{"saved_model.pb": saved, index: "i"}, `dims: [ 64 ]`,
			[]string{"1/model.savedmodel/"}, []string{"1/model.savedmodel/saved_model.pb", "1/model.savedmodel/" + index, "config.pbtxt"}, "",
		},
		"a model's folder with one": {
			"digits", map[string]string{"1/model.savedmodel/saved_model.pb": saved, "1/model.savedmodel/" + index: "i"}, `dims: [ 64 ]`,
			[]string{"1/model.savedmodel/saved_model.pb", "1/model.savedmodel/" + index}, []string{"1/model.savedmodel/saved_model.pb", "1/model.savedmodel/" + index, "config.pbtxt"}, "",
		},
		"a checkpoint of FasterTransformer": {
			"2-gpu", map[string]string{"config.ini": ini, "shared.weight_T.bin": "w"}, `default_model_filename: "t5"`,
			[]string{"1/t5/"}, []string{"1/t5/config.ini", "1/t5/shared.weight_T.bin", "config.pbtxt"}, "such as len_penalty",
		},
		"a checkpoint of Hugging Face": {
			"t5-small", map[string]string{"config.json": `{"model_type": "t5"}`, "model.safetensors": "w"}, `string_value: "T5"`,
			[]string{"1/t5/"}, []string{"1/t5/config.json", "1/t5/model.safetensors", "config.pbtxt"}, "such as len_penalty",
		},
		"another one": {folder: "bert", files: map[string]string{"config.json": `{"model_type": "bert"}`, "model.safetensors": "w"}, says: `of the kind "bert"`},
		"OpenVINO's": {
			"", map[string]string{"net.xml": "<net/>", "net.bin": "w", "classes.txt": "cat"},
			"# backend: OpenVINO reads the inputs and outputs from the file when the model is loaded: the config leaves them out\nbackend: \"openvino\"",
			[]string{"1/model.xml", "classes.txt", "1/model.bin"}, []string{"1/model.bin", "1/model.xml", "classes.txt", "config.pbtxt"}, "",
		},
		"OpenVINO's without weights": {
			"", map[string]string{"net.xml": "<net/>"}, `backend: "openvino"`,
			[]string{"1/model.xml"}, []string{"1/model.xml", "config.pbtxt"}, "The weights of net.xml are missing: choose net.bin",
		},
		"a graph": {
			"", map[string]string{"frozen.graphdef": "g"}, `platform: "tensorflow_graphdef"`,
			[]string{"1/model.graphdef"}, []string{"1/model.graphdef", "config.pbtxt"}, "write them into the config",
		},
	} {
		t.Run(what, c.check)
	}
}

// TestWhatComesWithAModelFile: what Triton reads from the model's folder goes there, a config is taken as it is, and all else lies
// beside the model file.
func TestWhatComesWithAModelFile(t *testing.T) {
	for what, c := range map[string]made{
		"a model with its config and labels": {
			"", map[string]string{"net.graphdef": "g", "config.pbtxt": "name: \"old\"\nplatform: \"tensorflow_graphdef\"\nmax_batch_size: 16\n", "labels.txt": "cat", "extra.dat": "w"}, "max_batch_size: 16",
			[]string{"1/model.graphdef", "config.pbtxt", "1/extra.dat", "labels.txt"}, []string{"1/extra.dat", "1/model.graphdef", "config.pbtxt", "labels.txt"}, "",
		},
		"a folder of them": {
			"cats", map[string]string{"net.graphdef": "g", "config.pbtxt": "default_model_filename: \"cats.graphdef\"\n", "labels.txt": "cat"}, "default_model_filename",
			[]string{"1/cats.graphdef", "config.pbtxt", "labels.txt"}, []string{"1/cats.graphdef", "config.pbtxt", "labels.txt"}, "",
		},
		"a program, its packages and a text that it reads": {
			"", map[string]string{"model.py": "class TritonPythonModel: pass\n", "requirements.txt": "numpy", "vocab.txt": "cat"}, `backend: "python"`,
			[]string{"1/model.py", "requirements.txt", "1/vocab.txt"}, []string{"1/model.py", "1/vocab.txt", "config.pbtxt", "requirements.txt"}, "",
		},
		"a folder of a config and programs": {
			"py", map[string]string{"model.py": "x", "more.py": "x", "config.pbtxt": "backend: \"python\"\n"}, `backend: "python"`,
			[]string{"config.pbtxt", "model.py", "more.py"}, []string{"1", "config.pbtxt", "model.py", "more.py"}, "",
		},
	} {
		t.Run(what, c.check)
	}
}

// filesIn lists the files of a folder, and the folders in it that are empty.
func filesIn(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := os.ReadDir(filepath.Join(dir, name))
		if !entry.IsDir() || err == nil && len(within) == 0 {
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
