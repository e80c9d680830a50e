package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strconv"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// ListWorkers lists the processes of a model, and those of the models that an ensemble uses.
func (s *modelService) ListWorkers(ctx context.Context, r *connect.Request[api.ListWorkersRequest]) (*connect.Response[api.ListWorkersResponse], error) {
	client, err := s.Workspace.Private("the processes of its instances")
	if err != nil {
		return nil, err
	}
	out := &api.ListWorkersResponse{}
	for _, model := range s.withParts(r.Msg.Model) {
		answer, err := client.ListWorkers(ctx, &enginepb.ListWorkersRequest{Model: model})
		if err != nil {
			return nil, err
		}
		out.TimeNs = answer.TimeNs
		for _, w := range answer.Workers {
			out.Workers = append(out.Workers, &api.Worker{
				Name: &api.WorkerName{Model: w.Name.GetModel(), Version: w.Name.GetVersion(), Instance: w.Name.GetInstance(), Leaving: w.Name.GetLeaving()},
				Pid:  w.Pid, Started: w.StartedMs, MemoryBytes: w.ResidentBytes, CpuNs: w.CpuNs, Restarts: w.Restarts,
				ExecutingNs: w.ExecutingNs, Trouble: w.Trouble, Debugger: w.Debugger,
			})
		}
	}
	return connect.NewResponse(out), nil
}

// withParts returns a model and, of an ensemble, the models of its steps, each once.
func (s *Server) withParts(model string) []string {
	list, known := []string{model}, map[string]bool{model: true}
	for i := 0; i < len(list); i++ {
		summary, ok := s.Workspace.Model(list[i])
		if !ok {
			continue
		}
		for _, part := range summary.Uses {
			if !known[part] {
				known[part] = true
				list = append(list, part)
			}
		}
	}
	return list
}

// ShowStacks returns where the threads of an instance are.
func (s *modelService) ShowStacks(ctx context.Context, r *connect.Request[api.ShowStacksRequest]) (*connect.Response[api.ShowStacksResponse], error) {
	client, name, err := s.worker(r.Msg.Worker)
	if err != nil {
		return nil, err
	}
	answer, err := client.ShowStacks(ctx, name)
	if err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.ShowStacksResponse{Text: answer.Text}), nil
}

// Interrupt ends the current execution of an instance.
func (s *modelService) Interrupt(ctx context.Context, r *connect.Request[api.InterruptRequest]) (*connect.Response[api.InterruptResponse], error) {
	client, name, err := s.worker(r.Msg.Worker)
	if err != nil {
		return nil, err
	}
	answer, err := client.Interrupt(ctx, name)
	if err != nil {
		return nil, refusal(err)
	}
	return connect.NewResponse(&api.InterruptResponse{How: answer.How}), nil
}

// Debug has an instance listen for a debugger.
func (s *modelService) Debug(ctx context.Context, r *connect.Request[api.DebugRequest]) (*connect.Response[api.DebugResponse], error) {
	client, name, err := s.worker(r.Msg.Worker)
	if err != nil {
		return nil, err
	}
	answer, err := client.Debug(ctx, name)
	if err != nil {
		return nil, refusal(err)
	}
	launch, err := launchEntry(name, answer.Address)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.DebugResponse{Address: answer.Address, Launch: launch}), nil
}

// launchEntry returns the entry of VS Code's launch.json that attaches to an instance.
func launchEntry(name *enginepb.WorkerName, address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return "", err
	}
	entry := struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Request string `json:"request"`
		Connect struct {
			Host string `json:"host"`
			Port int    `json:"port"`
		} `json:"connect"`
		JustMyCode bool `json:"justMyCode"`
	}{Name: "Conch: " + name.Instance, Type: "debugpy", Request: "attach", JustMyCode: true}
	entry.Connect.Host, entry.Connect.Port = host, number
	text, err := json.MarshalIndent(entry, "", "  ")
	return string(text), err
}

func (s *modelService) worker(name *api.WorkerName) (enginepb.EngineClient, *enginepb.WorkerName, error) {
	if name == nil {
		return nil, nil, invalid(errors.New("no instance was named"))
	}
	client, err := s.Workspace.Private("the processes of its instances")
	if err != nil {
		return nil, nil, err
	}
	return client, &enginepb.WorkerName{Model: name.Model, Version: name.Version, Instance: name.Instance, Leaving: name.Leaving}, nil
}
