package python

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"conch/configedit/modelconfig"
	"conch/configedit/reach"
	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

// setup is the payload of wire.Setup.
type setup struct {
	Action string            `json:"action"` // "initialize" or "complete"
	Spec   setupSpec         `json:"spec"`
	Args   map[string]string `json:"args,omitempty"`
	Config string            `json:"config,omitempty"`
	Memory uint64            `json:"memory"` // that the process may allocate; 0 for no limit
}

type setupSpec struct {
	File string `json:"file"` // the program
	// Paths are the folders from which it imports. Those of the model are among them only where the model runs code of its own,
	// for which the engine has asked for trust.
	Paths      []string `json:"paths"`
	ModelDir   string   `json:"model_dir"`
	VersionDir string   `json:"version_dir"`
	Version    int64    `json:"version"`
	Name       string   `json:"name"`
	Instance   string   `json:"instance"`
	Decoupled  bool     `json:"decoupled"`
}

// done is the payload of wire.Done.
type done struct {
	Error string          `json:"error"`
	Value json.RawMessage `json:"value"`
}

func (l *launch) specOf(spec backend.Spec, instance string) setupSpec {
	file := spec.File
	if l.program.Dir != "" {
		file = filepath.Join(l.program.Dir, programFile)
	}
	paths := []string{} // no null in JSON
	if len(reach.Code(spec.Config)) > 0 {
		paths = append(paths, spec.VersionDir, spec.ModelDir)
	}
	if l.program.Dir != "" {
		paths = append(paths, l.program.Dir)
	}
	return setupSpec{
		File: file, Paths: paths, ModelDir: spec.ModelDir, VersionDir: spec.VersionDir, Version: spec.Version, Name: spec.Name,
		Instance: instance, Decoupled: spec.Config.GetModelTransactionPolicy().GetDecoupled(),
	}
}

// kinds are the words for the kinds of instances in the arguments of initialize (docs/triton/python.md, "The class").
var kinds = map[modelconfig.ModelInstanceGroup_Kind]string{
	modelconfig.ModelInstanceGroup_KIND_CPU:   "CPU",
	modelconfig.ModelInstanceGroup_KIND_GPU:   "GPU",
	modelconfig.ModelInstanceGroup_KIND_MODEL: "MODEL",
}

// argsOf returns the arguments of initialize.
func argsOf(spec backend.Spec, instance backend.InstanceSpec) (map[string]string, error) {
	config, err := modelconfig.MarshalJSON(spec.Config)
	if err != nil {
		return nil, err
	}
	kind := kinds[instance.Kind]
	if kind == "" {
		kind = "CPU"
	}
	return map[string]string{
		"model_config": string(config), "model_instance_kind": kind, "model_instance_name": instance.Name,
		"model_instance_device_id": strconv.Itoa(instance.Device), "model_repository": spec.ModelDir,
		"model_version": strconv.FormatInt(spec.Version, 10), "model_name": spec.Name,
	}, nil
}

// setUp sends what a process has to do first, and waits for the end of it. After an error the process has ended.
func (p *process) setUp(ctx context.Context, what setup, ended <-chan done) (done, error) {
	payload, err := json.Marshal(what)
	if err != nil {
		return done{}, err
	}
	if err := p.send(wire.Finish(append(wire.Begin(nil, wire.Setup, 0), payload...))); err != nil {
		p.kill(nil)
	}
	var d done
	select {
	case d = <-ended:
		if d.Error == "" {
			return d, nil
		}
		err = infer.Errorf(infer.Internal, "%s", d.Error)
	case <-p.dead:
		err = p.endedInSetUp(what.Spec.Name)
	case <-ctx.Done():
		err = infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled", what.Spec.Name)
	}
	p.kill(fmt.Errorf("the load failed: %w", err))
	<-p.dead
	return d, err
}

// refused is the status with which lib/__main__.py ends where the interpreter cannot run models. Its output says why.
const refused = 78

// endedInSetUp says why the process has ended while a model was loaded.
func (p *process) endedInSetUp(model string) error {
	if tail := p.output.tail(); tail != "" && p.cmd.ProcessState.ExitCode() == refused {
		return infer.Errorf(infer.Internal, "%s", tail)
	}
	return infer.Errorf(infer.Internal, "the Python process of model '%s' ended while the model was loaded: %v", model, p.err)
}
