package diag_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"conch/configedit/diag"
)

func TestShortened(t *testing.T) {
	long := strings.Repeat("é", 5_000_000)
	given := diag.Diagnostic{Message: long, Triton: long, Fixes: []diag.Fix{{Title: "short"}, {Title: long}}}
	got := given.Shortened()
	for _, s := range []string{got.Message, got.Triton, got.Fixes[1].Title} {
		if len(s) > 21_000 || !utf8.ValidString(s) || !strings.HasSuffix(s, "…") {
			t.Errorf("%d bytes, valid: %t", len(s), utf8.ValidString(s))
		}
	}
	if got.Fixes[0].Title != "short" || len(given.Fixes[1].Title) != len(long) {
		t.Error("another fix, or the given diagnostic, was changed")
	}
}
