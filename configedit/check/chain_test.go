package check_test

import (
	"fmt"
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

func newChain(count int) *chain {
	c := &chain{models: map[string]*check.Model{}}
	const tensors = `input { name: "A" data_type: TYPE_INT32 dims: 1 } output { name: "B" data_type: TYPE_INT32 dims: 1 } `
	c.put("e0", `backend: "python" `+tensors)
	for i := range count {
		c.put(fmt.Sprintf("e%d", i+1), fmt.Sprintf(`platform: "ensemble" %s ensemble_scheduling { step { model_name: "e%d" model_version: -1
			input_map { key: "A" value: "A" } output_map { key: "B" value: "B" } } }`, tensors, i))
	}
	return c
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
