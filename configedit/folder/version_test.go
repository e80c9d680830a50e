package folder_test

import (
	"testing"

	"conch/configedit/folder"
)

func TestParseVersion(t *testing.T) {
	cases := []struct {
		name   string
		number int64
		kind   folder.VersionKind
	}{
		{"1", 1, folder.PlainVersion},
		{"0", 0, folder.PlainVersion},
		{"9223372036854775807", 9223372036854775807, folder.PlainVersion},
		{"9223372036854775808", 0, folder.HugeVersion},
		{"01", 0, folder.LeadingZero},
		{"00", 0, folder.LeadingZero},
		{"1abc", 1, folder.SloppyVersion},
		{" 1", 1, folder.SloppyVersion},
		{"+2", 2, folder.SloppyVersion},
		{"-1", -1, folder.SloppyVersion},
		{"1.5", 1, folder.SloppyVersion},
		{"v1", 0, folder.NotVersion},
		{"", 0, folder.NotVersion},
		{"+", 0, folder.NotVersion},
		{"warmup", 0, folder.ReservedDir},
		{"configs", 0, folder.ReservedDir},
		{"initial_state", 0, folder.ReservedDir},
	}
	for _, c := range cases {
		number, kind := folder.ParseVersion(c.name)
		if number != c.number || kind != c.kind {
			t.Errorf("ParseVersion(%q) = %d, %d; want %d, %d", c.name, number, kind, c.number, c.kind)
		}
	}
}
