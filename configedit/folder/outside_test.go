package folder_test

import (
	"testing"

	"conch/configedit/folder"
)

func TestOutside(t *testing.T) {
	for rel, want := range map[string]bool{
		"":                         false,
		"a":                        false,
		"/etc/passwd":              false, // the model's own etc/passwd
		"..a":                      false,
		"warmup/../labels.txt":     false,
		"warmup/a/../../1/x":       false,
		"..":                       true,
		"/../x":                    true,
		"warmup/../../other/1/x":   true,
		"warmup/a/../../../secret": true,
	} {
		if got := folder.Outside(rel); got != want {
			t.Errorf("Outside(%q) = %v", rel, got)
		}
	}
}
