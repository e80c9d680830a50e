package apimessage

import (
	"conch/app/api"
	"conch/app/language"
	"conch/configedit/check"
	"conch/configedit/text"
)

// Graph converts the graph of an ensemble. Offsets are those of its own config.
func Graph(f *text.File, g *check.EnsembleGraph, a *language.Analysis) *api.GetGraphResponse {
	out := &api.GetGraphResponse{}
	for _, n := range g.Nodes {
		node := &api.GraphNode{
			Id:           n.ID,
			Kind:         nodeKinds[n.Kind],
			Label:        n.Label,
			Model:        n.Model,
			ModelVersion: n.Version,
			Inputs:       ports(n.Inputs),
			Outputs:      ports(n.Outputs),
			Problem:      Sentence(n.Problem),
			Offset:       uint32(f.UTF16(n.Offset)),
		}
		if m, ok := a.Model(n.Model); ok && n.Kind == check.StepNode {
			node.ModelKind = language.Kind(m.Effective())
		}
		out.Nodes = append(out.Nodes, node)
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, &api.GraphEdge{
			Id:         e.ID,
			Source:     e.Source,
			SourcePort: e.SourcePort,
			Target:     e.Target,
			TargetPort: e.TargetPort,
			Tensor:     e.Tensor,
			Datatype:   e.Datatype,
			Shape:      e.Shape,
			Problem:    Sentence(e.Problem),
			Offset:     uint32(f.UTF16(e.Offset)),
		})
	}
	return out
}

var nodeKinds = map[check.NodeKind]api.GraphNode_Kind{
	check.InputNode:  api.GraphNode_KIND_INPUT,
	check.StepNode:   api.GraphNode_KIND_STEP,
	check.OutputNode: api.GraphNode_KIND_OUTPUT,
}

func ports(list []check.Port) []*api.TensorSpec {
	out := make([]*api.TensorSpec, 0, len(list))
	for _, p := range list {
		out = append(out, &api.TensorSpec{Name: p.Name, Datatype: p.Datatype, Dims: p.Dims, Shape: p.Shape, Optional: p.Optional})
	}
	return out
}
