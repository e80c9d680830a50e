package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/configedit/explain"
	"conch/configedit/rule"
)

// sides are the sides of an example, in the API's values.
var sides = map[explain.Mark]api.ExampleLine_Side{
	explain.Both: api.ExampleLine_SIDE_BOTH, explain.Wrong: api.ExampleLine_SIDE_WRONG, explain.Right: api.ExampleLine_SIDE_RIGHT,
}

// ExplainRule explains a rule.
func (s *editorService) ExplainRule(_ context.Context, q *connect.Request[api.ExplainRuleRequest]) (*connect.Response[api.ExplainRuleResponse], error) {
	r := rule.Find(q.Msg.Rule)
	if r == nil {
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("there is no rule %q", q.Msg.Rule))
	}
	page := explain.Of(r)
	out := &api.ExplainRuleResponse{
		Rule: r.ID, Title: apimessage.Sentence(r.Title), When: page.When, Means: r.Means, Why: r.Why, Fix: r.Fix, Triton: r.Sentences(),
	}
	for _, line := range page.Example {
		out.Example = append(out.Example, &api.ExampleLine{Side: sides[line.Mark], Text: line.Text})
	}
	return connect.NewResponse(out), nil
}
