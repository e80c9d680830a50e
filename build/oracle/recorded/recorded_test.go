package recorded_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/build/oracle/recorded"
)

// TestThereAndBack: what is recorded is read as it was, and what a folder held before is gone.
func TestThereAndBack(t *testing.T) {
	dir := t.TempDir()
	first := recorded.Repository{Name: "gone", Files: map[string]string{"m/config.pbtxt": ""}, Answers: map[string]recorded.Answer{}}
	r := recorded.Repository{
		Name:  "s1c2",
		Files: map[string]string{"a/config.pbtxt": "x\n", "a/1/.keep": "", "b/config.pbtxt": "no end", "b/1/model.onnx": "\x08\x00\xff"},
		Answers: map[string]recorded.Answer{
			"a": {Taken: true}, "b": {Words: "failed to load\nboth\n"}, "c": {Died: true, Words: "hung"},
		},
	}
	for _, all := range [][]recorded.Repository{{first}, {r}} {
		if err := recorded.Write(dir, all); err != nil {
			t.Fatal(err)
		}
		read, err := recorded.Read(dir)
		if diff := cmp.Diff(all, read); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}
