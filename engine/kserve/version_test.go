package kserve_test

import (
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve"
)

// The answers are those of Triton 24.10.
func TestParseVersion(t *testing.T) {
	const none = "failed to get model version from specified version string "
	for _, c := range []struct {
		text, refused string
		want          int64
	}{
		{text: "", want: infer.Latest},
		{text: "1", want: 1},
		{text: "1abc", want: 1},
		{text: " 1", want: 1},
		{text: "+1", want: 1},
		{text: "1.5", want: 1},
		{text: "0x1", want: 0},
		{text: "abc", refused: none + "'abc' (details: stol), version should be an integral value > 0"},
		{text: "- 1", refused: none + "'- 1' (details: stol), version should be an integral value > 0"},
		{text: "99999999999999999999", refused: none + "'99999999999999999999' (details: stol), version should be an integral value > 0"},
		{text: "-1", refused: "invalid model version specified '-1' , version should be an integral value > 0"},
	} {
		got, err := kserve.ParseVersion(c.text)
		if c.refused != "" {
			if err == nil || err.Error() != c.refused {
				t.Errorf("%q: %v, want %q", c.text, err, c.refused)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%q = %d, %v, want %d", c.text, got, err, c.want)
		}
	}
}
