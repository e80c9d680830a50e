package folder_test

import (
	"testing"
	"unicode/utf8"

	"conch/configedit/folder"
)

func TestName(t *testing.T) {
	for raw, want := range map[string]string{
		"":                "",
		"plain":           "plain",
		"café/模型":         "café/模型",
		"caf\xe9":         `caf\xe9`,
		"\xff\xfe/1":      `\xff\xfe/1`,
		`caf\xe9`:         `caf\x5cxe9`,
		`\x5c`:            `\x5cx5c`,
		`a\b`:             `a\b`,
		`\xE9`:            `\xE9`,
		`\x41`:            `\x41`,
		"\\\xe9":          `\\xe9`,
		"\\x\xe9":         `\x\xe9`,
		"\\xe\xe9":        `\xe\xe9`,
		"a\xc3":           `a\xc3`,
		"tail\\":          `tail\`,
		"\xed\xa0\x80":    `\xed\xa0\x80`, // half of a surrogate pair
		"replaced \ufffd": "replaced \ufffd",
	} {
		if got := folder.Name(raw); got != want {
			t.Errorf("Name(%q) = %s, want %s", raw, got, want)
		}
		if got := folder.Raw(want); got != raw {
			t.Errorf("Raw(%s) = %q, want %q", want, got, raw)
		}
	}
	if got, want := folder.Text("open caf\xe9: C:\\xe9"), `open caf\xe9: C:\xe9`; got != want {
		t.Errorf("Text = %s, want %s", got, want)
	}
}

// FuzzName: every name comes back, no two names look the same, and no folder of a path is hidden.
func FuzzName(f *testing.F) {
	for _, seed := range []string{"caf\xe9", `\x5c\xff`, "\\\\x\xe9", "../\xff", `\x2f`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		name := folder.Name(raw)
		if back := folder.Raw(name); back != raw {
			t.Errorf("%q came back as %q by %s", raw, back, name)
		}
		if !utf8.ValidString(name) || !utf8.ValidString(folder.Text(raw)) {
			t.Errorf("%q is not UTF-8", name)
		}
	})
}
