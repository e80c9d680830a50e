package checktest

import (
	"fmt"
	"strings"
	"testing"

	"conch/configedit/modelfile"
)

// openVINO writes an OpenVINO model from lines, and reads it. A text that begins with "<" or "raw " stands for itself, "empty" is an
// empty file, and an empty one says nothing.
func openVINO(t testing.TB, content string) (*modelfile.OpenVINO, error) {
	t.Helper()
	file := content
	switch content = strings.TrimSpace(content); {
	case content == "":
		return nil, nil
	case content == "empty":
		file = ""
	case !strings.HasPrefix(content, "<") && !strings.HasPrefix(content, "raw "):
		file = OpenVINO(t, content)
	}
	return modelfile.ReadOpenVINO(strings.NewReader(file), int64(len(file)))
}

// OpenVINO writes a model.xml from lines: "input image f32 [-1,64]" and "output scores f32 [-1,10]" are tensors, without blanks in
// their dims.
func OpenVINO(t testing.TB, content string) string {
	t.Helper()
	var layers strings.Builder
	for line := range strings.Lines(content) {
		words := strings.Fields(line)
		if len(words) != 4 {
			t.Fatalf("line %q", line)
		}
		shape := strings.Trim(words[3], "[]")
		dims := ""
		if shape != "" {
			dims = "<dim>" + strings.ReplaceAll(shape, ",", "</dim><dim>") + "</dim>"
		}
		if words[0] == "input" {
			fmt.Fprintf(&layers, `<layer type="Parameter" name="%[1]s"><data shape="%[3]s" element_type="%[2]s"/><output><port id="0" names="%[1]s">%[4]s</port></output></layer>`,
				words[1], words[2], shape, dims)
			continue
		}
		fmt.Fprintf(&layers, `<layer type="Result" name="%[1]s" output_names="%[1]s"><input><port id="0" precision="%[2]s">%[3]s</port></input></layer>`,
			words[1], strings.ToUpper(words[2]), dims)
	}
	return `<?xml version="1.0"?><net name="model" version="11"><layers>` + layers.String() + "</layers></net>"
}
