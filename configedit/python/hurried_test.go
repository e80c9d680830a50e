package python_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// hurried are mistakes that people make in a hurry.
var hurried = []string{
	"def broken(:", "def broken(:\n    pass", "def broken(self,, x): 1", "def broken(self:", "def class(self): 1", "def broken: 1", "if print(x:",
	"if x = 1: 1", "if x.y = 1: 1", "else if x: 1", "print 'x'", "return x y", "x = f(a b)", "x = [1,, 2]", "x = {:1}", "x = 1 +",
	"x = a && b", "x++", "x = !y", "for in x: 1", "def f(self):: 1", "x = (1,", "x = f(1))", "  x = 1", "while True", "class A(:",
	"from x import", "import", "numpy import x", "from x import (\n    a\n    b)", "from x import (a, -)", "import class", "x = return 1", "if x return 1",
	"def f(a) return a", "def f(a) ->", "class A = 1", "if = 1: 1", "async x = 1", "x = [a,\n     b c]", "x = f(a +\n      b c)", "x = f(a\n      b=1)",
	"x = {'a': b\n     'c': d}", "x = [a for a in b\n     c(a)]", "x = [a, class\n     b]", "x = f(a,\n      b +=\n)", "x = [a, >\n]",
	"def f(a\n      b): 1", "x = 2y", "x(1):", "x: int = 1:", "if x: for", "x = 1; if x: 1", "else: /", "if x: *", "x = a if", "x = a if b else", "x = a ~b",
}

// refusal is what Python says of a text.
type refusal struct {
	Line         int
	Kind, Reason string
}

// refusals asks the Python of this machine.
func refusals(t *testing.T, texts []string) []refusal {
	t.Helper()
	const program = `import json, sys
assert sys.version_info >= (3, 11), "older releases have other words"
said = []
for text in json.load(sys.stdin):
    try:
        compile(text, "model.py", "exec")
        said.append({})
    except SyntaxError as e:
        said.append({"Line": e.lineno, "Kind": type(e).__name__, "Reason": e.msg})
json.dump(said, sys.stdout)`
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cmp.Or(os.Getenv("CONCH_PYTHON"), "python3"), "-c", program)
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Skipf("no Python from 3.11 on: %v: %s", err, stderr.String())
	}
	var said []refusal
	if err := json.Unmarshal(output, &said); err != nil {
		t.Fatal(err)
	}
	return said
}

// TestHurried: at each place of a program such a mistake is told at the line that Python names, and in its words where they
// are known.
func TestHurried(t *testing.T) {
	const program = "class TritonPythonModel:\n    def execute(self, requests):\n        return [1]\n\n\ndef more(x):\n    return x\n"
	lines := strings.SplitAfter(program, "\n")
	var texts []string
	for _, mistake := range hurried {
		for at := range lines {
			indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " "))]
			text := indent + strings.ReplaceAll(mistake, "\n", "\n"+indent) + "\n"
			texts = append(texts, strings.Join(lines[:at], "")+text+strings.Join(lines[at:], ""))
		}
	}
	for i, python := range refusals(t, texts) {
		wrong := read(map[string]string{"1/model.py": texts[i]}).Wrong()
		if len(wrong) == 0 {
			t.Errorf("%q: nothing is found, Python says %v", texts[i], python)
			continue
		}
		if e := wrong[0]; e.Line != python.Line || e.Kind != python.Kind {
			t.Errorf("%q: line %d, %s, but Python says %v", texts[i], e.Line, e.Kind, python)
		} else if e.Said() != e.Kind && !strings.HasPrefix(python.Reason, e.Message) {
			t.Errorf("%q: %q, but Python says %q", texts[i], e.Message, python.Reason)
		}
	}
}
