package checktest

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"conch/configedit/modelfile"
)

// torchModel writes a TorchScript archive from lines, and reads it. A text that begins with "raw " stands for itself;
// an empty one says nothing.
func torchModel(t testing.TB, content string) (*modelfile.TorchScript, error) {
	t.Helper()
	if strings.TrimSpace(content) == "" {
		return nil, nil
	}
	data := []byte(content)
	if !strings.HasPrefix(content, "raw ") {
		data = TorchArchive(t, content)
	}
	return modelfile.ReadTorchScript(bytes.NewReader(data), int64(len(data)))
}

// TorchArchive writes an archive as torch.jit.save does, less the weights: "class __torch__.net.Net" names the class,
// "version 3" the form, "extra NAME" a file saved along, "without NAME" one that is left out, "forward (x: Tensor) ->
// Tensor" its method. What follows an empty line is the text of the program itself.
func TorchArchive(t testing.TB, content string) []byte {
	t.Helper()
	head, program, _ := strings.Cut(content, "\n\n")
	class, version := "__torch__.Net", "3"
	files := [][2]string{}
	without := map[string]bool{}
	for line := range strings.Lines(head) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "class":
			class = rest
		case "version":
			version = rest
		case "extra":
			files = append(files, [2]string{"extra/" + rest, "x"})
		case "file":
			files = append(files, [2]string{rest, "x"})
		case "without":
			without[rest] = true
		case "forward":
			name := class[strings.LastIndexByte(class, '.')+1:]
			program = "class " + name + "(Module):\n  __parameters__ = []\n  training : bool\n  def forward(self: " + class +
				", " + strings.TrimPrefix(rest, "(") + ":\n    return 0\n"
		default:
			t.Fatalf("line %q", line)
		}
	}
	module, name := class[:strings.LastIndexByte(class, '.')], class[strings.LastIndexByte(class, '.')+1:]
	files = append(files,
		[2]string{"data.pkl", "\x80\x02c" + module + "\n" + name + "\nq\x00)\x81}(ub."},
		[2]string{"code/" + strings.ReplaceAll(module, ".", "/") + ".py", program},
		[2]string{"constants.pkl", "\x80\x02)."}, [2]string{"version", version + "\n"})
	return archive(t, files, without)
}

func archive(t testing.TB, files [][2]string, without map[string]bool) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		if without[f[0]] {
			continue
		}
		part, err := w.Create("model/" + f[0])
		if err == nil {
			_, err = part.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// plan reads a TensorRT plan that is written as "plan 10.3.0.26", with nothing after its head. Other texts are used as they are.
func plan(content string) (*modelfile.Plan, error) {
	if strings.TrimSpace(content) == "" {
		return nil, nil
	}
	data := Plan(content)
	return modelfile.ReadPlan(bytes.NewReader(data), int64(len(data)))
}

// Plan writes the head of a TensorRT plan.
func Plan(content string) []byte {
	version, ok := strings.CutPrefix(strings.TrimSpace(content), "plan ")
	if !ok {
		return []byte(content)
	}
	head := make([]byte, 32)
	copy(head, "ftrt")
	for i, part := range strings.Split(version, ".") {
		n := byte(0)
		for _, digit := range []byte(part) {
			n = n*10 + digit - '0'
		}
		head[24+i] = n
	}
	return head
}
