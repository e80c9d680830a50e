package modelconfig_test

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// TestTritonWords holds verdicts and sentences against those of the real
// server, over the recorded mutations in testdata/triton-24.10.txt.
func TestTritonWords(t *testing.T) {
	file, err := os.Open("testdata/triton-24.10.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	cases := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		words := unquoteAll(t, lines.Text())
		cases++
		_, list := modelconfig.Parse("config.pbtxt", []byte(words[0]))
		if refused := len(words) > 1; refused != diag.HasErrors(list) {
			t.Errorf("refused: Triton says %v of %q, we say %v", refused, words[0], list)
			continue
		}
		for i := range words { // we replace what is not UTF-8
			words[i] = strings.ToValidUTF8(words[i], "\ufffd")
		}
		want := slices.Sorted(slices.Values(words[1:]))
		if d := cmp.Diff(want, said(list)); d != "" {
			t.Errorf("%q: (-Triton +ours)\n%s", words[0], d)
		}
	}
	if cases < 300 {
		t.Errorf("only %d cases", cases)
	}
}

// said are the sentences marked as Triton's own, in order of the alphabet.
func said(list []diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		if d.First {
			out = append(out, strings.Split(d.Triton, "\n")...)
		}
	}
	slices.Sort(out)
	return out
}

func unquoteAll(t *testing.T, line string) []string {
	t.Helper()
	var out []string
	for line != "" {
		literal, err := strconv.QuotedPrefix(line)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		word, err := strconv.Unquote(literal)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, word)
		line = strings.TrimPrefix(line[len(literal):], " ")
	}
	return out
}
