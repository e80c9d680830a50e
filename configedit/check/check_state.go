package check

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// checkStates holds the initial states of a sequence model against the states (triton-config B.2, scheduler).
func (c *checker) checkStates(states []*modelconfig.ModelSequenceBatching_State) {
	for i, s := range states {
		if len(s.InitialState) > 0 {
			c.initialState([]any{"sequence_batching", "state", i}, s)
		}
	}
}

// initialState: ST1 to ST7, the first that applies, in Triton's order.
func (c *checker) initialState(path []any, s *modelconfig.ModelSequenceBatching_State) {
	first, in := s.InitialState[0], s.InputName
	at := func(rest ...any) []any { return append(append(slices.Clone(path), "initial_state", 0), rest...) }
	report := func(code, message, sentence string, where []any) {
		if !c.spoiled(at()...) {
			c.add(stageScheduler, diag.Diagnostic{Code: code, Span: c.span(where...), Message: message, Triton: sentence})
		}
	}
	open := slices.Index(first.Dims, -1)
	other := slices.IndexFunc(first.Dims, func(int64) bool { return false })
	if len(first.Dims) == len(s.Dims) {
		for i := range s.Dims {
			if s.Dims[i] != -1 && s.Dims[i] != first.Dims[i] && other < 0 {
				other = i
			}
		}
	}
	switch {
	case len(s.InitialState) > 1:
		report("ST1", say("state %q has %d initial states; it takes one", in, len(s.InitialState)),
			triton("initial_state field for state input '%s' must contain exactly one or zero element. Found '%d' elements.", in, len(s.InitialState)),
			append(slices.Clone(path), "initial_state", 1))
	case first.DataType != s.DataType:
		report("ST2", say("the initial state of %q is %s, and the state %s", in, first.DataType, s.DataType),
			triton("The data type used for 'initial_state' field of state '%s' does not match the state data type.", in), at("data_type"))
	case first.Name == "":
		report("ST3", say("the initial state of %q has no name", in),
			triton("Field 'name' must be set when using initial_state for state input '%s'.", in), at("name"))
	case len(first.Dims) != len(s.Dims):
		report("ST4", say("the initial state of %q has %d dims, and the state %d", in, len(first.Dims), len(s.Dims)),
			triton("Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input '%s'. %d != %d",
				in, len(first.Dims), len(s.Dims)), at("dims"))
	case other >= 0:
		report("ST5", say("the initial state of %q has %d where the state has %d", in, first.Dims[other], s.Dims[other]),
			triton("'initial_state' dim for input name '%s' doesn't match 'state' dim description. %d != %d", in, first.Dims[other], s.Dims[other]),
			at("dims", other))
	case open >= 0:
		report("ST6", say("the initial state of %q needs fixed dims", in),
			triton("'initial_state' field for state input name '%s' contains variable dimensions.", in), at("dims", open))
	case first.StateData == nil:
		report("ST7", say("the initial state of %q has neither zero_data nor data_file", in),
			triton("initial_state setting expects state'%s' to have state_data set", in), at("name"))
	default:
		c.stateFile(at("data_file"), s)
	}
}

// stateFile: ST8 to ST10, the file that holds an initial state.
func (c *checker) stateFile(path []any, s *modelconfig.ModelSequenceBatching_State) {
	first := s.InitialState[0]
	name := first.GetDataFile()
	if name == "" {
		return
	}
	rel := "initial_state/" + name
	c.leaves("ST10", path, rel)
	if c.m.Folder == nil {
		return
	}
	if c.m.Folder.lacks(rel) {
		c.missingFile("ST8", stageScheduler, path, rel)
		return
	}
	need, have, short := c.tooShort(rel, first.DataType, first.Dims)
	if short {
		c.add(stageScheduler, diag.Diagnostic{
			Code: "ST9", Span: c.span(path...),
			Message: say("the initial state of %q takes %d bytes, and file %s has %d", s.InputName, need, rel, have),
			Triton:  triton("initial_state setting expects %d bytes, but the data provided from %sonly has %d bytes.", need, name, have),
		})
	}
}
