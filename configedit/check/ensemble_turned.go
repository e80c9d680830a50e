package check

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
)

// turnedMaps are entries of maps whose key and value are swapped. The wiring is wrong because of
// them as well. When it is right with the entries turned back, they are the mistake, and what the
// wiring says is not told beside them.
type turnedMaps struct {
	entries  int       // that are turned around
	told     int       // of them
	mistakes []mistake // of the wiring
}

// turnedEntries counts the entries that make the wiring right when they are turned back; 0 where they do not.
func (c *ensemble) turnedEntries() (count int) {
	if c.env == nil {
		return 0
	}
	cfg := proto.Clone(c.cfg).(*modelconfig.ModelConfig)
	for _, step := range cfg.GetEnsembleScheduling().GetStep() {
		m, ok := c.env.Model(step.ModelName)
		if !ok || mayAdd(m) {
			continue
		}
		count += c.turnBack(step.InputMap, names(m.Effective.GetInput()))
		count += c.turnBack(step.OutputMap, names(m.Effective.GetOutput()))
	}
	if count == 0 || !newWiring(cfg).whole() {
		return 0
	}
	return count
}

// turnBack turns entries back whose key is a tensor of the ensemble and whose value is one of the model.
func (c *ensemble) turnBack(entries map[string]string, tensors []string) (count int) {
	for _, key := range ports(entries) {
		value := entries[key]
		if _, taken := entries[value]; taken || slices.Contains(tensors, key) || !slices.Contains(tensors, value) || c.graph.wires[key] == nil {
			continue
		}
		delete(entries, key)
		entries[value] = key
		count++
	}
	return count
}

// whole tells that every tensor comes from one place and is used, and that every step runs.
func (w *wiring) whole() bool {
	for _, x := range w.order {
		if !x.sourced() || !x.used() || len(x.writers) > 1 {
			return false
		}
	}
	return !slices.Contains(w.flow((*wire).declared), false)
}

// saysTurned counts the finding about a turned entry. The first one has the sentence with which Triton
// refuses the wiring.
func (c *ensemble) saysTurned(d *finding) {
	c.turned.told++
	if c.turned.told > 1 || len(c.turned.mistakes) == 0 {
		return
	}
	first := c.turned.mistakes[0].finding
	d.sentence, d.stage, d.status = first.diagnostic().Triton, first.kept().stage, first.kept().status
}

// reportTurned tells what is wrong with the wiring where not all turned entries were told.
func (c *ensemble) reportTurned() {
	if c.turned.told >= c.turned.entries {
		return
	}
	for i := range c.turned.mistakes {
		c.report(c.turned.mistakes[i].finding)
	}
}
