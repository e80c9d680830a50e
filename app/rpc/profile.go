package rpc

import (
	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// profiles passes on where the time of executions went.
func profiles(list []*enginepb.Profile) []*api.Profile {
	var out []*api.Profile
	for _, p := range list {
		m := &api.Profile{Model: p.Model, Version: p.Version, Instance: p.Instance, Sampled: p.Sampled}
		for _, f := range p.Functions {
			m.Functions = append(m.Functions, &api.ProfileFunction{Name: f.Name, File: f.File, Line: f.Line})
		}
		for _, n := range p.Nodes {
			if int(n.Function) < len(p.Functions) && int(n.Parent) < len(m.Nodes) {
				m.Nodes = append(m.Nodes, &api.ProfileNode{Function: n.Function, Parent: n.Parent, TotalNs: n.TotalNs, Calls: n.Calls})
			}
		}
		out = append(out, m)
	}
	return out
}
