package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/check"
	"conch/configedit/check/checktest"
)

// TestGraph draws every ensemble of testdata/graph/*.txt and compares with the last section.
func TestGraph(t *testing.T) {
	paths, err := filepath.Glob("testdata/graph/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before, want, _ := strings.Cut(string(src), "-- want --\n")
			r := checktest.New(t, checktest.Sections(before))
			got := ""
			for _, name := range r.Names() {
				m, _ := r.Model(name)
				got += drawn(m, check.Graph(m, r))
			}
			if *update {
				if err := os.WriteFile(path, []byte(before+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Fatalf("%s written; run again without -update", path)
			}
			if got != want {
				t.Errorf("--- got\n%s--- want\n%s", got, want)
			}
		})
	}
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
