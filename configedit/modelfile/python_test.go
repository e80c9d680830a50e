package modelfile_test

import (
	"strings"
	"testing"

	"conch/configedit/modelfile"
)

func TestReadPython(t *testing.T) {
	for text, want := range map[string]string{
		"class TritonPythonModel:\n  pass\n": "defines",
		"class Other: pass\n":                "",
		"from base import *\n":               "defines completes",
		"globals()['x'] = 1\n":               "defines",
		"class TritonPythonModel:\n  @staticmethod\n  def auto_complete_config(c):\n    c.add_input({'name': 'IN'})\n": "defines completes IN",
		"": "",
		strings.Repeat("#\n", modelfile.MaxPython/2) + "class TritonPythonModel: pass\n": "", // beyond what is read
	} {
		p, err := modelfile.ReadPython(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for word, is := range map[string]bool{"defines": p.Defines(), "completes": p.Completes(), "IN": p.SpeaksOf("IN")} {
			if is {
				got = append(got, word)
			}
		}
		for _, word := range []string{"defines", "completes", "IN"} {
			if strings.Contains(strings.Join(got, " "), word) != strings.Contains(want, word) {
				t.Errorf("%.60q: got %v, want %q", text, got, want)
			}
		}
	}
	if _, err := modelfile.ReadPython(failing{}, 10); err == nil {
		t.Error("a disk that fails: no error")
	}
}
