package onnxtest

// AddSub adds and subtracts two INT32 inputs of the given dims.
func AddSub(dims ...any) Model {
	d := Dims(dims...)
	return Model{
		Inputs:  []Value{{Name: "INPUT0", Type: Int32, Dims: d}, {Name: "INPUT1", Type: Int32, Dims: d}},
		Outputs: []Value{{Name: "OUTPUT0", Type: Int32, Dims: d}, {Name: "OUTPUT1", Type: Int32, Dims: d}},
		Nodes: []Node{
			{Op: "Add", Inputs: []string{"INPUT0", "INPUT1"}, Outputs: []string{"OUTPUT0"}},
			{Op: "Sub", Inputs: []string{"INPUT0", "INPUT1"}, Outputs: []string{"OUTPUT1"}},
		},
	}
}

// Identity returns its input back, whatever its type.
func Identity(elem int, dims ...any) Model {
	d := Dims(dims...)
	return Model{
		Inputs:  []Value{{Name: "INPUT", Type: elem, Dims: d}},
		Outputs: []Value{{Name: "OUTPUT", Type: elem, Dims: d}},
		Nodes:   []Node{{Op: "Identity", Inputs: []string{"INPUT"}, Outputs: []string{"OUTPUT"}}},
	}
}

// Total adds up all elements of a FP32 input into a scalar.
func Total(dims ...any) Model {
	return Model{
		Inputs:  []Value{{Name: "INPUT", Type: Float, Dims: Dims(dims...)}},
		Outputs: []Value{{Name: "OUTPUT", Type: Float, Dims: Dims()}},
		Nodes: []Node{{Op: "ReduceSum", Inputs: []string{"INPUT"}, Outputs: []string{"OUTPUT"},
			Attributes: map[string]any{"keepdims": int64(0)}}},
	}
}

// NonZero returns the places of what is not zero: an output whose shape depends on the values.
func NonZero() Model {
	return Model{
		Inputs:  []Value{{Name: "INPUT", Type: Float, Dims: Dims("n")}},
		Outputs: []Value{{Name: "OUTPUT", Type: Int64, Dims: Dims(1, "found")}},
		Nodes:   []Node{{Op: "NonZero", Inputs: []string{"INPUT"}, Outputs: []string{"OUTPUT"}}},
	}
}

// Slow multiplies a square FP32 matrix with itself many times over: a run that
// lasts long enough to be cancelled.
func Slow(size, times int) Model {
	m := Model{
		Inputs:  []Value{{Name: "INPUT", Type: Float, Dims: Dims(size, size)}},
		Outputs: []Value{{Name: "OUTPUT", Type: Float, Dims: Dims(size, size)}},
	}
	from := "INPUT"
	for i := range times {
		to := "OUTPUT"
		if i < times-1 {
			to = "step" + string(rune('A'+i/26%26)) + string(rune('A'+i%26)) + string(rune('A'+i/676))
		}
		m.Nodes = append(m.Nodes, Node{Op: "MatMul", Inputs: []string{from, "INPUT"}, Outputs: []string{to}})
		from = to
	}
	return m
}

// Running adds INPUT to what it added before in the same sequence: the state goes in as SUM and comes out as SUM_NEXT,
// and START (INT32) begins again. WHO is the correlation ID that it was told.
func Running() Model {
	column := Dims("n", 1)
	return Model{
		Inputs: []Value{
			{Name: "INPUT", Type: Int32, Dims: column}, {Name: "START", Type: Int32, Dims: column},
			{Name: "READY", Type: Int32, Dims: column}, {Name: "CORRID", Type: Int64, Dims: column},
			{Name: "SUM", Type: Int32, Dims: column},
		},
		Outputs: []Value{
			{Name: "OUTPUT", Type: Int32, Dims: column}, {Name: "WHO", Type: Int64, Dims: column},
			{Name: "THERE", Type: Int32, Dims: column}, {Name: "SUM_NEXT", Type: Int32, Dims: column},
		},
		Initializers: []Initializer{{Name: "one", Type: Int32, Dims: []int64{1}, Raw: []byte{1, 0, 0, 0}}},
		Nodes: []Node{
			{Op: "Sub", Inputs: []string{"one", "START"}, Outputs: []string{"goes_on"}},
			{Op: "Mul", Inputs: []string{"SUM", "goes_on"}, Outputs: []string{"before"}},
			{Op: "Add", Inputs: []string{"before", "INPUT"}, Outputs: []string{"OUTPUT"}},
			{Op: "Identity", Inputs: []string{"OUTPUT"}, Outputs: []string{"SUM_NEXT"}},
			{Op: "Identity", Inputs: []string{"CORRID"}, Outputs: []string{"WHO"}},
			{Op: "Identity", Inputs: []string{"READY"}, Outputs: []string{"THERE"}},
		},
	}
}
