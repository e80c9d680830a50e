// Package kservetest has a kserve.Service for tests of its users. It has function fields, and a set of
// identity models.
package kservetest

import (
	"context"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/kserve"
)

// Service answers each call with the function of that name. Where it is nil, the call answers like
// an empty, healthy server.
type Service struct {
	LiveFunc       func() bool
	ReadyFunc      func() bool
	ModelReadyFunc func(name string, version int64) (bool, error)
	MetadataFunc   func(name string, version int64) (*kserve.Metadata, error)
	ConfigFunc     func(name string, version int64) (*modelconfig.ModelConfig, error)
	StatisticsFunc func(name string, version int64) ([]kserve.Statistics, error)
	IndexFunc      func(readyOnly bool) []kserve.IndexEntry
	LoadFunc       func(ctx context.Context, name string, opts kserve.LoadOptions) error
	UnloadFunc     func(ctx context.Context, name string, opts kserve.UnloadOptions) error
	EnterFunc      func(name string, version int64) (infer.Target, error)
	LeaveFunc      func()
	InferFunc      func(ctx context.Context, r *infer.Request, sink infer.Sink) error
}

var _ kserve.Service = (*Service)(nil)

func unknown(name string) error {
	return infer.Errorf(infer.NotFound, "Request for unknown model: '%s' is not found", name)
}

// Live is true by default.
func (s *Service) Live() bool { return s.LiveFunc == nil || s.LiveFunc() }

// Ready is true by default.
func (s *Service) Ready(context.Context) bool { return s.ReadyFunc == nil || s.ReadyFunc() }

// ModelReady knows no model by default.
func (s *Service) ModelReady(_ context.Context, name string, version int64) (bool, error) {
	if s.ModelReadyFunc == nil {
		return false, unknown(name)
	}
	return s.ModelReadyFunc(name, version)
}

// Metadata knows no model by default.
func (s *Service) Metadata(name string, version int64) (*kserve.Metadata, error) {
	if s.MetadataFunc == nil {
		return nil, unknown(name)
	}
	return s.MetadataFunc(name, version)
}

// Config knows no model by default.
func (s *Service) Config(name string, version int64) (*modelconfig.ModelConfig, error) {
	if s.ConfigFunc == nil {
		return nil, unknown(name)
	}
	return s.ConfigFunc(name, version)
}

// Statistics are empty by default.
func (s *Service) Statistics(name string, version int64) ([]kserve.Statistics, error) {
	if s.StatisticsFunc == nil {
		return nil, nil
	}
	return s.StatisticsFunc(name, version)
}

// Index is empty by default.
func (s *Service) Index(readyOnly bool) []kserve.IndexEntry {
	if s.IndexFunc == nil {
		return nil
	}
	return s.IndexFunc(readyOnly)
}

// Load finds nothing by default.
func (s *Service) Load(ctx context.Context, name string, opts kserve.LoadOptions) error {
	if s.LoadFunc == nil {
		return infer.Errorf(infer.Internal, "failed to load '%s', failed to poll from model repository", name)
	}
	return s.LoadFunc(ctx, name, opts)
}

// Unload succeeds by default, as for an unknown model.
func (s *Service) Unload(ctx context.Context, name string, opts kserve.UnloadOptions) error {
	if s.UnloadFunc == nil {
		return nil
	}
	return s.UnloadFunc(ctx, name, opts)
}

// Enter returns the result of EnterFunc. Without one, it returns a model with the config of ConfigFunc
// that runs InferFunc.
func (s *Service) Enter(name string, version int64) (infer.Target, error) {
	if s.EnterFunc != nil {
		return s.EnterFunc(name, version)
	}
	config, err := s.Config(name, version)
	return infer.Target{Config: config, Version: inside{s}}, err
}

// inside is a Service's model.
type inside struct{ *Service }

// Infer knows no model by default.
func (s inside) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	if s.InferFunc == nil {
		return unknown(r.Model)
	}
	return s.InferFunc(ctx, r, sink)
}

// Leave calls LeaveFunc, if there is one.
func (s inside) Leave() {
	if s.LeaveFunc != nil {
		s.LeaveFunc()
	}
}
