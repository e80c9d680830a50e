package onnx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx/ort"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
)

// memoryLimitKey is the parameter of a config, and the setting of the backend, that limits a model's arena on the CPU. Only
// Conch has it; Triton ignores unknown keys.
const memoryLimitKey = "cpu_mem_limit"

// recipe has everything on which a model's session depends.
type recipe struct {
	library      *ort.Library
	options      derive.ONNXOptions
	accelerators []appended
	threads      threads
	pools        ort.Threads // where the threads are its own
	memoryLimit  int64
	failed       func(error) error // gives an error of this place its code
}

// threads are the threads that a session uses.
type threads int

const (
	shared threads = iota // the process's
	own                   // as many as the config says
)

// recipeOf reads a config, for a session at a place.
func (b *Backend) recipeOf(cfg *modelconfig.ModelConfig, library *ort.Library, at placement, policy hostpolicy.Policy, graphs bool) (recipe, error) {
	options, problems := derive.ParseONNXOptions(cfg)
	if err := firstProblem(problems); err != nil {
		return recipe{}, err
	}
	r := recipe{library: library, options: options, threads: b.threadsOf(options, policy), memoryLimit: b.options.Settings.MemoryLimit,
		failed: func(err error) error { return b.failed(at, err) }}
	if r.threads == own {
		r.pools = poolsOf(b.options.Log, "model '"+cfg.GetName()+"'", intraOf(options, policy), options.InterThreads)
	}
	var err error
	if p, set := cfg.GetParameters()[memoryLimitKey]; set {
		if r.memoryLimit, err = byteCount(memoryLimitKey, p.GetStringValue()); err != nil {
			return recipe{}, err
		}
	}
	r.accelerators, err = b.accelerators(cfg, library, at, graphs)
	return r, err
}

// threadsOf lets a model use the process's threads, unless its config asks for a number of threads, or its instances are bound to
// processors. With many models, a pool for each session would waste time and memory.
func (b *Backend) threadsOf(options derive.ONNXOptions, policy hostpolicy.Policy) threads {
	if told := b.options.Settings.SharedThreads; told != nil {
		if *told {
			return shared
		}
		return own
	}
	if intraOf(options, policy) == 0 && options.InterThreads == 0 {
		return shared
	}
	return own
}

// intraOf is how many threads the config asks for, or as many as the processors that they are bound to. Without a number ONNX Runtime
// would bind threads of its own to all processors; with one they are bound as the thread that makes the session.
func intraOf(options derive.ONNXOptions, policy hostpolicy.Policy) int {
	return cmp.Or(options.IntraThreads, policy.Cores())
}

// source is the file that a session is made from, and how it is read.
type source struct {
	file string
	// level replaces the config's level, because an optimized graph is not optimized again.
	level *ort.Level
	// saveTo is the path for the optimized graph, with its weights beside it; "" writes nothing.
	saveTo, weights string
}

// session makes a session.
func (r recipe) session(ctx context.Context, from source) (*ort.Session, error) {
	if ctx.Err() != nil {
		return nil, errLoadCancelled
	}
	native, err := r.native(from)
	if err != nil {
		return nil, r.failed(err)
	}
	defer native.Close()
	session, err := r.library.NewSession(ctx, from.file, native, r.memoryLimit)
	switch {
	case err == nil:
		return session, nil
	case ctx.Err() != nil:
		return nil, errLoadCancelled
	}
	return nil, r.refusedGraphs(r.failed(err))
}

// errLoadCancelled is the error of a cancelled load.
var errLoadCancelled = infer.Errorf(infer.Cancelled, "the loading of the model was cancelled")

// native returns the recipe as ONNX Runtime's options.
func (r recipe) native(from source) (*ort.Options, error) {
	native, err := r.library.NewOptions()
	if err != nil {
		return nil, fmt.Errorf("make session options: %w", err)
	}
	for _, set := range []func(*ort.Options) error{
		func(o *ort.Options) error { return from.apply(o, graphLevels[r.options.GraphLevel]) },
		r.setThreads, r.setMemory, r.setEntries, r.registerCustomOps, r.appendAccelerators,
	} {
		if err := set(native); err != nil {
			native.Close()
			return nil, err
		}
	}
	return native, nil
}

var graphLevels = map[derive.ONNXGraphLevel]ort.Level{
	derive.ONNXGraphAll:      ort.EnableAll,
	derive.ONNXGraphNone:     ort.DisableAll,
	derive.ONNXGraphBasic:    ort.EnableBasic,
	derive.ONNXGraphExtended: ort.EnableExtended,
}

// entries are the session's options by name. Threads of its own do not spin, as those of the process.
func (r recipe) entries() map[string]string {
	entries := map[string]string{}
	if r.threads == own {
		entries["session.intra_op.allow_spinning"] = "0"
		entries["session.inter_op.allow_spinning"] = "0"
	}
	maps.Copy(entries, r.options.Session)
	return entries
}

func (r recipe) setEntries(native *ort.Options) error {
	for key, value := range r.entries() {
		if err := native.SetEntry(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (r recipe) setThreads(native *ort.Options) error {
	var mode error
	if r.options.Parallel {
		mode = native.RunInParallel()
	}
	if r.threads == shared {
		return errors.Join(mode, native.ShareThreads())
	}
	return errors.Join(mode, native.SetIntraThreads(r.pools.Intra), native.SetInterThreads(r.pools.Inter))
}

func (r recipe) setMemory(native *ort.Options) error {
	var err error
	if r.options.MemArena != nil {
		err = native.SetMemArena(*r.options.MemArena)
	}
	if r.options.MemPattern != nil {
		err = errors.Join(err, native.SetMemPattern(*r.options.MemPattern))
	} else if r.graphs() != nil { // a pattern takes its memory in the second run, when a graph is recorded and no memory can be had
		err = errors.Join(err, native.SetMemPattern(false))
	}
	if r.memoryLimit > 0 {
		err = errors.Join(err, native.SetEntry("session.use_env_allocators", "1"))
	}
	return err
}

// registerCustomOps loads the libraries of custom operators.
func (r recipe) registerCustomOps(native *ort.Options) error {
	for _, library := range r.options.CustomOps {
		if err := native.RegisterOperators(library); err != nil {
			return err
		}
	}
	return nil
}

func (r recipe) appendAccelerators(native *ort.Options) error {
	for _, a := range r.accelerators {
		err := a.Append(native, a.use)
		var (
			said    *infer.Error
			refused *ort.Error
		)
		switch {
		case err == nil:
		case errors.As(err, &said):
			return said
		case errors.As(err, &refused):
			return &ort.Error{Code: refused.Code, Message: fmt.Sprintf("Execution Accelerator '%s': %s", a.Describe().Name, refused.Message)}
		default:
			return &ort.Error{Code: 1, Message: fmt.Sprintf("Execution Accelerator '%s': %v", a.Describe().Name, err)}
		}
	}
	return nil
}

// optimizedMinimum is the size of the smallest initializer that is written to the file beside an optimized graph.
const optimizedMinimum = "1024"

// apply sets the level, and where the optimized graph is written.
func (s source) apply(native *ort.Options, level ort.Level) error {
	if s.level != nil {
		level = *s.level
	}
	if err := native.SetLevel(level); err != nil || s.saveTo == "" {
		return err
	}
	return errors.Join(
		native.SaveTo(s.saveTo),
		native.SetEntry("session.optimized_model_external_initializers_file_name", s.weights),
		native.SetEntry("session.optimized_model_external_initializers_min_size_in_bytes", optimizedMinimum),
	)
}
