package python_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"conch/configedit/python"
)

// TestSources: which files a run of a program may read.
func TestSources(t *testing.T) {
	folder := map[string]string{
		"shapes.py": "import deeper\n", "1/shapes.py": "X = 1\n", "deeper.py": "", "pack/__init__.py": "", "pack/inner.py": "",
		"1/labels.txt": "a\n", "sizes.json": "{}", "1/sizes.json": "[]", "config.pbtxt": "", "unused.py": "",
	}
	for program, want := range map[string]string{
		"x = 1\n":                               "1/model.py",
		"import deeper\n":                       "1/model.py deeper.py",
		"import shapes\n":                       "1/model.py 1/shapes.py",
		"def f():\n  if a: import deeper; b\n":  "1/model.py deeper.py",
		"import pack.inner as i\n":              "1/model.py pack/__init__.py pack/inner.py",
		"from pack import (missing,\n inner)\n": "1/model.py pack/__init__.py pack/inner.py",
		"from . import shapes\n":                "1/model.py 1/shapes.py",
		"from .. import deeper\n":               "1/model.py deeper.py",
		"importlib.import_module('deeper')\n":   "1/model.py deeper.py",
		"other('deeper')\n":                     "1/model.py",
		"open(d + '/labels.txt')\n":             "1/labels.txt 1/model.py",
		"open(f'{d}/sizes.json')\n":             "1/model.py 1/sizes.json sizes.json",
		"open('../sizes.json')\n":               "1/model.py",
		"open('config.pbtxt')\n":                "1/model.py config.pbtxt",
		"x = (\n":                               "1/model.py",
	} {
		files := map[string]string{"1/model.py": program}
		for name, text := range folder {
			files[name] = text
		}
		list, whole := read(files).Sources()
		var got []string
		for _, s := range list {
			got = append(got, s.Path)
		}
		if strings.Join(got, " ") != want || !whole {
			t.Errorf("%q: %s, whole %v; want %s", program, got, whole, want)
		}
		files["1/model.py"] += "# another\n"
		if again, _ := read(files).Sources(); slices.Equal(again, list) {
			t.Errorf("%q: the sums do not tell that the program has changed", program)
		}
	}
}

// TestSourcesBeyondBounds: of a program that cannot be followed to its end, that is said.
func TestSourcesBeyondBounds(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("m%d.py", i)] = fmt.Sprintf("import m%d\n", i+1)
	}
	files["1/model.py"] = "import m0\n"
	many := "x = ["
	for i := range 2000 {
		many += fmt.Sprintf("'%d.txt', ", i)
	}
	for name, program := range map[string]*python.Program{
		"many modules": read(files), "many names": read(map[string]string{"1/model.py": many + "]\n"}),
	} {
		if _, whole := program.Sources(); whole {
			t.Errorf("%s: it is said to be whole", name)
		}
	}
}
