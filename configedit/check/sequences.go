package check

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// control is short for the generated names.
type (
	control     = modelconfig.ModelSequenceBatching_Control
	controlKind = modelconfig.ModelSequenceBatching_Control_Kind
)

// controlKinds are in the order in which Triton checks them.
var controlKinds = []controlKind{
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_START,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_END,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_READY,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID,
}

// sequences checks sequence_batching: SB1 to SB14, and its states.
type sequences struct {
	*checker
	batching *modelconfig.ModelSequenceBatching
}

func checkSequenceBatching(c *checker) {
	batching := c.cfg.GetSequenceBatching()
	if batching == nil {
		return
	}
	s := sequences{c, batching}
	s.cache()
	s.controls()
	if oldest := batching.GetOldest(); oldest != nil {
		c.preferred(preferredRules{
			path: []any{"sequence_batching", "oldest", "preferred_batch_size"}, positive: rule.SB12, bounded: rule.SB13,
		}, oldest.PreferredBatchSize)
	}
	s.slots()
	s.states()
}

// slots: SB14.
func (s sequences) slots() {
	use := s.batching.GetDirect().GetMinimumSlotUtilization()
	if use >= 0 && use <= 1 {
		return
	}
	s.report(finding{
		rule: rule.SB14, span: s.span("sequence_batching", "direct", "minimum_slot_utilization"),
		args:    values(s.cfg.GetName()),
		message: say("minimum_slot_utilization is %v; it is a share of the slots, from 0 to 1", use),
	})
}

// cache: SB1.
func (s sequences) cache() {
	if !s.cfg.GetResponseCache().GetEnable() {
		return
	}
	s.report(finding{
		rule: rule.SB1, span: s.span("response_cache", "enable"), args: values(s.cfg.GetName()),
		message: "an answer in a sequence depends on the requests before it, so it cannot be cached",
		related: []diag.Related{{Span: s.name("sequence_batching"), Message: "sequences are switched on here"}},
		fixes:   replace("replace the value by false", s.span("response_cache", "enable"), "false"),
	})
}

func controlPath(i int, rest ...any) []any {
	return append([]any{"sequence_batching", "control_input", i}, rest...)
}

// controls: SB2 to SB11. Triton walks over the control inputs once for each kind of control, and checks the names on
// each walk, so it reports mistakes of names on the first walk.
func (s sequences) controls() {
	names := map[string]int{}
	for n, kind := range controlKinds {
		seen := false
		for i, input := range s.batching.ControlInput {
			if n == 0 {
				s.inputName(i, input.Name, names)
			}
			seen = s.kind(kind, i, seen)
		}
	}
}

// inputName: SB2 and SB3; first are the names seen so far.
func (s sequences) inputName(i int, name string, first map[string]int) {
	if name == "" {
		s.unnamed(i)
		return
	}
	before, twice := first[name]
	if !twice {
		first[name] = i
		return
	}
	s.report(finding{
		rule: rule.SB3, span: s.span(controlPath(i, "name")...), args: values(name, s.cfg.GetName()),
		message: say("control input %q is given twice; one entry may hold several controls", name),
		related: []diag.Related{{Span: s.span(controlPath(before, "name")...), Message: "given here first"}},
	})
}

// unnamed: SB2.
func (s sequences) unnamed(i int) {
	if s.spoiled(controlPath(i)...) {
		return
	}
	s.report(finding{
		rule: rule.SB2, span: s.span(controlPath(i, "name")...), args: values(s.cfg.GetName()),
		message: "this control input does not say its name",
	})
}

// kind: SB4 to SB11, for one kind of control in one control input. seen reports whether there was one before, and the result
// whether there is one now.
func (s sequences) kind(kind controlKind, i int, seen bool) bool {
	for j, ctl := range s.batching.ControlInput[i].Control {
		if ctl.Kind != kind {
			continue
		}
		path := controlPath(i, "control", j)
		switch {
		case seen:
			s.report(finding{
				rule: rule.SB4, span: s.span(append(path, "kind")...), args: values(kind, s.cfg.GetName()),
				message: say("%s is given a second time; only one control of a config may have this kind", kind),
			})
		case kind == modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID:
			s.correlation(path, ctl)
		default:
			s.falseTrue(path, ctl)
		}
		seen = true
	}
	return seen
}

// falseTrueList is one of the lists of a control that say no and yes, and the rule about its length.
type falseTrueList struct {
	name   string
	length int
	rule   *rule.Rule
}

// lists returns the lists that a control has.
func lists(ctl *control) []falseTrueList {
	all := []falseTrueList{
		{"int32_false_true", len(ctl.Int32FalseTrue), rule.SB7},
		{"fp32_false_true", len(ctl.Fp32FalseTrue), rule.SB8},
		{"bool_false_true", len(ctl.BoolFalseTrue), rule.SB9},
	}
	return slices.DeleteFunc(all, func(l falseTrueList) bool { return l.length == 0 })
}

// falseTrue: SB5 to SB9, a control whose values say no and yes.
func (s sequences) falseTrue(path []any, ctl *control) {
	given := lists(ctl)
	args := values(ctl.Kind, s.cfg.GetName())
	switch {
	case len(given) == 0 && s.spoiled(path...):
	case len(given) == 0:
		s.report(finding{
			rule: rule.SB5, span: s.span(append(path, "kind")...), args: args,
			message: say("%s does not say which values mean no and yes", ctl.Kind),
			fixes:   s.insert("fp32_false_true: [ 0, 1 ]", path...),
		})
	case len(given) > 1:
		s.report(finding{
			rule: rule.SB6, span: s.name(append(path, given[1].name)...), args: args,
			message: say("%s has values of two types, %s and %s", ctl.Kind, given[0].name, given[1].name),
			fixes:   s.remove("remove "+given[1].name, append(path, given[1].name)...),
		})
	case given[0].length != 2:
		s.report(finding{
			rule: given[0].rule, span: s.span(append(path, given[0].name)...), args: args,
			message: say("%s needs two values, for no and yes, and has %d", given[0].name, given[0].length),
		})
	}
}

// correlationTypes are the types that can hold a correlation ID.
var correlationTypes = []modelconfig.DataType{
	modelconfig.DataType_TYPE_UINT64, modelconfig.DataType_TYPE_INT64, modelconfig.DataType_TYPE_UINT32,
	modelconfig.DataType_TYPE_INT32, modelconfig.DataType_TYPE_STRING,
}

// correlation: SB10 and SB11.
func (s sequences) correlation(path []any, ctl *control) {
	if given := lists(ctl); len(given) > 0 {
		name := given[0].name
		s.report(finding{
			rule: rule.SB10, span: s.name(append(path, name)...), args: values(s.cfg.GetName()),
			message: say("the correlation ID is a value of its own and takes no %s", name),
			fixes:   s.remove("remove "+name, append(path, name)...),
		})
		return
	}
	if slices.Contains(correlationTypes, ctl.DataType) || ctl.DataType == 0 && s.spoiled(path...) {
		return
	}
	f := finding{
		rule: rule.SB11, span: s.span(append(path, "data_type")...), args: values(s.cfg.GetName()),
		message: say("a correlation ID cannot be %s; it is an integer of 32 or 64 bits or a string", ctl.DataType),
	}
	if s.has(append(path, "data_type")...) {
		f.fixes = replace(say("replace %s by TYPE_UINT64", ctl.DataType), f.span, "TYPE_UINT64")
	} else {
		f.span, f.message = s.span(append(path, "kind")...), "the correlation ID does not say its data_type"
		f.fixes = s.insert("data_type: TYPE_UINT64", path...)
	}
	s.report(f)
}
