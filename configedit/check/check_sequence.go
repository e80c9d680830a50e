package check

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// control is short for the generated names.
type (
	control      = modelconfig.ModelSequenceBatching_Control
	controlInput = modelconfig.ModelSequenceBatching_ControlInput
)

// controlKinds are in the order in which Triton looks at them.
var controlKinds = []modelconfig.ModelSequenceBatching_Control_Kind{
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_START,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_END,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_READY,
	modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID,
}

// checkSequenceBatching: SB1 to SB14.
func (c *checker) checkSequenceBatching() {
	batching := c.cfg.GetSequenceBatching()
	if batching == nil {
		return
	}
	c.sequenceCache()
	c.controlNames(batching.ControlInput)
	for _, kind := range controlKinds {
		c.controlKind(kind, batching.ControlInput)
	}
	if oldest := batching.GetOldest(); oldest != nil {
		c.preferred(preferredRules{
			path: []any{"sequence_batching", "oldest", "preferred_batch_size"}, positive: "SB12", bounded: "SB13",
			sentence: "sequence batching preferred batch size must be",
		}, oldest.PreferredBatchSize)
	}
	if use := batching.GetDirect().GetMinimumSlotUtilization(); use < 0 || use > 1 {
		c.add(stagePoll, diag.Diagnostic{
			Code: "SB14", Span: c.span("sequence_batching", "direct", "minimum_slot_utilization"),
			Message: say("minimum_slot_utilization is %v; it is a share of the slots, from 0 to 1", use),
			Triton:  triton("sequence batching minimum slot utilization must be in range (0.0, 1.0] for %s", c.cfg.GetName()),
		})
	}
	c.checkStates(batching.State)
}

// sequenceCache: SB1.
func (c *checker) sequenceCache() {
	if !c.cfg.GetResponseCache().GetEnable() {
		return
	}
	c.add(stagePoll, diag.Diagnostic{
		Code: "SB1", Span: c.span("response_cache", "enable"),
		Message: "an answer in a sequence depends on the requests before it, so that it cannot be cached",
		Triton: triton("Response Cache does not currently support model %s with sequence batching scheduler. Please disable the response cache.",
			c.cfg.GetName()),
		Related: []diag.Related{{Span: c.name("sequence_batching"), Message: "sequences are switched on here"}},
		Fixes:   replace("replace the value by false", c.span("response_cache", "enable"), "false"),
	})
}

func controlPath(i int, rest ...any) []any {
	return append([]any{"sequence_batching", "control_input", i}, rest...)
}

// controlNames: SB2 and SB3, which Triton looks at first, whatever the kind.
func (c *checker) controlNames(inputs []*controlInput) {
	first := map[string]int{}
	for i, input := range inputs {
		if input.Name == "" {
			if !c.spoiled(controlPath(i)...) {
				c.add(stagePoll, diag.Diagnostic{
					Code: "SB2", Span: c.span(controlPath(i, "name")...), Message: "this control input does not say its name",
					Triton: triton("sequence batching control tensor must have a name for %s", c.cfg.GetName()),
				})
			}
			continue
		}
		if before, twice := first[input.Name]; twice {
			c.add(stagePoll, diag.Diagnostic{
				Code: "SB3", Span: c.span(controlPath(i, "name")...),
				Message: say("control input %q is given twice; one entry may hold several controls", input.Name),
				Triton: triton("sequence batching control tensor '%s' is specified for multiple control kinds for %s",
					input.Name, c.cfg.GetName()),
				Related: []diag.Related{{Span: c.span(controlPath(before, "name")...), Message: "given here first"}},
			})
			continue
		}
		first[input.Name] = i
	}
}

// controlKind: SB4 to SB11, for one kind of control.
func (c *checker) controlKind(kind modelconfig.ModelSequenceBatching_Control_Kind, inputs []*controlInput) {
	seen := -1
	for i, input := range inputs {
		for j, ctl := range input.Control {
			if ctl.Kind != kind {
				continue
			}
			path := controlPath(i, "control", j)
			if seen >= 0 {
				c.add(stagePoll, diag.Diagnostic{
					Code: "SB4", Span: c.span(append(path, "kind")...), Message: say("%s is given to a second tensor", kind),
					Triton: triton("sequence batching specifies multiple %s tensors for %s", kind, c.cfg.GetName()),
				})
				continue
			}
			seen = i
			if kind == modelconfig.ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID {
				c.correlation(path, ctl)
			} else {
				c.falseTrue(path, ctl)
			}
		}
	}
}

