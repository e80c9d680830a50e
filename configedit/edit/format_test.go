package edit_test

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/build/golden"
	"conch/configedit/diag"
	"conch/configedit/edit"
	"conch/configedit/modelconfig"
)

// TestFormat formats the config of every case of testdata/format.
func TestFormat(t *testing.T) {
	golden.Each(t, "testdata/format", func(t *testing.T, c *golden.Case) {
		src := []byte(c.Text(t, "config.pbtxt"))
		got, err := edit.Format(src)
		if err != nil {
			got = []byte(err.Error() + "\n")
		} else {
			stable(t, src, got)
		}
		c.Want(string(got))
	})
}

// stable holds a formatted text against its source: the same config, the same comments, and nothing left to format.
func stable(t *testing.T, src, formatted []byte) {
	t.Helper()
	before, _ := modelconfig.Parse("a", src)
	after, list := modelconfig.Parse("b", formatted)
	if diag.HasErrors(list) || !proto.Equal(before.Config, after.Config) {
		t.Errorf("another config:\n%s---\n%s", src, formatted)
	}
	if again, err := edit.Format(formatted); err != nil || !bytes.Equal(again, formatted) {
		t.Errorf("not stable, %v:\n%s---\n%s", err, formatted, again)
	}
	if a, b := strings.Count(string(src), "#"), strings.Count(string(formatted), "#"); a != b {
		t.Errorf("%d number signs became %d", a, b)
	}
}

func FuzzFormat(f *testing.F) {
	for _, c := range golden.Cases(f, "testdata/format") {
		f.Add([]byte(c.Text(f, "config.pbtxt")))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if formatted, err := edit.Format(src); err == nil {
			stable(t, src, formatted)
		}
	})
}
