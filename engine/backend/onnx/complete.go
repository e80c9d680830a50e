package onnx

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/modelfolder"
	"conch/engine/backend"
)

var _ backend.Completer = (*Backend)(nil)

// Complete fills in tensors and batching from the model file. If the file leaves out shapes of outputs, ONNX Runtime infers
// them. A config that lists its inputs and outputs is returned unchanged.
func (b *Backend) Complete(ctx context.Context, spec backend.Spec) (*modelconfig.ModelConfig, error) {
	cfg := spec.Config
	if len(cfg.Input)+len(cfg.BatchInput) > 0 && len(cfg.Output) > 0 {
		return cfg, nil
	}
	model, err := b.describe(ctx, spec)
	if err != nil {
		return nil, err
	}
	completed, filled, err := derive.Effective(cfg, derive.Facts{
		ModelName: spec.Name, ONNX: model, AutoComplete: true, DefaultMaxBatchSize: b.options.DefaultMaxBatchSize,
	})
	var problem *derive.Problem
	if errors.As(err, &problem) {
		return nil, fromProblem(problem)
	}
	for _, f := range filled {
		spec.Log.Debug("filled in", "path", fmt.Sprint(f.Path...), "reason", f.Reason)
	}
	return completed, err
}

// describe returns the tensors as the model file describes them. If the file leaves something out or cannot be read, ONNX
// Runtime describes them.
func (b *Backend) describe(ctx context.Context, spec backend.Spec) (*modelfile.ONNX, error) {
	if header := headerOf(spec); header != nil && header.Settled() {
		return header, nil
	}
	at := firstPlace(spec.Devices)
	session, err := b.open(ctx, spec, at, spec.Policy, false)
	if err != nil {
		return nil, err
	}
	defer b.closeAt(at, session)
	return session.Model(), nil
}

// headerOf returns the header of the model file; nil if it cannot be read. ONNX Runtime then reports the error.
func headerOf(spec backend.Spec) *modelfile.ONNX {
	r, err := modelfolder.Read(folder.Dir(spec.ModelDir), modelfolder.Question{
		Name: spec.Name, Config: spec.Config, Version: filepath.Base(spec.VersionDir),
	})
	if err != nil || r.Broken != nil {
		spec.Log.Debug("the model file tells nothing about itself", "error", errors.Join(err, r.Broken))
	}
	return r.Facts.ONNX
}
