package check_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/diag"
)

// TestCheck reads every case of testdata, a small repository each, and compares what a person sees of every model. What
// only could be better is told in the cases of the rules ADV….
func TestCheck(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		r := checktest.New(t, c.Files())
		c.Want(renderAll(r, strings.HasPrefix(c.Name, "ADV")))
		fixesWork(t, r)
	})
}

func renderAll(r *checktest.Repository, advice bool) string {
	var b strings.Builder
	for _, name := range r.Names() {
		m, _ := r.Model(name)
		list := append(append([]diag.Diagnostic{}, m.Syntax...), check.Check(m, r)...)
		if advice {
			list = append(list, check.Advise(m)...)
		}
		diag.Sort(list)
		if len(list) == 0 {
			fmt.Fprintf(&b, "%s: fine\n", name)
		}
		for _, d := range list {
			fmt.Fprintf(&b, "%s %s %s: %s\n", place(r, name, d.Span), d.Severity, d.Code, d.Message)
			if d.Triton != "" {
				fmt.Fprintf(&b, "  %s Triton: %s\n", map[bool]string{true: "*", false: " "}[d.First], d.Triton)
			}
			for _, rel := range d.Related {
				other, _, _ := strings.Cut(rel.File, "/")
				if other == "" {
					other = name
				}
				fmt.Fprintf(&b, "    see %s %s\n", place(r, other, rel.Span), rel.Message)
			}
			for _, fix := range d.Fixes {
				fmt.Fprintf(&b, "    fix: %s\n", fix.Title)
			}
		}
	}
	return b.String()
}

// place is a span with the words it covers.
func place(r *checktest.Repository, model string, s diag.Span) string {
	m, ok := r.Model(model)
	if !ok || m.Decoded == nil {
		return model
	}
	f := m.Decoded.File
	line, col := f.Position(s.Start)
	words := strings.Join(strings.Fields(f.Slice(s)), " ")
	if len(words) > 40 {
		words = words[:40] + "…"
	}
	return fmt.Sprintf("%s:%d:%d `%s`", model, line, col, words)
}

// fixesWork applies every fix alone: the text stays readable and the diagnostic is gone.
func fixesWork(t *testing.T, r *checktest.Repository) {
	t.Helper()
	for _, name := range r.Names() {
		m, _ := r.Model(name)
		for _, d := range check.Check(m, r) {
			for _, fix := range d.Fixes {
				tryFix(t, r, name, d, fix)
			}
		}
	}
}

func tryFix(t *testing.T, r *checktest.Repository, name string, d diag.Diagnostic, fix diag.Fix) {
	t.Helper()
	files := map[string]string{}
	for k, v := range r.Files {
		files[k] = v
	}
	for _, e := range fix.Edits {
		if strings.HasSuffix(e.File, "/") {
			files[e.File+".keep"] = ""
			fix.Edits = nil
		} else if e.From != "" {
			move(files, e.From, e.File)
			fix.Edits = nil
		} else if e.Makes {
			files[e.File] = e.New
			fix.Edits = nil
		}
	}
	files[name+"/config.pbtxt"] = apply(files[name+"/config.pbtxt"], fix.Edits)
	fixed := checktest.New(t, files)
	m, _ := fixed.Model(name)
	before, _ := r.Model(name)
	if len(m.Syntax) > len(before.Syntax) {
		t.Errorf("%s: fix %q breaks the text:\n%s", name, fix.Title, files[name+"/config.pbtxt"])
	}
	for _, left := range check.Check(m, fixed) {
		if left.Code == d.Code && left.Message == d.Message {
			t.Errorf("%s: fix %q leaves %s: %s\n%s", name, fix.Title, d.Code, d.Message, files[name+"/config.pbtxt"])
		}
	}
}

// move gives a file, or all files of a folder, another path.
func move(files map[string]string, from, to string) {
	for file, content := range files {
		if rest, below := strings.CutPrefix(file, from); below && (rest == "" || rest[0] == '/') {
			delete(files, file)
			files[to+rest] = content
		}
	}
}

func apply(src string, edits []diag.Edit) string {
	for i := len(edits) - 1; i >= 0; i-- {
		for _, e := range edits[i : i+1] {
			src = src[:e.Span.Start] + e.New + src[e.Span.End:]
		}
	}
	return src
}
