package derive

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// indexed takes the place from a name such as INPUT__0, as the backend does: what follows the first pair of
// underscores must be digits. No digits count as 0.
func indexed(name string) (int, bool) {
	_, digits, ok := strings.Cut(name, "__")
	if !ok || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	index, _ := strconv.Atoi(digits) // what is too large is no place in any case
	return index, true
}

// convention is how the backend finds the place of a tensor.
type convention int

const (
	byArgument convention = iota
	byIndex
	byOrder
)

// follow finds the convention that all names of a side follow.
func follow(names, arguments []string) convention {
	all := func(good func(string) bool) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !good(n) })
	}
	switch {
	case len(arguments) > 0 && all(func(n string) bool { return slices.Contains(arguments, n) }):
		return byArgument
	case all(func(n string) bool { _, ok := indexed(n); return ok }):
		return byIndex
	}
	return byOrder
}

func (c *torchCheck) names(side string) []string {
	var names []string
	if side == "input" {
		for _, in := range c.cfg.Input {
			names = append(names, in.Name)
		}
		return names
	}
	for _, out := range c.cfg.Output {
		names = append(names, out.Name)
	}
	return names
}

// followed returns the convention of a side. known is false if it depends on unknown arguments.
func (c *torchCheck) followed(side string) (how convention, known bool) {
	if side == "output" {
		return follow(c.names(side), nil), true
	}
	if c.model == nil {
		how = follow(c.names(side), nil)
		return how, how == byIndex
	}
	return follow(c.names(side), c.model.Names()), !c.model.Dictionary()
}

// controls: PT7. The tensors of sequence controls have to say their place.
func (c *torchCheck) controls() {
	for _, kind := range controlKinds {
		for i, input := range c.cfg.GetSequenceBatching().GetControlInput() {
			has := slices.ContainsFunc(input.Control, func(k *modelconfig.ModelSequenceBatching_Control) bool { return k.Kind == kind })
			if !has {
				continue
			}
			c.present++
			if _, ok := indexed(input.Name); !ok && input.Name != "" {
				c.add(&Problem{
					Rule: rule.PT7, Path: at("sequence_batching", "control_input", i, "name"),
					Triton: rule.PT7.Other(2, input.Name),
				})
			}
			break
		}
	}
}

// states: PT7. With states, all tensors have to say their place, and the states too.
func (c *torchCheck) states(side string) {
	states := c.cfg.GetSequenceBatching().GetState()
	if len(states) == 0 || len(c.names(side)) == 0 {
		return
	}
	if how, known := c.followed(side); known && how != byIndex {
		c.add(&Problem{
			Rule: rule.PT7, Code: rule.Invalid, Path: at(side, c.odd(side), "name"),
			Triton: rule.PT7.Sentence(c.cfg.Name),
		})
	}
	for i, s := range states {
		name, field := s.InputName, "input_name"
		if side == "output" {
			name, field = s.OutputName, "output_name"
		}
		if _, ok := indexed(name); !ok {
			c.add(&Problem{
				Rule: rule.PT7, Code: rule.Invalid, Path: at("sequence_batching", "state", i, field),
				Triton: rule.PT7.Other(1, c.cfg.Name, name),
			})
		}
	}
}

// odd is the first tensor of a side whose name says no place.
func (c *torchCheck) odd(side string) int {
	return max(0, slices.IndexFunc(c.names(side), func(n string) bool { _, ok := indexed(n); return !ok }))
}

// inputNames: PT8. If names have no meaning, Triton goes by their order. With one input this is right.
func (c *torchCheck) inputNames() {
	names := c.names("input")
	how, known := c.followed("input")
	switch {
	case c.model != nil && c.model.Dictionary():
		return // the names are its keys
	case !known:
		return
	case c.model == nil:
		c.twice()
		return
	}
	switch arguments := c.model.Names(); {
	case how == byOrder && len(names) > 1 && len(names) == len(arguments):
		i := slices.IndexFunc(names, func(n string) bool { _, ok := indexed(n); return !ok && !slices.Contains(arguments, n) })
		i = max(i, 0)
		c.add(&Problem{
			Rule: rule.PT8, Late: true, Path: at("input", i, "name"), Allowed: arguments,
			Triton: rule.PT8.Sentence(names[i], c.cfg.Name),
		})
	case how == byIndex:
		for i, n := range names {
			if place, _ := indexed(n); place >= max(len(arguments), len(names)) {
				c.add(&Problem{Rule: rule.PT8, Late: true, Path: at("input", i, "name"), Allowed: arguments})
			}
		}
		c.twice()
	}
}

// twice: PT8. Of two inputs with one place, one is lost.
func (c *torchCheck) twice() {
	seen := map[int]bool{}
	for i, n := range c.names("input") {
		place, _ := indexed(n)
		if seen[place] {
			c.add(&Problem{Rule: rule.PT8, Late: true, Path: at("input", i, "name")})
		}
		seen[place] = true
	}
}

// outputNames: PT9, outputs beyond the values that forward returns. Only the first request fails on them.
func (c *torchCheck) outputNames() {
	if c.model == nil {
		return
	}
	types := c.model.Outputs()
	if slices.ContainsFunc(types, modelfile.UnservedType) {
		c.add(&Problem{Rule: rule.PT9, Late: true, Path: at("output"), Allowed: []string{c.model.Returns}})
		return
	}
	if types == nil {
		return
	}
	how, _ := c.followed("output")
	for i, n := range c.names("output") {
		place := i
		if how == byIndex {
			place, _ = indexed(n)
		}
		if place >= len(types) {
			c.add(&Problem{
				Rule: rule.PT9, Late: true, Code: rule.Invalid, Path: at("output", i, "name"), Allowed: types,
				Triton: rule.PT9.Sentence(n, len(types)),
			})
		}
	}
}
