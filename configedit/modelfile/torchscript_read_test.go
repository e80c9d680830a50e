package modelfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/check/checktest"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// TestReadTorchScript compares what is read of the archives in testdata/torch, written as checktest.TorchArchive takes them,
// and what config is made of them.
func TestReadTorchScript(t *testing.T) {
	golden.Each(t, "testdata/torch", func(t *testing.T, c *golden.Case) {
		c.Want(torchText(t, checktest.TorchArchive(t, c.Text(t, "file"))))
	})
}

// TestReadTorchScriptReal does the same for archives that PyTorch 1.13 made.
func TestReadTorchScriptReal(t *testing.T) {
	golden.Each(t, "testdata/torch/real", func(t *testing.T, c *golden.Case) {
		data, err := os.ReadFile(filepath.Join("testdata/torch/archives", strings.TrimSpace(c.Text(t, "file"))))
		if err != nil {
			t.Fatal(err)
		}
		c.Want(torchText(t, data))
	})
}

func torchText(t *testing.T, data []byte) string {
	t.Helper()
	model, err := modelfile.ReadTorchScript(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	text, err := json.MarshalIndent(model, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	out := string(text) + "\n"
	cfg, filled, err := derive.FromFacts(derive.Facts{Torch: model})
	if err != nil {
		return out + "no config: " + err.Error() + "\n"
	}
	out += string(modelconfig.PrintText(cfg))
	for _, f := range filled {
		out += "# " + strings.Trim(strings.ReplaceAll(strings.Trim(jsonText(f.Path), "[]"), "\"", ""), " ") + ": " + f.Reason + "\n"
	}
	return out
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestReadTorchScriptBroken(t *testing.T) {
	whole := checktest.TorchArchive(t, "forward (x: Tensor) -> Tensor\n")
	for size := range len(whole) {
		_, err := modelfile.ReadTorchScript(bytes.NewReader(whole[:size]), int64(size))
		var broken *modelfile.Error
		if !errors.As(err, &broken) {
			t.Errorf("cut at %d of %d: %v", size, len(whole), err)
		}
		if m, err := modelfile.ReadTorchScript(bytes.NewReader(whole[:size]), int64(len(whole))); err == nil && !m.Forward {
			t.Errorf("cut to %d while it was read: %+v", size, m)
		}
	}
	for content, want := range map[string]string{
		"": "empty", "version https://git-lfs.github.com/spec/v1\noid": "git lfs pull",
		"\x80\x02}q\x01": "not a TorchScript archive", "PK\x03\x04 and then nothing": "cut off",
	} {
		_, err := modelfile.ReadTorchScript(strings.NewReader(content), int64(len(content)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
	mobile := "\x1c\x00\x00\x00PTMF and more"
	if m, err := modelfile.ReadTorchScript(strings.NewReader(mobile), int64(len(mobile))); err != nil || m.Known {
		t.Errorf("a mobile model: %+v, %v", m, err)
	}
}

// TestReadTorchScriptIsBounded: the text of a program that unpacks to gigabytes is not read whole.
func TestReadTorchScriptIsBounded(t *testing.T) {
	data := checktest.TorchArchive(t, "class __torch__.Net\n\n"+strings.Repeat("#", 16<<20))
	if len(data) > 1<<20 {
		t.Fatalf("the archive takes %d bytes", len(data))
	}
	model, err := modelfile.ReadTorchScript(bytes.NewReader(data), int64(len(data)))
	if err != nil || model.Known {
		t.Errorf("%+v, %v", model, err)
	}
}

func FuzzReadTorchScript(f *testing.F) {
	for _, lines := range []string{
		"forward (x: Tensor, y: Dict[str, Tensor]) -> Tuple[Tensor, Tensor]\n",
		"class __torch__.a.b.Net\nextra notes.txt\n\nclass Net(Module):\n  def forward(self: __torch__.a.b.Net,\n    x: str=\"a)\\\"\") -> Tensor:\n",
		"without constants.pkl\nversion 10\n", "without data.pkl\n", "class __torch__.Net\n\nclass Other(Module):\n",
	} {
		f.Add(checktest.TorchArchive(f, lines))
	}
	paths, err := filepath.Glob("testdata/torch/archives/*.pt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	cfg := torchConfig()
	f.Fuzz(func(t *testing.T, data []byte) {
		model, err := modelfile.ReadTorchScript(bytes.NewReader(data), int64(len(data)))
		if (model == nil) == (err == nil) {
			t.Fatalf("model %v, error %v", model, err)
		}
		if err == nil {
			derive.CheckTorch(cfg, model)
			_, _, _ = derive.FromTorch(model)
		}
	})
}

// FuzzTorchProgram reads any text as the program of a class.
func FuzzTorchProgram(f *testing.F) {
	f.Add("class Net(Module):\n  def forward(self: __torch__.Net,\n    x: Tensor,\n    k: int=3) -> Tuple[Tensor, List[str]]:\n    return x\n")
	f.Add("class Net(Module):\n  def forward(self: __torch__.Net, x: Dict[str, Tuple[int, (Tensor)]]='a\\'') -> Tuple[]:\n")
	f.Add("class Net(Module):\n  def forward(")
	cfg := torchConfig()
	f.Fuzz(func(t *testing.T, program string) {
		data := checktest.TorchArchive(t, "class __torch__.Net\n\n"+program)
		model, err := modelfile.ReadTorchScript(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		derive.CheckTorch(cfg, model)
		_, _, _ = derive.FromTorch(model)
	})
}

func torchConfig() *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{
		Backend: "pytorch", Name: "m", MaxBatchSize: 2,
		Input:  []*modelconfig.ModelInput{{Name: "x__0", Dims: []int64{64}}, {Name: "y", DataType: modelconfig.DataType_TYPE_BF16}},
		Output: []*modelconfig.ModelOutput{{Name: "o__7", DataType: modelconfig.DataType_TYPE_STRING, Dims: []int64{10, 2}}},
	}
}
