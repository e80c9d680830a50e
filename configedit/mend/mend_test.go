package mend_test

import (
	"testing"

	"conch/configedit/diag"
	"conch/configedit/mend"
)

func at(start, end int) diag.Span { return diag.Span{Start: start, End: end} }

func fix(span diag.Span, sure diag.Confidence) []diag.Fix {
	return []diag.Fix{{Title: "t", Confidence: sure, Edits: []diag.Edit{{Span: span, New: "x"}}}}
}

// TestChoose holds what may be repaired together against what a person has to look at.
func TestChoose(t *testing.T) {
	safe := diag.Diagnostic{Code: "safe", Span: at(0, 4), Fixes: fix(at(0, 4), diag.Safe)}
	unsure := diag.Diagnostic{Code: "unsure", Span: at(10, 14), Fixes: fix(at(10, 14), diag.Suggestion)}
	for name, c := range map[string]struct {
		list        []diag.Diagnostic
		suggestions bool
		want        string
	}{
		"safe ones":                      {[]diag.Diagnostic{safe, unsure}, false, "safe "},
		"suggestions too":                {[]diag.Diagnostic{safe, unsure}, true, "safe unsure "},
		"what says nothing is unsure":    {[]diag.Diagnostic{{Fixes: []diag.Fix{{Edits: []diag.Edit{{}}}}}}, false, ""},
		"advice changes nothing":         {[]diag.Diagnostic{{Severity: diag.Advice, Fixes: safe.Fixes}}, true, ""},
		"two ways out":                   {[]diag.Diagnostic{{Fixes: append(fix(at(0, 1), diag.Safe), safe.Fixes...)}}, true, ""},
		"another error there":            {[]diag.Diagnostic{safe, {Span: at(4, 6)}}, false, ""},
		"another warning there":          {[]diag.Diagnostic{safe, {Span: at(2, 3), Severity: diag.Warning}}, false, ""},
		"another error elsewhere":        {[]diag.Diagnostic{safe, {Span: at(5, 6)}}, false, "safe "},
		"advice there":                   {[]diag.Diagnostic{safe, {Span: at(2, 3), Severity: diag.Advice}}, false, "safe "},
		"two that change the same place": {[]diag.Diagnostic{{Code: "a", Span: at(8, 9), Fixes: safe.Fixes}, {Code: "b", Span: at(10, 11), Fixes: safe.Fixes}}, false, "a "},
	} {
		got := ""
		for _, r := range mend.Choose(c.list, c.suggestions) {
			got += r.Of.Code + " "
		}
		if got != c.want {
			t.Errorf("%s: %q are chosen, want %q", name, got, c.want)
		}
	}
}

func TestApply(t *testing.T) {
	edits := []diag.Edit{{Span: at(6, 7), New: "["}, {Span: at(0, 0), New: "# "}, {Span: at(3, 5)}}
	if got := mend.Apply("a: (b)!c", edits); got != "# a: )[c" {
		t.Errorf("%q", got)
	}
	if edits[0].Span.Start != 6 {
		t.Error("the caller's edits were changed")
	}
}
