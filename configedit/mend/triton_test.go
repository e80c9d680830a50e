package mend_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/build/realtriton"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// answers are what the real server said of configs after their safe fixes. A line has the answer: "taken", or "read" where
// the server takes the text and lacks a file or backend of the model; the hash of the repaired config; and the config
// before.
const answers = "testdata/answers/triton-24.10.txt"

// TestAccepted replays what the real server says of golden cases, and of configs from which something was deleted, after
// their safe fixes: it reads all of them, and takes those of this package, which need no files. With -update and
// CONCH_TRITON the server is asked again.
func TestAccepted(t *testing.T) {
	if golden.Updating() && realtriton.Given() {
		record(t, toAsk(t))
	}
	said := recorded(t)
	for src, of := range said {
		if of.hash != hashOf(fixed(src, false)) {
			t.Errorf("the server was asked about another repair of\n%s", src)
		}
		if of.answer != "taken" && of.answer != "read" {
			t.Errorf("the server says %s after the safe fixes of\n%s", of.answer, src)
		}
	}
	for _, src := range clean(t, broken(t, "testdata")) {
		if of, ok := said[src]; !ok || of.answer != "taken" {
			t.Errorf("the server does not take, or was not asked about, the repair of\n%s", src)
		}
	}
	if len(said) < 60 {
		t.Errorf("only %d configs", len(said))
	}
}

// toAsk are broken configs that are worth asking about.
func toAsk(t *testing.T) []string {
	const most = 70
	out := clean(t, broken(t, corpusFolders...))
	sound := corpus(t)
	for r := rand.New(rand.NewPCG(3, 4)); len(out) < most; {
		if m, ok := mutate(r, sound[r.IntN(len(sound))]); ok {
			out = append(out, clean(t, []string{m.src})...)
		}
	}
	return out
}

// clean returns the broken configs that have no mistake in their text after the safe fixes.
func clean(t *testing.T, broken []string) []string {
	t.Helper()
	return slices.DeleteFunc(broken, func(src string) bool {
		after := fixed(src, false)
		list, _ := judge(after)
		template := slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == modelconfig.CodeTemplate })
		return after == src || template || len(ofText(list)) > 0
	})
}

func hashOf(src string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(src))) }

// spoken is what the server said of a repaired config.
type spoken struct{ answer, hash string }

func recorded(t *testing.T) map[string]spoken {
	t.Helper()
	content, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]spoken{}
	for line := range strings.Lines(string(content)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		src, err := strconv.Unquote(words[2])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out[src] = spoken{answer: words[0], hash: words[1]}
	}
	return out
}

// record asks a server about configs after their safe fixes, each of which is a model of its own.
func record(t *testing.T, configs []string) {
	repository := t.TempDir()
	server := realtriton.Start(t, repository, "--model-control-mode=explicit")
	server.Wait(t, "/v2/health/live")
	var out strings.Builder
	for i, src := range configs {
		after := fixed(src, false)
		name := nameOf(after, i)
		write(t, filepath.Join(repository, name, "config.pbtxt"), after)
		write(t, filepath.Join(repository, name, "1", "model.py"), "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n")
		before := len(server.Log(t))
		response, err := http.Post("http://"+server.HTTP+"/v2/repository/models/"+name+"/load", "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		words, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		answer := "read"
		switch {
		case response.StatusCode == http.StatusOK:
			answer = "taken"
		case strings.Contains(server.Log(t)[before:], "Error parsing text-format"):
			answer = "refused"
		}
		t.Logf("%s %q %s", answer, after, words)
		fmt.Fprintf(&out, "%s %s %q\n", answer, hashOf(after), src)
		if err := os.RemoveAll(filepath.Join(repository, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, answers, out.String())
	t.Errorf("%s written; run again without -update", answers)
}

// nameOf is the name that a config gives its model, or one that no other model has.
func nameOf(src string, i int) string {
	if _, cfg := judge(src); cfg.Name != "" {
		return cfg.Name
	}
	return fmt.Sprintf("model_%d", i)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
