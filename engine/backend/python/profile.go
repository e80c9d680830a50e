package python

import (
	"encoding/json"
	"time"

	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

func wantsProfile(r *infer.Request) bool { return r.Trace != nil && r.Trace.Profile }

// kindOf returns how a batch is executed: with a profile when one of its requests asks for it.
func kindOf(requests []*infer.Request) wire.Kind {
	for _, r := range requests {
		if wantsProfile(r) {
			return wire.Profile
		}
	}
	return wire.Execute
}

// profiled takes a profile. It comes before the answer of the batch.
func (in *instance) profiled(payload []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	run := in.line.current()
	if run == nil {
		return wire.ErrBroken
	}
	run.profile = payload
	return nil
}

// tellProfile gives the profile of an execution to the requests that asked for it. The requests are not answered yet.
func (run *running) tellProfile(instance string) {
	if run.profile == nil {
		return
	}
	p, err := readProfile(run.profile)
	if err != nil {
		return // a program that damages its worker has no profile
	}
	p.Instance = instance
	for _, r := range run.batch.Requests {
		if wantsProfile(r) {
			r.Trace.Profiled(p)
		}
	}
}

// readProfile reads what lib/conch_worker/profile.py tells.
func readProfile(text []byte) (infer.Profile, error) {
	var told struct {
		Functions [][]any   `json:"functions"`
		Nodes     [][]int64 `json:"nodes"`
		Sampled   bool      `json:"sampled"`
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return infer.Profile{}, err
	}
	p := infer.Profile{Sampled: told.Sampled}
	for _, f := range told.Functions {
		if len(f) != 3 {
			return infer.Profile{}, wire.ErrBroken
		}
		name, _ := f[0].(string)
		file, _ := f[1].(string)
		line, _ := f[2].(float64)
		p.Functions = append(p.Functions, infer.ProfileFunction{Name: name, File: file, Line: int(line)})
	}
	for i, n := range told.Nodes {
		if len(n) != 4 || n[0] < 0 || n[0] >= int64(len(p.Functions)) || n[1] < -1 || n[1] >= int64(i) {
			return infer.Profile{}, wire.ErrBroken
		}
		p.Nodes = append(p.Nodes, infer.ProfileNode{Function: int(n[0]), Parent: int(n[1]), Total: time.Duration(n[2]), Calls: n[3]})
	}
	return p, nil
}
