package checkcmd_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/app/checkcmd"
	"conch/build/oracle/recorded"
)

// TestRecordedVerdicts replays what the real tritonserver accepted and refused, with its sentences.
func TestRecordedVerdicts(t *testing.T) {
	all, err := recorded.Read("testdata/oracle")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := 0
	for _, r := range all {
		verdicts += len(r.Answers)
		replay(t, r)
	}
	if verdicts < 300 {
		t.Errorf("only %d verdicts", verdicts)
	}
}

func replay(t *testing.T, r recorded.Repository) {
	t.Helper()
	dir := lay(t, r.Files)
	found := errorsByModel(t, dir)
	for model, a := range r.Answers {
		refused := found[model]
		if a.Taken != (len(refused) == 0) {
			t.Errorf("%s: Triton takes it: %t; it says %q\nfound: %q\n%s", model, a.Taken, a.Words, refused, r.Files[model+"/config.pbtxt"])
			continue
		}
		words := strings.ReplaceAll(a.Words, "REPOSITORY", dir)
		if !a.Taken && !a.Died && !slices.ContainsFunc(refused, func(s string) bool { return says(words, s) }) {
			t.Errorf("%s: Triton says %q\nfound: %q\n%s", model, words, refused, r.Files[model+"/config.pbtxt"])
		}
	}
}

// says reports whether the server's answer has a sentence in it. The server lists inputs in the order
// of a hash map.
func says(words, sentence string) bool {
	sentence, _, _ = strings.Cut(sentence, "Got input(s) [")
	if before, _, nested := strings.Cut(sentence, " failed with error: "); nested && !strings.Contains(words, sentence) {
		sentence = before // which of several models fails first is random in Triton
	}
	return sentence != "" && strings.Contains(words, strings.ToValidUTF8(sentence, "\ufffd"))
}

// errorsByModel returns Triton's sentences for what conch check calls errors, by model.
func errorsByModel(t *testing.T, dir string) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	if checkcmd.Run(t.Context(), []string{dir}, checkcmd.Options{Format: checkcmd.FormatJSON}, &out) == checkcmd.CouldNot {
		t.Fatal(out.String())
	}
	var answer struct {
		Diagnostics []struct{ File, Severity, Triton string }
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, d := range answer.Diagnostics {
		rel, err := filepath.Rel(dir, d.File)
		if err != nil {
			t.Fatal(err)
		}
		model, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		if d.Severity == "error" {
			found[model] = append(found[model], d.Triton)
		}
	}
	return found
}
