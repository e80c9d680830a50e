package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/build/oracle/scenario"
)

const told = "About.\n-- m/config.pbtxt --\n\nbackend: \"python\"\n-- script --\nsend a\n"

// TestRecord: what is recorded is in the file, and all else stays as it was.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(path, []byte(told), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		record func(*scenario.Case) error
		want   string
	}{
		{func(c *scenario.Case) error { return c.Record("a: ok\n") }, "-- triton --\na: ok\n"},
		{func(c *scenario.Case) error { return c.RecordConch("a: late\n") }, "-- triton --\na: ok\n-- conch --\na: late\n"},
		{func(c *scenario.Case) error { return c.Record("a: lost\n") }, "-- triton --\na: lost\n-- conch --\na: late\n"},
		{func(c *scenario.Case) error { return c.RecordConch("a: lost\n") }, "-- triton --\na: lost\n"},
	} {
		c, err := scenario.Read(path)
		if err == nil {
			err = step.record(c)
		}
		text, readErr := os.ReadFile(path)
		if err != nil || readErr != nil || string(text) != told+step.want {
			t.Errorf("%v %v, the file is\n%s\nwant\n%s", err, readErr, text, told+step.want)
		}
	}
}
