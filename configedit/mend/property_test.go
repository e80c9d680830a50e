package mend_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/mend"
	"conch/configedit/text"
)

// broken are the configs below folders for which a safe fix is proposed, sorted.
func broken(t testing.TB, folders ...string) []string {
	t.Helper()
	return slices.DeleteFunc(configs(t, folders...), func(src string) bool {
		list, _ := judge(src)
		return !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return len(safeOf(d)) > 0 })
	})
}

func safeOf(d diag.Diagnostic) []diag.Fix {
	return slices.DeleteFunc(slices.Clone(d.Fixes), func(f diag.Fix) bool { return !f.Confidence.IsSafe() || f.Edits[0].File != "" })
}

// TestSafeFixes makes each safe fix of the golden cases alone, and of configs from which something was deleted.
func TestSafeFixes(t *testing.T) {
	tried := 0
	for _, src := range broken(t, corpusFolders...) {
		tried += fixesHold(t, src)
	}
	if tried < 30 {
		t.Errorf("only %d safe fixes of golden cases", tried)
	}
	sound := corpus(t)
	for r := rand.New(rand.NewPCG(1, 2)); tried < 1000; {
		if m, ok := mutate(r, sound[r.IntN(len(sound))]); ok {
			tried += fixesHold(t, m.src)
		}
	}
}

// fixesHold makes each safe fix of a config alone: its mistake is gone, no other one of the text is new, and of what the
// config says only the field at the fix has become another. It tells how many there are.
func fixesHold(t *testing.T, src string) int {
	t.Helper()
	tried := 0
	list, before := judge(src)
	for _, d := range list {
		for _, fix := range safeOf(d) {
			tried++
			after := mend.Apply(src, fix.Edits)
			left, now := judge(after)
			if len(ofText(left)) != len(ofText(list))-1 {
				t.Errorf("%s: %s leaves %d mistakes of %d in\n%s", d.Code, fix.Title, len(ofText(left)), len(ofText(list)), after)
			}
			at := fieldAt(after, fix.Edits[0].Span.Start)
			for _, path := range differences(before, now) {
				if !strings.HasPrefix(path, at) && !strings.HasPrefix(at, path) {
					t.Errorf("%s: %s at %s changes %s in\n%s", d.Code, fix.Title, at, path, after)
				}
			}
		}
	}
	return tried
}

// ofText are the errors of the text itself, not those of the rules.
func ofText(list []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(errorsOf(list), func(d diag.Diagnostic) bool { return !strings.HasPrefix(d.Code, "TXT-") })
}

// fieldAt names the field at an offset, such as input.dims.
func fieldAt(src string, off int) string {
	doc, _ := text.Parse(text.NewFile("", []byte(src)))
	c := doc.At(off)
	path := ""
	for _, name := range c.Names() {
		path += name + "."
	}
	if c.Field != nil {
		path += c.Field.Name.Text + "."
	}
	return path
}

// differences names the fields in which two messages differ, such as input.dims.
func differences(a, b proto.Message) []string {
	found := map[string]bool{}
	differ(a.ProtoReflect(), b.ProtoReflect(), "", found)
	return slices.Sorted(maps.Keys(found))
}

func differ(a, b protoreflect.Message, path string, found map[string]bool) {
	for i := range a.Descriptor().Fields().Len() {
		fd := a.Descriptor().Fields().Get(i)
		at, x, y := path+string(fd.Name())+".", a.Get(fd), b.Get(fd)
		switch {
		case x.Equal(y) && a.Has(fd) == b.Has(fd):
		case fd.IsList() && fd.Message() != nil && x.List().Len() == y.List().Len():
			for k := range x.List().Len() {
				differ(x.List().Get(k).Message(), y.List().Get(k).Message(), at, found)
			}
		case fd.Message() != nil && !fd.IsList() && !fd.IsMap() && a.Has(fd) && b.Has(fd):
			differ(x.Message(), y.Message(), at, found)
		default:
			found[at] = true
		}
	}
}
