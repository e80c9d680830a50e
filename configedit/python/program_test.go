package python_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"conch/configedit/python"
)

// read reads a program of files by path, of which 1/model.py is the module that is imported.
func read(files map[string]string) *python.Program {
	return python.Read("1/model.py", func(rel string) []byte {
		if text, ok := files[rel]; ok {
			return []byte(text)
		}
		return nil
	})
}

// TestWrong: mistakes are told in Python's words, and texts that some release of Python reads are none.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		"x = (1,\n":                                   "1 SyntaxError: '(' was never closed (model.py, line 1)",
		"x = (1\n]\n":                                 "2 SyntaxError: closing parenthesis ']' does not match opening parenthesis '(' on line 1 (model.py, line 2)",
		"x = 1 \\ \ny\n":                              "1 SyntaxError: unexpected character after line continuation character (model.py, line 1)",
		"x = a ? b\n":                                 "1 SyntaxError: invalid syntax (model.py, line 1)",
		"x = 'a\n'\n":                                 "1 SyntaxError: unterminated string literal",
		"if x:\n":                                     "1 IndentationError: expected an indented block",
		"if x:\n    a\n  b = (\n":                     "3 IndentationError: unindent does not match any outer indentation level (model.py, line 3)",
		"def f(a)\n    return a\n":                    "1 SyntaxError",
		"if f(a[1:2],\n  b)\n  c\n":                   "2 SyntaxError",
		"try\nexcept (\n":                             "1 SyntaxError",
		"if x y\n  a\n":                               "1 SyntaxError: invalid syntax (model.py, line 1)",
		"def f()\n  x = 1)\n":                         "2 SyntaxError: unmatched ')' (model.py, line 2)",
		"def f()\n  x = 'a\n":                         "2 SyntaxError: unterminated string literal",
		"else x = (1,\n 2)\n":                         "1 SyntaxError",
		"  x\ny = )\n":                                "1 IndentationError: unexpected indent (model.py, line 1)",
		"if x:\ny\n  z\n w\n":                         "2 IndentationError: expected an indented block",
		"else (\n":                                    "1 SyntaxError",
		"def broken(:\n  pass\n":                      "1 SyntaxError: invalid syntax (model.py, line 1)",
		"x = f(... if a else [... for b])\n":          "",
		"if a: b\nelse: c\nforge, if_ = 1\n":          "",
		"x = (1\nif y\nelse 2)\n":                     "",
		"x = [0and 1, 9or 5, 0xfor 2]\n":              "",
		"x = 1_0.e-1jif 1..real else 0o7in y\n":       "",
		"lazy import x; from y import z\n":            "",
		"x = {1for y in z}, 1if y else 0b1is y, 2.\n": "",
		"x = f\"{a[\"b\"]}\"\n":                       "",
		"x = rb'\\'' + Rb\"\"\"\n'\"\"\"\n":           "",
		"x = [\n  1, # )\n\n2]\n\n  # c\n":            "",
		"\ufeffx: int = 1; y = 2\n":                   "",
		"def f():\r\n\treturn 1\r\n":                  "",
		"# \xff\n(\n":                                 "",
		"":                                            "",
	} {
		got := ""
		for _, e := range read(map[string]string{"1/model.py": text}).Wrong() {
			got += fmt.Sprintf("%d %s", e.Line, e.Said())
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestAnswers: what a program defines and completes.
func TestAnswers(t *testing.T) {
	const base = "class Base:\n  def auto_complete_config(c): pass\n"
	for name, c := range map[string]struct {
		files              map[string]string
		defines, completes python.Answer
	}{
		"missing":   {nil, python.No, python.No},
		"plain":     {map[string]string{"1/model.py": "class TritonPythonModel: pass\n"}, python.Yes, python.No},
		"nested":    {map[string]string{"1/model.py": "class A:\n  class TritonPythonModel: pass\n"}, python.No, python.No},
		"decorated": {map[string]string{"1/model.py": "@wrap\nclass TritonPythonModel: pass\n"}, python.Yes, python.Perhaps},
		"generic":   {map[string]string{"1/model.py": "class TritonPythonModel[T](A): pass\n"}, python.Yes, python.Perhaps},
		"inherited": {map[string]string{"1/model.py": "from base import Base\nclass TritonPythonModel(Base): pass\n", "base.py": base}, python.Yes, python.Yes},
		"inherited in a branch": {
			map[string]string{"1/model.py": "try:\n  from .base import Base\nexcept E: pass\nclass TritonPythonModel(Base): pass\n", "1/base.py": base},
			python.Yes, python.Yes,
		},
		"in a circle": {
			map[string]string{"1/model.py": "from b import *\n", "b.py": "from c import *\n", "c.py": "from b import *\n"}, python.Perhaps, python.Perhaps,
		},
		"from elsewhere":      {map[string]string{"1/model.py": "from numpy import *\n"}, python.Perhaps, python.Perhaps},
		"by a function":       {map[string]string{"1/model.py": "TritonPythonModel = make()\n"}, python.Yes, python.Perhaps},
		"in another coding":   {map[string]string{"1/model.py": "# \xe9\n"}, python.Perhaps, python.Perhaps},
		"beyond what is read": {map[string]string{"1/model.py": strings.Repeat("#\n", python.MaxFile/2)}, python.Perhaps, python.Perhaps},
	} {
		p := read(c.files)
		if p.Defines() != c.defines || p.Completes() != c.completes {
			t.Errorf("%s: defines %d, completes %d; want %d, %d", name, p.Defines(), p.Completes(), c.defines, c.completes)
		}
	}
}

// TestSays: strings of the program and of what it imports, and no comments.
func TestSays(t *testing.T) {
	p := read(map[string]string{"1/model.py": "import a\nx = {\"IN\": 'OUT'} # \"NO\"\n", "a.py": "n = \"DEEP\"\n"})
	for text, want := range map[string]bool{"IN": true, "OUT": true, "DEEP": true, "NO": false, "x": false, "": false} {
		if p.Says(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// FuzzRead: whatever a file holds, reading it ends.
func FuzzRead(f *testing.F) {
	f.Add("class A(B):\n\tx = f'{a:{b}}' + (\n\"\"\"\\", "from . import x\n")
	f.Fuzz(func(_ *testing.T, main, other string) {
		read(map[string]string{"1/model.py": main, "1/x.py": other, "x.py": main})
	})
}

// TestLarge: what reading a program takes grows as its size does, up to the largest, whatever it holds.
func TestLarge(t *testing.T) {
	for _, piece := range []string{
		`f"{`, "(", "{f\"", "from a import *\n", "import a.b\n", "x = ", "a.", "class A(B): pass\n", "if x:\n ", "'''", "class TritonPythonModel(a.", ";", "\\\n", "{{f'",
		"def broken(:\n", "if x: y = ", "0xA, ", "[[[[]]]]",
	} {
		times := (python.MaxFile - 1) / len(piece) / 4 * 4 // even, so that no half of a quote is left
		half, whole := allocated(piece, times/2), allocated(piece, times)
		if whole > 3*half {
			t.Errorf("%q again and again: %d bytes are taken for half of the largest size, %d for all of it", piece, half, whole)
		}
	}
}

// allocated returns the memory that reading a program takes in all.
func allocated(piece string, times int) uint64 {
	text := strings.Repeat(piece, times)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(map[string]string{"1/model.py": text, "a.py": "from model import *\nfrom a import *\n"})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
