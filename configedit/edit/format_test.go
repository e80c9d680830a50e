package edit_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/diag"
	"conch/configedit/edit"
	"conch/configedit/modelconfig"
)

var update = flag.Bool("update", false, "write what is seen as what is expected, and fail")

// TestFormat formats every testdata/format/*.pbtxt and compares with the .out file of the same name.
func TestFormat(t *testing.T) {
	paths, err := filepath.Glob("testdata/format/*.pbtxt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := edit.Format(src)
			if err != nil {
				got = []byte(err.Error() + "\n")
			} else {
				stable(t, src, got)
			}
			compare(t, strings.TrimSuffix(path, ".pbtxt")+".out", got)
		})
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s written; run again without -update", path)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("--- got\n%s--- want\n%s", got, want)
	}
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
	paths, _ := filepath.Glob("testdata/format/*.pbtxt")
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if formatted, err := edit.Format(src); err == nil {
			stable(t, src, formatted)
		}
	})
}
