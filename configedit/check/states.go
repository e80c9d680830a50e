package check

import (
	"slices"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// sequenceState is one state of a sequence model while it goes through Triton's checks.
type sequenceState struct {
	sequences
	index int
	state *modelconfig.ModelSequenceBatching_State
}

// states checks the states of a sequence model: ST1 to ST15.
func (s sequences) states() {
	s.unkept()
	first, begun := map[string]int{}, map[string]int{}
	for i, state := range s.batching.State {
		one := sequenceState{s, i, state}
		before, again := begun[state.InputName]
		again = again && len(state.InitialState) > 0
		if !again {
			one.twice(first)
		}
		one.growable()
		if len(state.InitialState) == 0 {
			continue
		}
		if one.initial(before, again); !again {
			begun[state.InputName] = i
		}
	}
}

func (s sequenceState) path(rest ...any) []any {
	return append([]any{"sequence_batching", "state", s.index}, rest...)
}

// initialPath returns a path in the first initial state.
func (s sequenceState) initialPath(rest ...any) []any {
	return s.path(append([]any{"initial_state", 0}, rest...)...)
}

// unkept: ST15, once for a model.
func (s sequences) unkept() {
	name := s.cfg.GetBackend()
	b := backends.Named(name)
	if len(s.batching.State) == 0 || !b.Runs || b.KeepsStates || s.spoiled("sequence_batching", "state", 0) {
		return
	}
	s.report(finding{
		rule: rule.ST15, span: s.name("sequence_batching", "state", 0),
		message: say("the backend %q keeps no states: each request of a sequence gets the same %q", name, s.batching.State[0].InputName),
	})
}

// twice: ST12; first are the states seen so far.
func (s sequenceState) twice(first map[string]int) {
	in := s.state.InputName
	before, twice := first[in]
	if !twice {
		first[in] = s.index
	}
	if !twice || in == "" || s.spoiled(s.path()...) {
		return
	}
	s.report(finding{
		rule: rule.ST12, span: s.span(s.path("input_name")...),
		message: say("state %q is given twice; the later one is not used", in),
		related: []diag.Related{{Span: s.span("sequence_batching", "state", before, "input_name"), Message: "given here first"}},
	})
}

// growable: ST10 and ST11, which fail only at the first request.
func (s sequenceState) growable() {
	f := finding{span: s.span(s.path("use_growable_memory")...), args: values(s.state.InputName)}
	switch {
	case !s.state.UseGrowableMemory:
		return
	case !s.state.UseSameBufferForInputOutput:
		f.rule, f.message = rule.ST10, "use_growable_memory needs use_same_buffer_for_input_output; requests will fail"
	case s.onlyCPU():
		f.rule, f.message = rule.ST11, "use_growable_memory works on GPUs only; requests will fail"
	default:
		return
	}
	s.report(f)
}

// onlyCPU reports whether the text itself puts every group on the CPU.
func (s sequenceState) onlyCPU() bool {
	if s.m.Decoded == nil || len(s.m.Decoded.Config.GetInstanceGroup()) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.m.Decoded.Config.GetInstanceGroup(), func(g *modelconfig.ModelInstanceGroup) bool {
		return g.Kind != modelconfig.ModelInstanceGroup_KIND_CPU
	})
}

// initial: ST1 to ST7 and ST14, the first that applies, in Triton's order. again means that an earlier state has an
// initial state for the same input.
func (s sequenceState) initial(before int, again bool) {
	first, in := s.state.InitialState[0], s.state.InputName
	differs, open := s.differs(first), slices.Index(first.Dims, -1)
	report := func(r *rule.Rule, where []any, args []any, message string) {
		if !s.spoiled(s.initialPath()...) {
			s.report(finding{rule: r, span: s.span(where...), message: message, args: args})
		}
	}
	switch {
	case len(s.state.InitialState) > 1:
		report(rule.ST1, s.path("initial_state", 1), values(in, len(s.state.InitialState)),
			say("state %q has %d initial states; it takes one", in, len(s.state.InitialState)))
	case first.DataType != s.state.DataType:
		report(rule.ST2, s.initialPath("data_type"), values(in),
			say("the initial state of %q is %s, and the state %s", in, first.DataType, s.state.DataType))
	case first.Name == "":
		report(rule.ST3, s.initialPath("name"), values(in), say("the initial state of %q has no name", in))
	case again:
		s.begunTwice(before)
	case len(first.Dims) != len(s.state.Dims):
		report(rule.ST4, s.initialPath("dims"), values(in, len(first.Dims), len(s.state.Dims)),
			say("the initial state of %q has %d dims, and the state %d", in, len(first.Dims), len(s.state.Dims)))
	case differs >= 0:
		report(rule.ST5, s.initialPath("dims", differs), values(in, first.Dims[differs], s.state.Dims[differs]),
			say("the initial state of %q has %d where the state has %d", in, first.Dims[differs], s.state.Dims[differs]))
	case open >= 0:
		report(rule.ST6, s.initialPath("dims", open), values(in), say("the initial state of %q needs fixed dims", in))
	case first.StateData == nil:
		report(rule.ST7, s.initialPath("name"), values(in), say("the initial state of %q has neither zero_data nor data_file", in))
	default:
		s.file(first)
	}
}

// begunTwice: ST14.
func (s sequenceState) begunTwice(before int) {
	if s.spoiled(s.path()...) {
		return
	}
	s.report(finding{
		rule: rule.ST14, span: s.span(s.path("input_name")...), args: values(s.state.InputName),
		message: say("state %q is given twice, and both have an initial state", s.state.InputName),
		related: []diag.Related{{Span: s.span("sequence_batching", "state", before, "input_name"), Message: "given here first"}},
	})
}

// differs returns the first dim in which the initial state differs from the state, or -1.
func (s sequenceState) differs(first *modelconfig.ModelSequenceBatching_InitialState) int {
	if len(first.Dims) != len(s.state.Dims) {
		return -1
	}
	for i, dim := range s.state.Dims {
		if dim != -1 && dim != first.Dims[i] {
			return i
		}
	}
	return -1
}

// file: ST8, ST9 and ST13, the file that holds an initial state.
func (s sequenceState) file(first *modelconfig.ModelSequenceBatching_InitialState) {
	name := first.GetDataFile()
	if name == "" {
		return
	}
	rel, path := "initial_state/"+name, s.initialPath("data_file")
	s.leaves(rule.ST13, path, rel)
	if s.m.Folder == nil {
		return
	}
	if s.m.Folder.lacks(rel) {
		s.missingFile(rule.ST8, path, rel)
		return
	}
	need, have, short := s.tooShort(rel, first.DataType, first.Dims)
	if short {
		s.report(finding{
			rule: rule.ST9, span: s.span(path...), args: values(need, name, have),
			message: say("the initial state of %q takes %d bytes, and file %s has %d", s.state.InputName, need, rel, have),
		})
	}
}
