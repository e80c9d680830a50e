package merge_test

import (
	"strings"
	"testing"

	"conch/app/handover/merge"
)

// TestMerge joins texts of lines that are written as letters.
func TestMerge(t *testing.T) {
	for name, c := range map[string]struct{ base, mine, fresh, want, conflicts string }{
		"nothing changed":            {"abc", "abc", "abc", "abc", ""},
		"the export alone":           {"abc", "abc", "aXc", "aXc", ""},
		"a person alone":             {"abc", "aXc", "abc", "aXc", ""},
		"both, far apart":            {"abcdefg", "aXcdefg", "abcdeYg", "aXcdeYg", ""},
		"both, the same":             {"abc", "aXc", "aXc", "aXc", ""},
		"both, one line":             {"abc", "aXc", "aYc", "aXc", "2: X | Y"},
		"lines beside each other":    {"abcd", "aXcd", "abYd", "aXcd", "2: Xc | bY"},
		"a person's lines at an end": {"abcde", "abcdeXY", "Zbcde", "ZbcdeXY", ""},
		"both add at one place":      {"ab", "aXb", "aYb", "aXb", "2: X | Y"},
		"a person removed, no more":  {"abcdef", "abdef", "abcdeX", "abdeX", ""},
		"a person removed a change":  {"abcdef", "abdef", "abXdef", "abdef", "3:  | X"},
		"a second conflict":          {"abcdefgh", "Xbcdefgh", "Ybcdefgh", "Xbcdefgh", "1: X | Y"},
		"empty":                      {"", "X", "Y", "X", "1: X | Y"},
	} {
		got, conflicts := merge.Texts(lines(c.base), lines(c.mine), lines(c.fresh))
		var told []string
		for _, x := range conflicts {
			told = append(told, string(rune('0'+x.Line))+": "+letters(x.Kept)+" | "+letters(x.Offered))
		}
		if letters(got) != c.want || strings.Join(told, ", ") != c.conflicts {
			t.Errorf("%s: %s, conflicts %q", name, letters(got), told)
		}
	}
}

func lines(letters string) string { return strings.Join(strings.Split(letters, ""), "\n") + "\n" }

func letters(lines string) string { return strings.ReplaceAll(lines, "\n", "") }

// FuzzMerge: a side that changed nothing never keeps the other's changes out, and two equal sides never conflict.
func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nX\nc\n")
	f.Add("", "\n")
	f.Add("a", "a\n")
	f.Fuzz(func(t *testing.T, base, side string) {
		for _, sides := range [][2]string{{side, base}, {base, side}, {side, side}} {
			if got, conflicts := merge.Texts(base, sides[0], sides[1]); got != side || len(conflicts) > 0 {
				t.Errorf("Texts(%q, %q, %q) = %q, %v", base, sides[0], sides[1], got, conflicts)
			}
		}
	})
}

// FuzzBothSides: what both sides changed in different places is joined in the same way from either side.
func FuzzBothSides(f *testing.F) {
	f.Add("a\nb\nc\nd\n", "X\nb\nc\nd\n", "a\nb\nc\nY\n")
	f.Add("a\nb\nc", "X\nb\nc", "a\nb\nc\n")
	f.Fuzz(func(t *testing.T, base, a, b string) {
		one, told := merge.Texts(base, a, b)
		other, again := merge.Texts(base, b, a)
		if len(told) != len(again) || len(told) == 0 && one != other {
			t.Errorf("Texts(%q, %q, %q) = %q with %d conflicts, the other way %q with %d", base, a, b, one, len(told), other, len(again))
		}
	})
}
