package complete_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/complete"
)

// cursor marks the places that are asked about.
const cursor = "<|>"

// TestComplete reads every case of testdata, a repository with cursors in its configs, and compares what is offered and
// explained at each.
func TestComplete(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) { c.Want(answers(t, c.Files())) })
}

func answers(t *testing.T, files map[string]string) string {
	places := map[string][]int{}
	for name, text := range files {
		for i := strings.Index(text, cursor); i >= 0; i = strings.Index(text, cursor) {
			text = text[:i] + text[i+len(cursor):]
			model, _, _ := strings.Cut(name, "/")
			places[model] = append(places[model], i)
		}
		files[name] = text
	}
	r := checktest.New(t, files)
	var b strings.Builder
	for _, name := range r.Names() {
		m, _ := r.Model(name)
		for _, offset := range places[name] {
			answer(&b, m, offset, r)
		}
		if len(places[name]) > 0 {
			outline(&b, m, r)
		}
	}
	return b.String()
}

func answer(b *strings.Builder, m *check.Model, offset int, env check.Env) {
	file := m.Decoded.File
	line, col := file.Position(offset)
	a := complete.Complete(m, offset, env)
	fmt.Fprintf(b, "%s:%d:%d replaces `%s`\n", m.Name, line, col, file.Slice(a.Span))
	for _, item := range a.Items {
		fmt.Fprintf(b, "    %s %s | %s | %q\n", item.Kind, item.Label, item.Detail, item.Insert)
	}
	if h, ok := complete.Hover(m, offset, env); ok {
		fmt.Fprintf(b, "  hover `%s` %s\n", file.Slice(h.Span), h.Title)
		for l := range strings.Lines(h.Documentation) {
			fmt.Fprintf(b, "    %s\n", strings.TrimSpace(l))
		}
	}
}

func outline(b *strings.Builder, m *check.Model, env check.Env) {
	fmt.Fprintf(b, "%s outline\n", m.Name)
	for _, s := range complete.Outline(m) {
		line, _ := m.Decoded.File.Position(s.Span.Start)
		fmt.Fprintf(b, "    %*s%d: %s | %s\n", 2*s.Depth, "", line, s.Label, s.Detail)
	}
	for _, h := range complete.Hints(m, env) {
		line, col := m.Decoded.File.Position(h.Offset)
		fmt.Fprintf(b, "  hint %d:%d %s\n", line, col, h.Text)
	}
}

// FuzzComplete asks at every kind of place of broken texts.
func FuzzComplete(f *testing.F) {
	f.Add("name: \"m\"\ninput { dims: [ 1, ] data_type: }", 20)
	f.Add("ensemble_scheduling { step [ { model_name: \"m\" input_map { key: \"\" value: ", 70)
	f.Fuzz(func(t *testing.T, src string, offset int) {
		r := checktest.New(t, map[string]string{"m/config.pbtxt": src, "m/1/model.onnx": "input a TYPE_FP32 [-1, 2]\n"})
		m, _ := r.Model("m")
		a := complete.Complete(m, offset, r)
		if a.Span.Start > a.Span.End {
			t.Errorf("span %v", a.Span)
		}
		complete.Hover(m, offset, r)
		check.Check(m, r)
		check.Graph(m, r)
		check.Hints(m)
		complete.Hints(m, r)
		complete.Outline(m)
	})
}
