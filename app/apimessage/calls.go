package apimessage

import (
	"fmt"

	"conch/app/api"
	"conch/app/language"
	"conch/engine/kserve/enginepb"
)

// mostDrawn limits the called models of one graph.
const mostDrawn = 100

// GraphOfOne is the graph of a model that is not an ensemble, before its calls are added.
func GraphOfOne(m *language.Model) *api.GetGraphResponse {
	return &api.GetGraphResponse{Nodes: []*api.GraphNode{box("model", api.GraphNode_KIND_MODEL, m.Scan.Name, m)}}
}

// box is a node for a model with its tensors.
func box(id string, kind api.GraphNode_Kind, name string, m *language.Model) *api.GraphNode {
	cfg := m.Effective()
	return &api.GraphNode{
		Id: id, Kind: kind, Label: name, Model: name, ModelVersion: -1, ModelKind: language.Kind(cfg),
		Inputs: Tensors(language.Inputs(cfg)), Outputs: Tensors(language.Outputs(cfg)),
	}
}

// AddCalls adds what the models of a graph were seen calling, and what these called, each called model once. calls returns
// nil for a model without calls.
func AddCalls(out *api.GetGraphResponse, calls func(model string) *enginepb.ListCallsResponse, a *language.Analysis) {
	c := called{out: out, analysis: a, nodes: map[string]*api.GraphNode{}}
	var callers []*api.GraphNode
	for _, n := range out.Nodes {
		if n.Kind == api.GraphNode_KIND_STEP || n.Kind == api.GraphNode_KIND_MODEL {
			callers = append(callers, n)
		}
	}
	told := map[string]bool{}
	for ; len(callers) > 0; callers = callers[1:] {
		from := callers[0]
		if told[from.Model] {
			continue
		}
		told[from.Model] = true
		if list := calls(from.Model); list != nil {
			callers = append(callers, c.from(from, list)...)
		}
	}
}

// called adds called models to a graph.
type called struct {
	out      *api.GetGraphResponse
	analysis *language.Analysis
	nodes    map[string]*api.GraphNode // by name
}

// from adds the calls of one model. It returns the models that were not in the graph before.
func (c *called) from(from *api.GraphNode, list *enginepb.ListCallsResponse) (added []*api.GraphNode) {
	c.out.OtherCalls += list.Other
	for _, call := range list.Calls {
		to := c.nodes[call.Model]
		if to == nil {
			if len(c.nodes) == mostDrawn {
				c.out.OtherCalls += call.Count
				continue
			}
			to = c.node(call.Model)
			c.nodes[call.Model] = to
			c.out.Nodes = append(c.out.Nodes, to)
			added = append(added, to)
		}
		c.out.Edges = append(c.out.Edges, &api.GraphEdge{
			Id: from.Id + ">" + to.Id, Source: from.Id, Target: to.Id,
			Calls: &api.Calls{Count: call.Count, Failed: call.Failed, Error: call.Error, Last: call.LastMs, Running: call.Running, NewestFailed: call.NewestFailed},
		})
	}
	return added
}

func (c *called) node(name string) *api.GraphNode {
	id := "call:" + name
	if m, ok := c.analysis.Model(name); ok {
		return box(id, api.GraphNode_KIND_CALLED, name, m)
	}
	return &api.GraphNode{
		Id: id, Kind: api.GraphNode_KIND_CALLED, Label: name, Model: name, ModelVersion: -1,
		Problem: Sentence(fmt.Sprintf("there is no model %q in this repository, but it is called", name)),
	}
}
