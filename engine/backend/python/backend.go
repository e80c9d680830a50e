package python

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/completed"
	"conch/engine/infer"
)

var (
	_ backend.Backend   = (*Backend)(nil)
	_ backend.Versioned = (*Backend)(nil)
	_ backend.Troubled  = (*Backend)(nil)
	_ backend.Completer = (*Backend)(nil)
	_ backend.Installer = (*Backend)(nil)
	_ backend.Needy     = (*Backend)(nil)
)

// Options set how the backend starts.
type Options struct {
	// Interpreter is the Python of models that bring none; "" for python3.
	Interpreter string
	// MemoryLimit is how much memory each process may allocate, as "4G"; "" for no limit. A model's parameter replaces it.
	MemoryLimit string
	// Dir is a folder of this user for what Python imports, and for the environments of models; "" for a temporary folder.
	Dir string
	// OwnDir is the folder for the environments of Conch's own, which have the packages that backends need; "" for one in Dir.
	OwnDir string
	// Install lets loads install the packages that models ask for. Without it each has to be allowed.
	Install bool
	// Settings are the values of --backend-config, for the backends that are programs: "tensorrt,version-compatible=true".
	Settings []string
	// DefaultMaxBatchSize is default-max-batch-size, for the backends of Conch that complete configs; nil means Triton's default.
	DefaultMaxBatchSize *int32
	// Answers keeps what auto_complete_config answers; nil for nothing.
	Answers *completed.Store
	// Needs is what this backend needs of Python.
	Needs Needs
	// Log gets what concerns no model; nil means slog's default.
	Log *slog.Logger
}

const (
	// maxBatchVariable tells the processes default-max-batch-size.
	maxBatchVariable = "CONCH_DEFAULT_MAX_BATCH_SIZE"
	// settingsVariable tells the processes of a backend that is a program its settings, as a JSON object.
	settingsVariable = "CONCH_BACKEND_SETTINGS"
)

// interpreterKey is the setting of --backend-config=python that names the interpreter.
const interpreterKey = "interpreter"

// ReadSettings reads --backend-config=python,KEY=VALUE into the options. The other settings of Triton's backend are about the
// sizes of its shared memory, and have no meaning here.
func (o *Options) ReadSettings(lines []string) {
	o.Settings = lines
	for _, line := range lines {
		if value, mine := strings.CutPrefix(line, backends.Python+","+interpreterKey+"="); mine {
			o.Interpreter = value
		}
		if value, mine := strings.CutPrefix(line, backends.Python+","+limitKey+"="); mine {
			o.MemoryLimit = value
		}
		if value, mine := strings.CutPrefix(line, backends.Python+","+installKey+"="); mine {
			o.Install = value == "true"
		}
	}
}

// Backend runs Python models, or the models of a backend that is a Python program (Based).
type Backend struct {
	options Options
	library *unpacked
	packed  *packedEnvironments
	install *installing
	keeper  *keeper
	gpus    *gpus
	ports   *ports
	program *Program // nil for models that bring their own
}

// New returns the backend. It costs nothing: the first load writes our Python code to disk.
func New(options Options) *Backend {
	if options.Log == nil {
		options.Log = slog.Default()
	}
	b := &Backend{
		options: options, library: &unpacked{below: options.Dir}, packed: &packedEnvironments{below: options.Dir},
		install: newInstalling(options), gpus: &gpus{}, ports: &ports{},
	}
	b.keeper = newKeeper(b.usual)
	return b
}

// Name returns the name of Triton's backend: "python", or that of the program.
func (b *Backend) Name() string {
	if b.program != nil {
		return b.program.Name
	}
	return backends.Python
}

// Runtime returns the name of the framework.
func (b *Backend) Runtime() string {
	if runtime := backends.Named(b.Name()).Runtime; runtime != "" {
		return runtime
	}
	return backends.Named(backends.Python).Runtime
}

// Trouble returns why there is no interpreter.
func (b *Backend) Trouble() string {
	if _, err := b.usual(); err != nil {
		return err.Error()
	}
	return ""
}

// Load finds what the instances need: the program and an interpreter.
func (b *Backend) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	const key = "FORCE_CPU_ONLY_INPUT_TENSORS"
	if p, ok := spec.Config.GetParameters()[key]; ok && p.GetStringValue() != "yes" && p.GetStringValue() != "no" {
		return nil, infer.Refused(rule.PY2, p.GetStringValue())
	}
	launch, err := b.launch(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := b.checkTorch(spec); err != nil {
		return nil, err
	}
	environment := launch.python.environment
	b.install.opened(environment)
	return &model{
		spec: spec, launch: launch, ports: b.ports, closed: func() { b.install.closed(environment) },
		keepsStates: backends.Named(b.Name()).KeepsStates,
	}, nil
}

// launch finds out how the processes of a model are started.
func (b *Backend) launch(ctx context.Context, spec backend.Spec) (launch, error) {
	if b.program == nil {
		if info, err := os.Stat(spec.File); err != nil || info.IsDir() {
			return launch{}, infer.Refused(rule.L25, spec.File)
		}
	}
	if err := b.needsGPU(spec); err != nil {
		return launch{}, err
	}
	python, err := b.interpreter(ctx, spec)
	if err != nil {
		return launch{}, err
	}
	lib, err := b.library.path()
	if err != nil {
		return launch{}, infer.Errorf(infer.Internal, "model '%s': %v", spec.Name, err)
	}
	limit, err := b.memoryLimit(spec)
	return launch{
		python: python, library: lib, memory: limit, without: b.install.offered(spec.ModelDir),
		keeper: b.keeper, program: b.program.in(lib), maxBatch: b.options.DefaultMaxBatchSize,
		settings: b.settings(), answers: spec.Memory,
	}, err
}

// Close removes no files: those of the library are small, and the next start needs them.
func (b *Backend) Close() error {
	if b.program == nil { // the others share these
		b.install.close()
		b.keeper.close()
	}
	return nil
}
