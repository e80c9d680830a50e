package diag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/configedit/diag"
)

func TestSort(t *testing.T) {
	list := []diag.Diagnostic{
		{Code: "c", Span: diag.Span{Start: 5, End: 6}},
		{Code: "b", Span: diag.Span{Start: 1, End: 9}, Severity: diag.Warning},
		{Code: "b", Span: diag.Span{Start: 1, End: 9}},
		{Code: "a", Span: diag.Span{Start: 1, End: 2}},
	}
	diag.Sort(list)
	var got []string
	for _, d := range list {
		got = append(got, d.Severity.String()+" "+d.Code)
	}
	want := []string{"error a", "error b", "warning b", "error c"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestHasErrors(t *testing.T) {
	warning := diag.Diagnostic{Severity: diag.Warning}
	if diag.HasErrors([]diag.Diagnostic{warning}) {
		t.Error("a warning counts as an error")
	}
	if !diag.HasErrors([]diag.Diagnostic{warning, {}}) {
		t.Error("an error does not count")
	}
}

func TestSpan(t *testing.T) {
	s := diag.Span{Start: 2, End: 4}
	if s.Contains(4) || !s.Contains(2) || !s.Touches(4) || s.IsEmpty() || s.Len() != 2 {
		t.Errorf("%v answers wrongly", s)
	}
	if got := s.Join(diag.Span{Start: 7, End: 9}); got != (diag.Span{Start: 2, End: 9}) {
		t.Errorf("joined: %v", got)
	}
}
