package check_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

// chain is a repository of ensembles that each hold the one before; asked counts how often a model was looked up.
type chain struct {
	models     map[string]*check.Model
	judgements check.Judgements
	asked      int
}

const tensors = `input { name: "A" data_type: TYPE_INT32 dims: 1 } output { name: "B" data_type: TYPE_INT32 dims: 1 } `

func newChain(count int) *chain {
	c := &chain{models: map[string]*check.Model{}}
	c.put("e0", `backend: "python" `+tensors)
	for i := range count {
		c.put(fmt.Sprintf("e%d", i+1), newEnsemble(i))
	}
	return c
}

// newEnsemble is the config of an ensemble of one model of the chain.
func newEnsemble(of int) string {
	return fmt.Sprintf(`platform: "ensemble" %s ensemble_scheduling { step { model_name: "e%d" model_version: -1
		input_map { key: "A" value: "A" } output_map { key: "B" value: "B" } } }`, tensors, of)
}

func (c *chain) put(name, config string) {
	decoded, syntax := modelconfig.Parse("config.pbtxt", []byte(config))
	c.models[name] = &check.Model{Name: name, Decoded: decoded, Syntax: syntax, Effective: decoded.Config, Facts: derive.Facts{ModelName: name}}
}

func (c *chain) Model(name string) (*check.Model, bool) {
	c.asked++
	m, ok := c.models[name]
	return m, ok
}

func (c *chain) Names() []string               { return nil }
func (c *chain) Judgements() *check.Judgements { return &c.judgements }

// forgetful is the same repository, which keeps nothing from one check to the next.
type forgetful struct{ check.Env }

// TestChainOfEnsembles: each ensemble of a chain is looked at a few times in all, when the whole chain is judged and when its end alone is.
func TestChainOfEnsembles(t *testing.T) {
	const count = 60
	work := func(count int, whole bool) int {
		c := newChain(count)
		if !whole {
			if list := check.Check(c.models[fmt.Sprintf("e%d", count)], forgetful{c}); len(list) > 0 {
				t.Fatal(list)
			}
			return c.asked
		}
		for i := count; i >= 0; i-- {
			if list := check.Check(c.models[fmt.Sprintf("e%d", i)], c); len(list) > 0 {
				t.Fatal(list)
			}
		}
		return c.asked
	}
	for _, whole := range []bool{true, false} {
		if few, many := work(count, whole), work(8*count, whole); many > 9*few {
			t.Errorf("whole chain %v: %d ensembles took %d steps, %d took %d", whole, count, few, 8*count, many)
		}
	}
}

// TestCircleOfEnsembles: what is said of one circle, and the work for it, grow with its models and not with their square.
func TestCircleOfEnsembles(t *testing.T) {
	const count, longest = 200, 300
	work := func(count int) int {
		c := newChain(count - 1)
		c.put("e0", newEnsemble(count-1))
		for i := range count {
			list := check.Check(c.models[fmt.Sprintf("e%d", i)], c)
			if len(list) != 1 || list[0].Code != "D2" || len(list[0].Message)+len(list[0].Triton) > longest {
				t.Fatalf("e%d of %d: %v", i, count, list)
			}
			last, first := fmt.Sprintf("e%d -> e%d", (i+1)%count, i), fmt.Sprintf("e%d -> e%d", i, (i+count-1)%count)
			if said := list[0].Message; !strings.Contains(said, first) || !strings.HasSuffix(said, last) {
				t.Fatalf("e%d of %d: %s", i, count, said)
			}
		}
		return c.asked
	}
	if few, many := work(count), work(10*count); many > 11*few {
		t.Errorf("%d ensembles took %d steps, %d took %d", count, few, 10*count, many)
	}
}

// TestWayIntoCircle: an ensemble that leads into a circle without being in it is told of the circle, however far it is.
func TestWayIntoCircle(t *testing.T) {
	for _, count := range []int{3, 2000} {
		c := newChain(count)
		c.put("e0", newEnsemble(1)) // e0 and e1 hold each other
		list := check.Check(c.models[fmt.Sprintf("e%d", count)], c)
		if len(list) != 1 || list[0].Code != "D2" || list[0].Triton != "" || len(list[0].Message) > 200 || !strings.Contains(list[0].Message, "e0 -> e1; ") {
			t.Errorf("%d: %v", count, list)
		}
		inner := check.Check(c.models["e1"], c)
		if len(inner) != 1 || inner[0].Message != "ensembles contain each other: e1 -> e0 -> e1" {
			t.Errorf("%d: %v", count, inner)
		}
	}
}
