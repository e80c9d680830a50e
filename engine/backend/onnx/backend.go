package onnx

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"conch/configedit/backends"
	"conch/engine/backend"
	"conch/engine/backend/onnx/compiled"
	"conch/engine/backend/onnx/optimized"
	"conch/engine/backend/onnx/ort"
	"conch/engine/cuda"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
)

var (
	_ backend.Backend   = (*Backend)(nil)
	_ backend.Versioned = (*Backend)(nil)
	_ backend.Completer = (*Backend)(nil)
	_ backend.Troubled  = (*Backend)(nil)
	_ backend.Releaser  = (*Backend)(nil)

	_ backend.DeviceLister = (*Backend)(nil)
	_ backend.LibraryUser  = (*Backend)(nil)
	_ backend.Accelerated  = (*Backend)(nil)
	_ backend.Adapter      = (*Backend)(nil)
)

// Options set how the backend starts.
type Options struct {
	// Library is ONNX Runtime's shared library; if it is empty, findLibrary finds it.
	Library string
	// DefaultMaxBatchSize is --backend-config=default-max-batch-size; nil means Triton's 4.
	DefaultMaxBatchSize *int32
	// Accelerators are added to Triton's own and come before them.
	Accelerators []Accelerator
	// Settings are the backend's settings from the command line.
	Settings Settings
	// OptimizedDir is the folder of optimized models, unless the settings name another; "" for none.
	OptimizedDir string
	// GPUs returns the GPUs of the machine with their free memory; nil without them.
	GPUs func() []backend.Memory
	// GPUMemory copies from and to the memory of GPUs; nil for NVIDIA's driver.
	GPUMemory func() (GPUMemory, error)
	// Pinned lends memory from which GPUs copy, and to which they copy, directly; nil for none.
	Pinned *cuda.Pool
	// Lost is told when a GPU has failed so that this process can use it no more; nil for nobody.
	Lost func(device int, why string)
	// Log gets ONNX Runtime's own messages; nil means slog's default.
	Log *slog.Logger
}

// Backend loads ONNX models.
type Backend struct {
	options Options
	// store keeps optimized models; nil when they are not kept.
	store *optimized.Store
	// compiled keeps what accelerators compile; nil when it is not kept.
	compiled *compiled.Store
	folders  sync.Map // *ort.Session -> its folder in compiled
	library  atomic.Pointer[ort.Library]
	// refused is why the library could not be opened.
	refused atomic.Pointer[string]
	gpus    gpuStart
	models  sync.Map // *model -> nothing: those that are loaded
}

// New returns the backend. It costs nothing, because the first Load opens the library.
func New(options Options) *Backend {
	if options.Log == nil {
		options.Log = slog.Default()
	}
	if options.GPUMemory == nil {
		options.GPUMemory = driver
	}
	options.Accelerators = slices.Concat(options.Accelerators, builtIn())
	return &Backend{options: options, store: openStore(options), compiled: openCompiled(options)}
}

// Name returns the name of Triton's backend for ONNX models.
func (b *Backend) Name() string { return backends.ONNXRuntime }

// Runtime returns "ONNX Runtime 1.30.0", without the version before the first load.
func (b *Backend) Runtime() string {
	if library := b.library.Load(); library != nil {
		return "ONNX Runtime " + library.Version()
	}
	return "ONNX Runtime"
}

// LibraryFile returns the file that is open; "" before a model needed one.
func (b *Backend) LibraryFile() string {
	if library := b.library.Load(); library != nil {
		return library.Path()
	}
	return ""
}

// Trouble returns why there is no library. It can be called before a model needs the library.
func (b *Backend) Trouble() string {
	if b.library.Load() != nil {
		return ""
	}
	if refused := b.refused.Load(); refused != nil {
		return "ONNX Runtime does not start: " + *refused
	}
	if _, err := findLibrary(b.options.Library); err != nil {
		return "ONNX Runtime was not found: " + err.Error()
	}
	return ""
}

// Load reads the model and compares the config with it.
func (b *Backend) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	at := firstPlace(spec.Devices)
	session, graphs, err := b.openFirst(ctx, spec, at)
	if err != nil {
		return nil, err
	}
	if err = checkModel(spec, session.Model()); err == nil {
		err = b.checkHalf(ctx, spec, at)
	}
	if err != nil {
		b.closeAt(at, session)
		return nil, err
	}
	m := newModel(b, spec, seat{placement: at, policy: spec.Policy.Name}, session)
	m.graphs.Store(graphs)
	return m, nil
}

// open makes a session of a model at a place. Mistakes in the config are reported before mistakes in the file. graphs is true for a
// session that makes CUDA graphs, where the config asks for them.
func (b *Backend) open(ctx context.Context, spec backend.Spec, at placement, policy hostpolicy.Policy, graphs bool) (*ort.Session, error) {
	if err := b.options.Settings.Err(); err != nil {
		return nil, err
	}
	library, startErr := b.start(spec.Name)
	r, err := b.recipeOf(spec.Config, library, at, policy, graphs)
	if err != nil {
		return nil, err
	}
	file, err := modelFile(spec)
	if err != nil {
		return nil, err
	}
	if startErr != nil {
		return nil, startErr
	}
	b.refuseGraphs(spec.Name, r.accelerators)
	if at.gpu {
		cuda.EnterLong()
		defer cuda.LeaveLong()
	}
	session, err := b.loadAccelerated(ctx, spec, r, file)
	if err != nil {
		return nil, err
	}
	if session.MappedBytes == 0 {
		session.MappedBytes = sizeOf(b.Files(spec)[1:]...)
	}
	if session.MappedBytes > 0 {
		session.MappedBytes -= min(session.MappedBytes, copied(session, at))
	}
	return session, nil
}

// copied is how much a new session has copied into its arenas. Weights that it prepares for its kernels, such as MatMul's, or moves to a
// GPU are there, and it maps their files no more.
func copied(session *ort.Session, at placement) uint64 {
	here := session.MemoryBytes()
	if at.gpu {
		here += session.GPUMemoryBytes(at.device)
	}
	return here
}

// start opens the library, unless an earlier load has opened it.
func (b *Backend) start(model string) (*ort.Library, error) {
	if library := b.library.Load(); library != nil {
		return library, nil
	}
	found, err := findLibrary(b.options.Library)
	if err != nil {
		return nil, infer.Errorf(infer.Unavailable, "model '%s' needs ONNX Runtime: %v", model, err)
	}
	ort.SetLogger(b.options.Log)
	chooseCUDA(found.Path)
	library, err := openHeld(found, poolsOf(b.options.Log, "the backend's settings", b.options.Settings.IntraThreads, b.options.Settings.InterThreads))
	if err != nil {
		text := err.Error()
		b.refused.Store(&text)
		return nil, infer.Errorf(infer.Unavailable, "model '%s' needs ONNX Runtime: %v", model, err)
	}
	b.library.Store(library)
	return library, nil
}

// Close returns memory to the system. The library stays open, because a process cannot unload it.
func (b *Backend) Close() error {
	if b.store != nil {
		b.store.Close()
	}
	ort.TrimMemory()
	return nil
}
