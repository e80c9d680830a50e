package sched

import "conch/engine/infer"

// The response parameters that name the sequence of a step's outputs, or of an ensemble's outputs.
const (
	sequenceID    = "sequence_id"
	sequenceStart = "sequence_start"
	sequenceEnd   = "sequence_end"
)

// sequenceOf returns the sequence of a step's outputs: the request's sequence, unless the response
// names another (docs/triton/ensembles.md, "How a request flows").
func sequenceOf(parameters map[string]any, of infer.Sequence) (infer.Sequence, error) {
	id, hasID := parameters[sequenceID]
	start, hasStart := parameters[sequenceStart]
	end, hasEnd := parameters[sequenceEnd]
	if !hasID && !hasStart && !hasEnd {
		return of, nil
	}
	told := infer.Sequence{ID: of.ID, Name: of.Name}
	switch id := id.(type) {
	case nil:
	case int64:
		told.ID, told.Name = uint64(id), ""
	case string:
		told.ID, told.Name = 0, id
	default:
		return of, infer.Errorf(infer.InvalidArg, "expected parameter 'sequence_id' to be TRITONSERVER_PARAMETER_INT or TRITONSERVER_PARAMETER_STRING")
	}
	var isFlag bool
	if told.Start, isFlag = start.(bool); hasStart && !isFlag {
		return of, infer.Errorf(infer.InvalidArg, "expect parameter 'sequence_start' to be TRITONSERVER_PARAMETER_BOOL")
	}
	if told.End, isFlag = end.(bool); hasEnd && !isFlag {
		return of, infer.Errorf(infer.InvalidArg, "expect parameter 'sequence_end' to be TRITONSERVER_PARAMETER_BOOL")
	}
	return told, nil
}

// sequenceParameters returns the parameters that every response of an ensemble has, even without a sequence. The ID
// is a string if the request's ID is one.
func sequenceParameters(s, request infer.Sequence) map[string]any {
	parameters := map[string]any{sequenceID: int64(s.ID), sequenceStart: s.Start, sequenceEnd: s.End}
	if request.Name != "" {
		parameters[sequenceID] = s.Name
	}
	return parameters
}
