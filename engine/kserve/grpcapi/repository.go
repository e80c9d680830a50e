package grpcapi

import (
	"context"
	"strings"

	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservepb"
)

// RepositoryIndex lists the repository.
func (s *server) RepositoryIndex(_ context.Context, req *kservepb.RepositoryIndexRequest) (*kservepb.RepositoryIndexResponse, error) {
	if err := refuseRepository(req.GetRepositoryName()); err != nil {
		return nil, err
	}
	resp := &kservepb.RepositoryIndexResponse{}
	for _, e := range s.svc.Index(req.GetReady()) {
		resp.Models = append(resp.Models, &kservepb.RepositoryIndexResponse_ModelIndex{
			Name: e.Name, Version: e.Version, State: e.State, Reason: e.Reason,
		})
	}
	return resp, nil
}

func refuseRepository(name string) error {
	if name == "" {
		return nil
	}
	return statusOf(infer.Errorf(infer.Unsupported, "'repository_name' specification is not supported"))
}

// RepositoryModelLoad loads a model and waits for it.
func (s *server) RepositoryModelLoad(ctx context.Context, req *kservepb.RepositoryModelLoadRequest) (*kservepb.RepositoryModelLoadResponse, error) {
	if err := refuseRepository(req.GetRepositoryName()); err != nil {
		return nil, err
	}
	opts, err := loadOptions(req.GetParameters())
	if err == nil {
		// A load goes on when the client has left, as in Triton.
		err = s.svc.Load(context.WithoutCancel(ctx), req.GetModelName(), opts)
	}
	return answer(&kservepb.RepositoryModelLoadResponse{}, err)
}

// loadOptions reads the parameters of a load. Files come as bytes, without Base64
// (docs/triton/grpc.md, "Parameters of a call").
func loadOptions(params map[string]*kservepb.ModelRepositoryParameter) (kserve.LoadOptions, error) {
	var opts kserve.LoadOptions
	for _, name := range kserve.SortedKeys(params) {
		path, isFile := strings.CutPrefix(name, "file:")
		switch value := params[name].GetParameterChoice().(type) {
		case *kservepb.ModelRepositoryParameter_StringParam:
			if name == "config" {
				opts.Config = kserve.ClientsConfig(value.StringParam)
				continue
			}
		case *kservepb.ModelRepositoryParameter_BytesParam:
			if isFile {
				addFile(&opts, path, value.BytesParam)
				continue
			}
		}
		return opts, refuseLoadParameter(name, isFile)
	}
	return opts, nil
}

func addFile(opts *kserve.LoadOptions, path string, content []byte) {
	if opts.Files == nil {
		opts.Files = map[string][]byte{}
	}
	opts.Files[path] = content
}

func refuseLoadParameter(name string, isFile bool) error {
	switch {
	case isFile:
		return infer.Errorf(infer.InvalidArg, "invalid value type for load parameter '%s', expected bytes_param.", name)
	case name == "config":
		return infer.Errorf(infer.InvalidArg, "invalid value type for load parameter '%s', expected string_param.", name)
	}
	return infer.Errorf(infer.InvalidArg, "unrecognized load parameter '%s'.", name)
}

// RepositoryModelUnload starts to unload a model.
func (s *server) RepositoryModelUnload(ctx context.Context, req *kservepb.RepositoryModelUnloadRequest) (*kservepb.RepositoryModelUnloadResponse, error) {
	if err := refuseRepository(req.GetRepositoryName()); err != nil {
		return nil, err
	}
	var opts kserve.UnloadOptions
	if p, ok := req.GetParameters()["unload_dependents"]; ok {
		value, ok := p.GetParameterChoice().(*kservepb.ModelRepositoryParameter_BoolParam)
		if !ok {
			return nil, statusOf(infer.Errorf(infer.InvalidArg,
				"invalid value type for 'unload_dependents' parameter, expected bool_param."))
		}
		opts.Dependents = value.BoolParam
	}
	err := s.svc.Unload(context.WithoutCancel(ctx), req.GetModelName(), opts)
	return answer(&kservepb.RepositoryModelUnloadResponse{}, err)
}
