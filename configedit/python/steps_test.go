package python_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// stretched are parts of programs that are read again and again.
var stretched = []string{
	"def broken(:\n", "x = 1 +\n", "if x = 1: 1\n", "while True\n", "print 'x'\n", // each line is wrong
	"x = ", "x = (\n", "if x: y = ", "if x == 1 and ", "not ", "a if ", "lambda: ", "a.", ". ", "else ", "async ", "match ", "'a' ", "print x, ", // one line
	"(", "(a)", "[[[[]]]]", "f(a = b, ", "x[:] = ", "{'a': [1, 2]}, ", "0xA, ", "1_0.5e+3j, ", "{f'", "a = [((({1}))), 'b'],\n", // brackets and numbers
	"def f(x):\n pass\n", "class A(B): pass\n", "from a import *\n", "import a.b\n", "@a\n", "if x:\n ", "x = f'{a}' f'{b!r:{c}}'\n", "'''", "\\\n", "\r", "# a\n",
}

// TestSteps: what reading a program takes grows as the program does. Steps are counted, and not time: how often each
// statement of this package and of what it searches texts with is run, as the coverage of a test tells.
func TestSteps(t *testing.T) {
	if piece, ok := os.LookupEnv("CONCH_TEST_PIECE"); ok { // the process that is counted
		times, err := strconv.Atoi(os.Getenv("CONCH_TEST_TIMES"))
		if err != nil {
			t.Fatal(err)
		}
		read(map[string]string{"1/model.py": strings.Repeat(piece, times), "a.py": "from model import *\nfrom a import *\n"})
		return
	}
	counted := filepath.Join(t.TempDir(), "counted")
	build := exec.Command("go", "test", "-c", "-covermode=count", "-coverpkg=conch/configedit/python,strings", "-o", counted, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	none := steps(t, counted, "", 0)
	for _, piece := range stretched {
		const times = 3000
		half, whole := steps(t, counted, piece, times)-none, steps(t, counted, piece, 2*times)-none
		if float64(whole) > 2.1*float64(half) {
			t.Errorf("%q: %d times take %d steps, twice as many take %d", piece, times, half, whole)
		}
	}
}

// steps counts what reading a text takes that repeats a piece.
func steps(t *testing.T, counted, piece string, times int) int {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(counted, "-test.run=^TestSteps$", "-test.coverprofile="+profile)
	cmd.Env = append(os.Environ(), "CONCH_TEST_PIECE="+piece, "CONCH_TEST_TIMES="+strconv.Itoa(times))
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v: %s", piece, err, output)
	}
	file, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		_, counts, block := strings.Cut(lines.Text(), " ") // path:from,to statements runs
		if !block || strings.HasPrefix(lines.Text(), "mode:") {
			continue
		}
		var statements, runs int
		if _, err := fmt.Sscan(counts, &statements, &runs); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		sum += statements * runs
	}
	return sum
}
