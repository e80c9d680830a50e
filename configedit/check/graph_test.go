package check_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
)

// TestGraph draws every ensemble of testdata/graph.
func TestGraph(t *testing.T) {
	golden.Each(t, "testdata/graph", func(t *testing.T, c *golden.Case) {
		r := checktest.New(t, c.Files())
		got := ""
		for _, name := range r.Names() {
			m, _ := r.Model(name)
			got += drawn(m, check.Graph(m, r))
		}
		c.Want(got)
	})
}

func drawn(m *check.Model, g *check.EnsembleGraph) string {
	var b strings.Builder
	for _, h := range check.Hints(m) {
		fmt.Fprintf(&b, "%s hint at %s: %s\n", m.Name, line(m, h.Offset), h.Text)
	}
	if g == nil {
		return b.String()
	}
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%s node %s %q at %s %s\n", m.Name, n.ID, n.Label, line(m, n.Offset), n.Problem)
		for _, p := range n.Inputs {
			fmt.Fprintf(&b, "    in %s %s %v\n", p.Name, p.Datatype, p.Shape)
		}
		for _, p := range n.Outputs {
			fmt.Fprintf(&b, "    out %s %s %v\n", p.Name, p.Datatype, p.Shape)
		}
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "%s edge %s tensor %s %s %v at %s %s\n", m.Name, e.ID, e.Tensor, e.Datatype, e.Shape, line(m, e.Offset), e.Problem)
	}
	return b.String()
}

func line(m *check.Model, off int) string {
	line, col := m.Decoded.File.Position(off)
	return fmt.Sprintf("%d:%d", line, col)
}
