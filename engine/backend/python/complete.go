package python

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	program "conch/configedit/python"
	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

// Complete runs the model's auto_complete_config, in a process of its own as Triton does.
func (b *Backend) Complete(ctx context.Context, spec backend.Spec) (*modelconfig.ModelConfig, error) {
	launch, err := b.launch(ctx, spec)
	if err != nil {
		return nil, err
	}
	if b.program == nil && surelyCompletesNothing(spec) || backends.Named(b.Name()).Completes == backends.Never {
		return spec.Config, nil
	}
	config, err := modelconfig.MarshalJSON(spec.Config)
	if err != nil {
		return nil, infer.Errorf(infer.Internal, "write the config of model '%s' as JSON: %v", spec.Name, err)
	}
	c := &completion{name: spec.Name, ended: make(chan done, 1)}
	p, err := launch.start(spec.Name, spec.Log, c)
	if err != nil {
		return nil, infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	first := setup{Action: "complete", Spec: launch.specOf(spec, spec.Name), Config: string(config), Memory: launch.memory}
	d, err := p.setUp(ctx, first, c.ended)
	if err != nil {
		return nil, launch.notInstalled(err)
	}
	p.stop(stopPatience)
	var text string
	if err := json.Unmarshal(d.Value, &text); err != nil {
		return nil, infer.Errorf(infer.Internal, "the completed config of model '%s' is no JSON: %v", spec.Name, err)
	}
	completed, err := modelconfig.UnmarshalJSON([]byte(text))
	if err != nil {
		return nil, infer.Errorf(infer.InvalidArg, "the completed config of model '%s': %v", spec.Name, err)
	}
	derive.Normalize(completed)
	return completed, nil
}

// completion gets the frames of a process that completes a config.
type completion struct {
	name  string
	ended chan done
}

func (c *completion) received(p *process, h wire.Header, payload []byte) error {
	switch h.Kind {
	case wire.Done:
		return tellDone(c.ended, payload)
	case wire.Ask:
		go p.answer(h.ID, nil, errNotInCompletion)
	}
	return nil // Python refuses calls before they are sent
}

// errNotInCompletion is the answer to a model that asks for something while it completes its config.
var errNotInCompletion = errors.New("this is not possible in auto_complete_config; use it in initialize or execute")

func tellDone(to chan<- done, payload []byte) error {
	var d done
	if err := json.Unmarshal(payload, &d); err != nil {
		return wire.ErrBroken
	}
	select {
	case to <- d:
		return nil
	default:
		return wire.ErrBroken // nobody asked
	}
}

// surelyCompletesNothing reports whether the program has a class without an auto_complete_config, as far as that can be seen
// without a run. Then no process is started for it.
func surelyCompletesNothing(spec backend.Spec) bool {
	rel, err := filepath.Rel(spec.ModelDir, spec.File)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	p := program.Read(filepath.ToSlash(rel), func(rel string) []byte {
		path := filepath.Join(spec.ModelDir, filepath.FromSlash(rel))
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > program.MaxFile {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return text
	})
	return p.Defines() == program.Yes && p.Completes() == program.No && len(p.Wrong()) == 0
}
