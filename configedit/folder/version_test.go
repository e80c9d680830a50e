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

// What a name almost says is read alike by both: what looks like a version, and which number it means.
func TestMeantVersion(t *testing.T) {
	for name, want := range map[string]int64{"v1": 1, "V2": 2, "version3": 3, "Version_4": 4, "01": 1, "1.0": 1, "1abc": 1, "v-5": 5} {
		if got, ok := folder.MeantVersion(name); got != want || !ok || !folder.MeantAsVersion(name) {
			t.Errorf("%s means %d, %v; looks like a version: %v", name, got, ok, folder.MeantAsVersion(name))
		}
	}
	for _, name := range []string{"", "v", "variables", "data", "version", "Vision"} {
		if got, ok := folder.MeantVersion(name); ok || folder.MeantAsVersion(name) {
			t.Errorf("%s means %d, %v; looks like a version: %v", name, got, ok, folder.MeantAsVersion(name))
		}
	}
}
