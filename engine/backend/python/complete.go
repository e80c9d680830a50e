package python

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"google.golang.org/protobuf/proto"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	program "conch/configedit/python"
	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/completed"
	"conch/engine/infer"
)

// Complete runs the model's auto_complete_config, in a process of its own as Triton does.
func (b *Backend) Complete(ctx context.Context, spec backend.Spec) (*modelconfig.ModelConfig, error) {
	launch, err := b.launch(ctx, spec)
	if err != nil {
		return nil, err
	}
	read := b.programOf(spec)
	if surelyCompletesNothing(read) || backends.Named(b.Name()).Completes == backends.Never {
		return spec.Config, nil
	}
	if config, known := b.fromFile(spec); known {
		return config, nil
	}
	key := completed.Key(spec.Config, read)
	spec.Tell(b.starting())
	answer, err := launch.complete(ctx, spec)
	if err != nil {
		if ctx.Err() == nil {
			b.options.Answers.Drop(key)
		}
		return nil, err
	}
	config, ok := derive.TakeOver(spec.Config, answer)
	if !ok {
		spec.Log.Warn("auto_complete_config replaces the scheduler that the config chooses; as in Triton, nothing of its answer is used")
	}
	if key == completed.Key(spec.Config, b.programOf(spec)) { // otherwise files have changed meanwhile
		if err := b.options.Answers.Keep(key, spec.Name, derive.Completion(config)); err != nil {
			b.options.Log.Warn("an answer of auto_complete_config is not kept, so that checks do not know it", "error", err)
		}
	}
	config = proto.Clone(config).(*modelconfig.ModelConfig) // the engine goes on to use spec.Config
	derive.Normalize(config)
	return config, nil
}

// fromFile completes the config of a model whose file tells all, as the editor does: the import of a framework takes longer than the
// rest of a load, and the instance imports it once more. A backend of somebody else may complete configs in another way.
func (b *Backend) fromFile(spec backend.Spec) (*modelconfig.ModelConfig, bool) {
	if b.program == nil || b.program.Dir != "" {
		return nil, false
	}
	reading, err := modelfolder.Read(folder.Dir(spec.ModelDir), modelfolder.Question{
		Name: spec.Name, Config: spec.Config, Version: strconv.FormatInt(spec.Version, 10),
	})
	if err != nil || reading.Broken != nil {
		return nil, false
	}
	facts := reading.Facts
	facts.DefaultMaxBatchSize = b.options.DefaultMaxBatchSize
	config, known := derive.FromFile(spec.Config, facts)
	derive.Normalize(config)
	return config, known
}

// starting says what a load waits for while the program completes the config: the import of a framework takes several seconds.
func (b *Backend) starting() string {
	if b.program == nil {
		return "starting Python to complete the config"
	}
	return "starting Python with " + cmp.Or(backends.Named(b.Name()).Runtime, b.Name())
}

// complete asks a process, and returns the config as it came back.
func (l *launch) complete(ctx context.Context, spec backend.Spec) (*modelconfig.ModelConfig, error) {
	config, err := modelconfig.MarshalJSON(spec.Config)
	if err != nil {
		return nil, infer.Errorf(infer.Internal, "write the config of model '%s' as JSON: %v", spec.Name, err)
	}
	c := &completion{spec: spec, ended: make(chan done, 1)}
	p, err := l.start(spec.Name, spec.Log, c)
	if err != nil {
		return nil, infer.Errorf(infer.Unavailable, "model '%s' needs Python: %v", spec.Name, err)
	}
	first := setup{Action: "complete", Spec: l.specOf(spec, spec.Name), Config: string(config), Memory: l.memory}
	d, err := p.setUp(ctx, first, c.ended)
	if err != nil {
		return nil, l.notInstalled(err)
	}
	p.stop(stopPatience)
	var text string
	if err := json.Unmarshal(d.Value, &text); err != nil {
		return nil, infer.Errorf(infer.Internal, "the completed config of model '%s' is no JSON: %v", spec.Name, err)
	}
	answer, err := modelconfig.UnmarshalJSON([]byte(text))
	if err != nil {
		return nil, infer.Errorf(infer.InvalidArg, "the completed config of model '%s': %v", spec.Name, err)
	}
	return answer, nil
}

// completion gets the frames of a process that completes a config.
type completion struct {
	spec  backend.Spec
	ended chan done
}

// died implements receiver: complete waits for that itself.
func (c *completion) died() {}

func (c *completion) idle() bool { return false }

func (c *completion) received(p *process, h wire.Header, payload []byte) error {
	switch h.Kind {
	case wire.Done:
		return tellDone(c.ended, payload)
	case wire.Ask:
		go p.answer(h.ID, nil, errNotInCompletion)
	case wire.Tell:
		var q ask
		if err := json.Unmarshal(payload, &q); err != nil {
			return wire.ErrBroken
		}
		passImports(c.spec, q.Imports)
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

// programOf returns the model's program as the checks read it; nil where it cannot be read, and for models of a backend that is
// a program itself.
func (b *Backend) programOf(spec backend.Spec) *program.Program {
	if b.program != nil {
		return nil
	}
	shown := modelfolder.Folder(folder.Dir(spec.ModelDir), spec.ModelDir)
	shown.Versions = []int64{spec.Version}
	return check.Program(&check.Model{Name: spec.Name, Effective: spec.Config, Folder: shown})
}

// surelyCompletesNothing reports whether the program has a class without an auto_complete_config, as far as that can be seen
// without a run. Then no process is started for it.
func surelyCompletesNothing(p *program.Program) bool {
	return p != nil && p.Defines() == program.Yes && p.Completes() == program.No && len(p.Wrong()) == 0
}
