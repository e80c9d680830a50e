package engineapi

import (
	"context"
	"time"

	"google.golang.org/grpc/status"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/enginepb"
	"conch/engine/model"
)

// ListWorkers returns the instances of a model that run in processes of their own: of all its versions that serve, and
// of those that drain.
func (s *Server) ListWorkers(_ context.Context, r *enginepb.ListWorkersRequest) (*enginepb.ListWorkersResponse, error) {
	now := time.Now()
	out := &enginepb.ListWorkersResponse{TimeNs: now.UnixNano()}
	manager := s.engine.Manager()
	serving := map[int]bool{}
	for _, v := range manager.Versions(r.Model) {
		for _, w := range v.Workers() {
			serving[w.Process.PID] = true
			out.Workers = append(out.Workers, workerMessage(v, &w, now))
		}
	}
	for _, v := range manager.Leaving(r.Model) {
		for _, w := range v.Workers() {
			if w.Process.PID == 0 || serving[w.Process.PID] { // a newer version can have adopted the instance
				continue
			}
			m := workerMessage(v, &w, now)
			m.Name.Leaving = m.Pid
			out.Workers = append(out.Workers, m)
		}
	}
	return out, nil
}

func workerMessage(v *model.Version, w *model.Worker, now time.Time) *enginepb.Worker {
	m := &enginepb.Worker{
		Name: &enginepb.WorkerName{Model: v.Name, Version: v.Number, Instance: w.Name},
		Pid:  int32(w.Process.PID), StartedMs: milliseconds(w.Process.Started), ResidentBytes: w.Process.Resident,
		CpuNs: uint64(w.Process.CPU), Restarts: uint32(w.Restarts), Trouble: w.Trouble, Debugger: w.Process.Debugger,
	}
	if !w.Executing.IsZero() {
		m.ExecutingNs = max(int64(now.Sub(w.Executing)), 1)
	}
	return m
}

// ShowStacks returns where the threads of an instance are.
func (s *Server) ShowStacks(ctx context.Context, r *enginepb.WorkerName) (*enginepb.ShowStacksResponse, error) {
	text, err := onVersion(s, r, func(v *model.Version) (string, error) { return v.Stacks(ctx, r.Instance) })
	if err != nil {
		return nil, err
	}
	return &enginepb.ShowStacksResponse{Text: text}, nil
}

// Interrupt ends the current execution of an instance.
func (s *Server) Interrupt(ctx context.Context, r *enginepb.WorkerName) (*enginepb.InterruptResponse, error) {
	how, err := onVersion(s, r, func(v *model.Version) (string, error) { return v.Break(ctx, r.Instance) })
	if err != nil {
		return nil, err
	}
	return &enginepb.InterruptResponse{How: how}, nil
}

// Debug has an instance listen for a debugger.
func (s *Server) Debug(ctx context.Context, r *enginepb.WorkerName) (*enginepb.DebugResponse, error) {
	address, err := onVersion(s, r, func(v *model.Version) (string, error) { return v.Debug(ctx, r.Instance) })
	if err != nil {
		return nil, err
	}
	return &enginepb.DebugResponse{Address: address}, nil
}

// onVersion does something with the version of an instance.
func onVersion[T any](s *Server, r *enginepb.WorkerName, do func(v *model.Version) (T, error)) (T, error) {
	var got T
	v, err := s.versionOf(r)
	if err == nil {
		got, err = do(v)
	}
	if err != nil {
		return got, status.Error(kserve.GRPCCode(err), err.Error())
	}
	return got, nil
}

// versionOf returns the version that an instance belongs to.
func (s *Server) versionOf(r *enginepb.WorkerName) (*model.Version, error) {
	if r.Leaving == 0 {
		return s.engine.Manager().Version(r.Model, r.Version)
	}
	for _, v := range s.engine.Manager().Leaving(r.Model) {
		for _, w := range v.Workers() {
			if w.Name == r.Instance && int32(w.Process.PID) == r.Leaving {
				return v, nil
			}
		}
	}
	return nil, infer.Errorf(infer.NotFound, "process %d of instance %s has ended", r.Leaving, r.Instance)
}
