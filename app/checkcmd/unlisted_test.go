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

// Of 2,000 mistakes of one kind the first by line are listed; the summary counts all, and each format says how many are not listed.
func TestMistakesThatAreNotListedAreTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	config := "name: \"m\"\nbackend: \"onnxruntime\"\ninput { name: \"X\" data_type: TYPE_FP32 dims: [ 2 ] }\noutput { name: \"Y\" data_type: TYPE_FP32 dims: [ 2 ] }\n"
	for i := range 2000 {
		config += fmt.Sprintf("parameters { key: \"p%d\" value { string_value: \"v\" } }\n", i)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.pbtxt")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	written := func(format checkcmd.Format) string {
		var out bytes.Buffer
		checkcmd.Run(t.Context(), []string{path}, checkcmd.Options{Format: format}, &out)
		return out.String()
	}
	var all struct {
		Diagnostics []struct {
			Line     int
			Message  string
			Unlisted int
		}
		Summary struct{ Warnings int }
	}
	if err := json.Unmarshal([]byte(written(checkcmd.FormatJSON)), &all); err != nil {
		t.Fatal(err)
	}
	last := all.Diagnostics[len(all.Diagnostics)-1]
	if len(all.Diagnostics) != 100 || last.Line != 104 || last.Unlisted != 1900 || all.Summary.Warnings != 2000 ||
		!strings.HasSuffix(last.Message, "; 1900 more of PAR1 in this file are not listed") {
		t.Errorf("%d are listed of %d, the last is %+v", len(all.Diagnostics), all.Summary.Warnings, last)
	}
	text := written(checkcmd.FormatText)
	for _, want := range []string{"1990 more [PAR1]; --format json has more of them, and says how many it leaves out", "2000 warnings"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
