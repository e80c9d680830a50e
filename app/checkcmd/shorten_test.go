package checkcmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/checkcmd"
)

// ensembles writes n ensembles; each has all others as its steps.
func ensembles(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		var steps []string
		for other := range n {
			if other != i {
				steps = append(steps, fmt.Sprintf(`{ model_name: "e%d" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "t%[1]d" } }`, other))
			}
		}
		text := fmt.Sprintf("platform: \"ensemble\"\ninput { name: \"X\" data_type: TYPE_FP32 dims: [ 2 ] }\noutput { name: \"Y\" data_type: TYPE_FP32 dims: [ 2 ] }\n"+
			"ensemble_scheduling { step [ %s ] }\n", strings.Join(steps, ", "))
		path := filepath.Join(dir, fmt.Sprint("e", i))
		if err := os.MkdirAll(filepath.Join(path, "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "config.pbtxt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Output for people is limited, and says what it leaves out. The exit status, the summary and the
// formats for programs cover everything.
func TestOutputForPeopleIsBounded(t *testing.T) {
	const n = 60
	dir := ensembles(t, n)
	written := func(format checkcmd.Format) string {
		var out bytes.Buffer
		if status := checkcmd.Run(t.Context(), []string{dir}, checkcmd.Options{Format: format}, &out); status != 1 {
			t.Errorf("exit status %d as %q", status, format)
		}
		return out.String()
	}
	var all struct {
		Diagnostics []struct {
			File    string
			Follows bool
		}
		Summary struct{ Errors int }
	}
	if err := json.Unmarshal([]byte(written(checkcmd.FormatJSON)), &all); err != nil {
		t.Fatal(err)
	}
	causes := 0
	for _, d := range all.Diagnostics {
		if !d.Follows {
			causes++
		}
	}
	if causes != all.Summary.Errors || len(all.Diagnostics) < n*(n-2) {
		t.Fatalf("JSON has %d findings, %d of them causes; the summary counts %d", len(all.Diagnostics), causes, all.Summary.Errors)
	}
	text, github := written(checkcmd.FormatText), written(checkcmd.FormatGitHub)
	if shown := strings.Count(text, ": error: "); shown > n+500 || shown < n {
		t.Errorf("%d findings are shown", shown)
	}
	if shown := strings.Count(github, "::error "); shown > n+500 {
		t.Errorf("%d findings are shown to GitHub", shown)
	}
	for _, out := range []string{text, github} {
		for i := range n {
			if !strings.Contains(out, filepath.Join(fmt.Sprint("e", i), "config.pbtxt")) {
				t.Errorf("nothing is said about e%d", i)
			}
		}
		if !strings.Contains(out, "more [E14]") || !strings.Contains(out, "--format json has all of them") {
			t.Error("it does not say what is left out")
		}
	}
	if want := fmt.Sprintf("%d models: %d errors", n, all.Summary.Errors); !strings.Contains(text, want) {
		t.Errorf("the summary is not %q", want)
	}
}
