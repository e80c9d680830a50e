package names_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/diag"
	"conch/configedit/names"
)

// cursor marks the places that are asked about.
const cursor = "<|>"

// TestNames reads every case of testdata, a repository with cursors in its configs, and compares what stands at each,
// where else it does, and what renaming it would write.
func TestNames(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) { c.Want(answers(t, c.Files())) })
}

func answers(t *testing.T, files map[string]string) string {
	offsets := map[string][]int{}
	for name, text := range files {
		for i := strings.Index(text, cursor); i >= 0; i = strings.Index(text, cursor) {
			text = text[:i] + text[i+len(cursor):]
			model, _, _ := strings.Cut(name, "/")
			offsets[model] = append(offsets[model], i)
		}
		files[name] = text
	}
	r := checktest.New(t, files)
	var b strings.Builder
	for _, model := range r.Names() {
		m, _ := r.Model(model)
		for _, offset := range offsets[model] {
			answer(t, &b, m, offset, r)
		}
	}
	return b.String()
}

func answer(t *testing.T, b *strings.Builder, m *check.Model, offset int, r *checktest.Repository) {
	found, ok := names.At(m, offset, r)
	fmt.Fprintf(b, "%s ", where(m, offset))
	if !ok {
		fmt.Fprintln(b, "names nothing")
		return
	}
	fmt.Fprintln(b, found.Subject)
	for _, p := range names.Places(found.Subject, r) {
		other, _ := r.Model(p.Model)
		word := "use"
		if p.Definition {
			word = "definition"
		}
		fmt.Fprintf(b, "    %s %s: %s\n", where(other, p.Span.Start), word, p.Role)
	}
	plan, err := names.Rename(found.Subject, "renamed", r)
	if err != nil {
		fmt.Fprintf(b, "  not renamed: %v\n", err)
		return
	}
	if plan.Warning != "" {
		fmt.Fprintf(b, "  warning: %s\n", plan.Warning)
	}
	thereAndBack(t, r, found.Subject, plan)
}

// thereAndBack renames and renames back, which has to give every byte of the repository back.
func thereAndBack(t *testing.T, r *checktest.Repository, s names.Subject, plan names.Plan) {
	files := map[string]string{}
	for name, text := range r.Files {
		files[name] = text
	}
	apply(files, plan)
	old := s.Tensor
	if s.Tensor == "" {
		old, s.Model = s.Model, "renamed"
		moved(files, old, "renamed")
	} else {
		s.Tensor = "renamed"
	}
	again := checktest.New(t, files)
	back, err := names.Rename(s, old, again)
	if err != nil || len(back.Edits) != len(plan.Edits) {
		t.Errorf("%v was renamed in %d places, back in %d: %v", s, len(plan.Edits), len(back.Edits), err)
		return
	}
	apply(files, back)
	if s.Tensor == "" {
		moved(files, "renamed", old)
	}
	for name, text := range files {
		if text != r.Files[name] {
			t.Errorf("renamed there and back, %s has become\n%s", name, text)
		}
	}
}

// moved gives a model's folder another name.
func moved(files map[string]string, from, to string) {
	for name, text := range maps.Clone(files) {
		if rest, ok := strings.CutPrefix(name, from+"/"); ok {
			delete(files, name)
			files[to+"/"+rest] = text
		}
	}
}

func apply(files map[string]string, plan names.Plan) {
	edits := slices.Clone(plan.Edits)
	slices.SortFunc(edits, func(a, b names.ModelEdit) int { return b.Span.Start - a.Span.Start })
	for _, e := range edits {
		name := e.Model + "/config.pbtxt"
		files[name] = files[name][:e.Span.Start] + e.New + files[name][e.Span.End:]
	}
}

func where(m *check.Model, offset int) string {
	line, col := m.Decoded.File.Position(offset)
	return fmt.Sprintf("%s:%d:%d", m.Name, line, col)
}

func TestRenameRefuses(t *testing.T) {
	r := checktest.New(t, map[string]string{
		"m/config.pbtxt": "backend: 'python' input { name: 'a' } input { name: 'b' } output { name: 'a' }",
	})
	a := names.Subject{Model: "m", Tensor: "a", Side: names.Input}
	for name, want := range map[string]string{
		"":     "a name is needed",
		"a":    "it already has this name",
		"b":    "m has a tensor of that name already, in line 1",
		"x\ny": "a name has no control characters",
	} {
		if _, err := names.Rename(a, name, r); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %q", name, err, want)
		}
	}
	plan, err := names.Rename(a, "it's", r)
	if err != nil || len(plan.Edits) != 1 || plan.Edits[0].New != `"it's"` {
		t.Errorf("%v %v", plan, err)
	}
}

// FuzzAt asks at every kind of place of broken texts.
func FuzzAt(f *testing.F) {
	f.Add("ensemble_scheduling { step [ { model_name: \"m\" input_map { key: \"\" value: ", 70)
	f.Add("input { name: 'a' 'b' } batch_input [ { source_input: [ \"ab\" ] } ]", 17)
	f.Fuzz(func(t *testing.T, src string, offset int) {
		r := checktest.New(t, map[string]string{"m/config.pbtxt": src, "n/config.pbtxt": "ensemble_scheduling { step { model_name: 'm' } }"})
		m, _ := r.Model("m")
		found, ok := names.At(m, offset, r)
		if !ok {
			return
		}
		if places := names.Places(found.Subject, r); !slices.ContainsFunc(places, func(p names.Place) bool { return p.Span == found.Span }) {
			t.Errorf("%v at %v is not among its places %v", found.Subject, found.Span, places)
		}
		if plan, err := names.Rename(found.Subject, "renamed", r); err == nil {
			spans := map[diag.Span]bool{}
			for _, e := range plan.Edits {
				if e.Model == "m" && spans[e.Span] {
					t.Errorf("%v is edited twice", e.Span)
				}
				spans[e.Span] = spans[e.Span] || e.Model == "m"
			}
		}
	})
}