// lists are the false/true lists of a control by name, with their lengths.
func lists(ctl *control) (names []string, lengths []int) {
	for _, l := range []struct {
		name string
		n    int
	}{{"int32_false_true", len(ctl.Int32FalseTrue)}, {"fp32_false_true", len(ctl.Fp32FalseTrue)}, {"bool_false_true", len(ctl.BoolFalseTrue)}} {
		if l.n > 0 {
			names, lengths = append(names, l.name), append(lengths, l.n)
		}
	}
	return names, lengths
}

const allLists = "'int32_false_true', 'fp32_false_true' or 'bool_false_true'"

// falseTrue: SB5 to SB9, a control whose values say no and yes.
func (c *checker) falseTrue(path []any, ctl *control) {
	names, lengths := lists(ctl)
	model := c.cfg.GetName()
	switch {
	case len(names) == 0:
		if c.spoiled(path...) {
			return
		}
		c.add(stagePoll, diag.Diagnostic{
			Code: "SB5", Span: c.span(append(path, "kind")...),
			Message: say("%s does not say which values mean no and yes", ctl.Kind),
			Triton:  triton("sequence batching must specify either %s for %s for %s", allLists, ctl.Kind, model),
			Fixes:   c.insert("fp32_false_true: [ 0, 1 ]", path...),
		})
	case len(names) > 1:
		c.add(stagePoll, diag.Diagnostic{
			Code: "SB6", Span: c.name(append(path, names[1])...),
			Message: say("%s has values of two types, %s and %s", ctl.Kind, names[0], names[1]),
			Triton: triton("sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and 'bool_false_true' for %s for %s",
				ctl.Kind, model),
			Fixes: c.remove("remove "+names[1], append(path, names[1])...),
		})
	case lengths[0] != 2:
		code := map[string]string{"int32_false_true": "SB7", "fp32_false_true": "SB8", "bool_false_true": "SB9"}[names[0]]
		c.add(stagePoll, diag.Diagnostic{
			Code: code, Span: c.span(append(path, names[0])...),
			Message: say("%s needs two values, for no and yes, and has %d", names[0], lengths[0]),
			Triton:  triton("sequence batching control '%s' must have exactly 2 entries for %s for %s", names[0], ctl.Kind, model),
		})
	}
}

// correlation: SB10 and SB11.
func (c *checker) correlation(path []any, ctl *control) {
	if names, _ := lists(ctl); len(names) > 0 {
		c.add(stagePoll, diag.Diagnostic{
			Code: "SB10", Span: c.name(append(path, names[0])...),
			Message: say("the correlation ID is a value of its own and takes no %s", names[0]),
			Triton:  triton("sequence batching must not specify either %s for CONTROL_SEQUENCE_CORRID for %s", allLists, c.cfg.GetName()),
			Fixes:   c.remove("remove "+names[0], append(path, names[0])...),
		})
		return
	}
	allowed := []modelconfig.DataType{
		modelconfig.DataType_TYPE_UINT64, modelconfig.DataType_TYPE_INT64, modelconfig.DataType_TYPE_UINT32,
		modelconfig.DataType_TYPE_INT32, modelconfig.DataType_TYPE_STRING,
	}
	if slices.Contains(allowed, ctl.DataType) || ctl.DataType == 0 && c.spoiled(path...) {
		return
	}
	d := diag.Diagnostic{
		Code: "SB11", Span: c.span(append(path, "data_type")...),
		Message: say("a correlation ID cannot be %s; it is an integer of 32 or 64 bits or a string", ctl.DataType),
		Triton: triton("unexpected data type for control CONTROL_SEQUENCE_CORRID for %s. Allowed data types are "+
			"TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING", c.cfg.GetName()),
	}
	if c.has(append(path, "data_type")...) {
		d.Fixes = replace(say("replace %s by TYPE_UINT64", ctl.DataType), d.Span, "TYPE_UINT64")
	} else {
		d.Span, d.Message = c.span(append(path, "kind")...), "the correlation ID does not say its data_type"
		d.Fixes = c.insert("data_type: TYPE_UINT64", path...)
	}
	c.add(stagePoll, d)
}
