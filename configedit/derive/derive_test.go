package derive_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/build/golden"
	"conch/configedit/derive"
)

func TestEffective(t *testing.T) {
	golden.Each(t, "testdata/effective", func(t *testing.T, read *golden.Case) {
		c := situation{read}
		cfg := c.config(t)
		before := proto.Clone(cfg)
		effective, filled, err := derive.Effective(cfg, c.facts(t))
		if cfg != nil && !proto.Equal(before, cfg) {
			t.Error("the given config was changed")
		}
		var b strings.Builder
		b.WriteString(show(t, effective))
		for _, f := range filled {
			fmt.Fprintf(&b, "+ %s: %s\n", showPath(f.Path), f.Reason)
		}
		if err != nil {
			b.WriteString(showProblem(err.(*derive.Problem)))
		}
		c.Want(b.String())
	})
}

func TestCheckONNX(t *testing.T) {
	golden.Each(t, "testdata/check", func(t *testing.T, read *golden.Case) {
		c := situation{read}
		var b strings.Builder
		for _, p := range derive.CheckONNX(c.config(t), c.facts(t).ONNX) {
			b.WriteString(showProblem(p))
		}
		c.Want(b.String())
	})
}

func showProblem(p *derive.Problem) string {
	return fmt.Sprintf("! %s %s at %s\n  %s\n", p.Rule.ID, p.Code, showPath(p.Path), p.Triton)
}

func TestFirstFolder(t *testing.T) {
	if got := derive.FirstFolder([]string{"2", "10", "configs"}); got != "10" {
		t.Errorf("got %q", got)
	}
	if got := derive.FirstFolder(nil); got != "" {
		t.Errorf("got %q for no folders", got)
	}
}

// What was completed once is complete: the engine completes a config that the editor showed.
func TestEffectiveIsIdempotent(t *testing.T) {
	for _, read := range golden.Cases(t, "testdata/effective") {
		c := situation{read}
		facts := c.facts(t)
		once, _, err := derive.Effective(c.config(t), facts)
		if err != nil {
			continue
		}
		twice, filled, err := derive.Effective(once, facts)
		if err != nil || len(filled) > 0 || !proto.Equal(once, twice) {
			t.Errorf("%s, a second time: %v %v", c.Path, filled, err)
		}
	}
}
