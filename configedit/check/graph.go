package check

import "conch/configedit/backends"

// NodeKind is the kind of a node of an ensemble's graph.
type NodeKind int

// The kinds of node.
const (
	InputNode NodeKind = iota
	StepNode
	OutputNode
)

// EnsembleGraph is an ensemble as a graph: its inputs, steps and outputs, and the tensors between them.
type EnsembleGraph struct {
	Nodes []Node
	Edges []Edge
}

// Node is an input or output of the ensemble, or a step.
type Node struct {
	// ID is stable while the list of steps keeps its order: "input:IMAGE", "step:0".
	ID   string
	Kind NodeKind
	// Label is the name of the tensor or model, or the number of a step that names no model.
	Label string
	// Model and Version are those of a step.
	Model   string
	Version int64
	// Inputs and Outputs are the step's tensors, in the model's order; those that only the ensemble names come last.
	Inputs, Outputs []Port
	// Problem says what is wrong with the node; it is empty if nothing is.
	Problem string
	// Offset is the place of the node in the config.
	Offset int
}

// Port is a tensor of a step's model.
type Port struct {
	Name     string
	Datatype string // as the API has it: FP32, BYTES
	Dims     []int64
	Shape    []int64 // effective
	Optional bool
}

// Edge carries a tensor from an input or step to a step or output.
type Edge struct {
	ID                 string
	Source, SourcePort string
	Target, TargetPort string
	Tensor             string
	Datatype           string
	Shape              []int64 // effective
	// Problem says what is wrong with the edge, with both types and shapes where they differ.
	Problem string
	Offset  int
}

// Graph returns the graph of an ensemble, or nil for other models.
func Graph(m *Model, env Env) *EnsembleGraph {
	c := newChecker(m, env, newShared())
	if !backends.IsEnsemble(c.cfg) {
		return nil
	}
	e := newEnsemble(c)
	if c.cfg.GetEnsembleScheduling() != nil {
		e.check()
	}
	return e.draw()
}
