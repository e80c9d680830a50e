package check

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
)

// turnedMaps are entries of maps whose key and value are swapped. They also
// make the wiring wrong. If the wiring is right after the entries are swapped back, the entries are
// the mistake, and the errors of the wiring are not reported.
type turnedMaps struct {
	entries  int       // that are swapped
	told     int       // entries that were reported
	mistakes []mistake // mistakes of the wiring
	said     said      // what they say in the graph
}

// turnedEntries counts the entries that make the wiring right when they are swapped back. It returns 0 if they do not.
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

// turnBack swaps back the entries that have a tensor of the ensemble as key and a tensor of the model as value.
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

// whole reports whether every tensor comes from one place and is used, and every step runs.
func (w *wiring) whole() bool {
	for _, x := range w.order {
		if !x.sourced() || !x.used() || len(x.writers) > 1 {
			return false
		}
	}
	return !slices.Contains(w.flow((*wire).declared), false)
}

// saysTurned counts the finding about a swapped entry. The first one gets the sentence with which Triton
// refuses the wiring.
func (c *ensemble) saysTurned(d *finding) {
	c.turned.told++
	if c.turned.told > 1 || len(c.turned.mistakes) == 0 {
		return
	}
	first := c.turned.mistakes[0].finding
	d.sentence, d.stage, d.status = first.diagnostic().Triton, first.kept().stage, first.kept().status
}

// reportTurned reports the mistakes of the wiring if not all swapped entries were reported.
func (c *ensemble) reportTurned() {
	if c.turned.told >= c.turned.entries {
		return
	}
	c.graph.say(c.turned.said)
	for i := range c.turned.mistakes {
		c.report(c.turned.mistakes[i].finding)
	}
}
