package serve

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/engine"
	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/cuda"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/metricsapi"
	"conch/engine/kserve/tracing"
	"conch/engine/model"
	"conch/engine/placement"
	"conch/engine/sched"
)

// settings are the parsed values of the flags. They are read once, before any port is opened.
type settings struct {
	engine   engine.Options
	backends BackendSettings
	http     httpapi.Options
	grpc     grpcapi.Options
	metrics  metricsapi.Options
	trace    tracing.Setting
	httpTLS  *tls.Config // nil for a port without TLS
}

// settings reads the flags. The caller sets the source of models, the backends and the options that
// transports share.
func (f *Flags) settings(log *slog.Logger) (s settings, err error) {
	if err = f.ranges(); err != nil {
		return s, err
	}
	if s.metrics, err = f.metricsOptions(); err != nil {
		return s, err
	}
	if s.engine, err = f.engineOptions(s.metrics.Histograms); err != nil {
		return s, err
	}
	if s.backends, err = f.backendSettings(); err != nil {
		return s, err
	}
	s.metrics.Pinned = s.backends.Pinned.Sizes
	if s.trace, err = f.tracing(log); err != nil {
		return s, err
	}
	if s.http, err = f.httpOptions(); err != nil {
		return s, err
	}
	s.grpc, err = f.grpcOptions()
	return s, err
}

// engineOptions returns the engine's options. first turns on the count of first responses for the
// metrics page.
func (f *Flags) engineOptions(first bool) (engine.Options, error) {
	o := engine.Options{
		ExitOnError: f.ExitOnError, LenientReadiness: !f.StrictReadiness, ExitTimeout: f.ExitTimeout(), RequestMemory: f.RequestMemory,
	}
	mode, err := control.ParseMode(f.ModelControlMode)
	if err != nil {
		return o, err
	}
	reload, err := control.ParseReload(f.Reload)
	if err != nil {
		return o, err
	}
	if len(f.LoadModel) > 0 && mode != control.Explicit {
		return o, fmt.Errorf("use of '--load-model' requires setting '--model-control-mode=explicit' as well")
	}
	limiter, err := sched.ParseLimiter(f.RateLimit, f.RateLimitResource)
	if err != nil {
		return o, err
	}
	limits, err := placement.ParseLimits(f.GPULimits)
	if err != nil {
		return o, err
	}
	policies, err := hostpolicy.Parse(f.HostPolicies)
	if err != nil {
		return o, err
	}
	o.Options = control.Options{
		Mode: mode, Reload: reload, LoadModels: f.LoadModel, Namespacing: f.Namespacing, PollEvery: f.PollEvery(),
		LoadThreads: max(1, f.LoadThreads), LoadRetries: f.LoadRetries, RestorePending: f.RestorePending,
		Ways:        control.Ways{Override: f.WayToOverride, Trust: f.WayToTrust},
		LeaveMemory: true, // so an idle process ends in milliseconds, even with many models
		Loader: &model.Loader{
			NoAutoComplete: f.NoAutoComplete, ExternalPaths: f.ExternalPaths, Limiter: limiter, FirstResponses: first,
			GPULimits: limits, LeastCapability: f.LeastCapability, HostPolicies: policies,
		},
	}
	o.Loader.StrictGPU.Store(f.StrictGPU)
	o.CacheBytes, err = f.cacheBytes()
	return o, err
}

// BackendSettings are the values of --backend-config.
type BackendSettings struct {
	// DefaultMaxBatchSize is default-max-batch-size; nil means Triton's default.
	DefaultMaxBatchSize *int32
	// Config are all values as given; each backend reads its own.
	Config []string
	// Directory is --backend-directory: the user's backends that are Python programs.
	Directory string
	// Pinned lends memory from which GPUs copy, and to which they copy, directly.
	Pinned *cuda.Pool
	// GPUs returns the GPUs of the machine with their free memory.
	GPUs func() []backend.Memory
	// Lost ends the process, because a GPU has failed so that the process can use it no more.
	Lost func(device int, why string)
}

func (f *Flags) backendSettings() (BackendSettings, error) {
	size, err := f.defaultMaxBatch()
	return BackendSettings{DefaultMaxBatchSize: size, Config: f.BackendConfig, Directory: f.BackendDirectory, Pinned: pinned(f.PinnedBytes)}, err
}

// pinned is a pool of so many bytes.
func pinned(limit int64) *cuda.Pool {
	return cuda.NewPool(limit, func() (*cuda.Driver, error) { return cuda.Open(cuda.Library) })
}

// defaultMaxBatch reads default-max-batch-size (docs/triton/completion.md, "Switches"): the
// onnxruntime backend's own setting has priority over the general one, and the last of several
// counts.
func (f *Flags) defaultMaxBatch() (*int32, error) {
	var global, own *int32
	for _, setting := range f.BackendConfig {
		backend, rest, named := strings.Cut(setting, ",")
		if !named {
			backend, rest = "", setting
		}
		key, value, ok := strings.Cut(rest, "=")
		if !ok {
			return nil, fmt.Errorf("--backend-config option format is '<backend name>,<setting>=<value>'. Got %s", setting)
		}
		if key != "default-max-batch-size" {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("--backend-config %s: %q is not a number", setting, value)
		}
		size := int32(n)
		switch backend {
		case "", "cmdline":
			global = &size
		case backends.ONNXRuntime:
			own = &size
		}
	}
	if own != nil {
		return own, nil
	}
	return global, nil
}

// cacheBytes returns the size of the response cache. The only supported cache is "local". The sentences are Triton's.
func (f *Flags) cacheBytes() (int64, error) {
	if len(f.CacheConfig) == 0 {
		return f.CacheBytes, nil
	}
	if f.CacheBytes != 0 {
		return 0, fmt.Errorf("--cache-config and --response-cache-byte-size cannot be given together")
	}
	size := ""
	for _, setting := range f.CacheConfig {
		name, rest, _ := strings.Cut(setting, ",")
		key, value, ok := strings.Cut(rest, "=")
		switch {
		case !ok:
			return 0, fmt.Errorf("--cache-config option format is '<cache name>,<setting>=<value>'. Got %s", setting)
		case name != "local":
			return 0, fmt.Errorf("creating server: Invalid argument - unable to find 'libtritoncache_%s.so' for cache; there is local", name)
		case key == "size":
			size = value
		}
	}
	if size == "" {
		err := infer.Errorf(infer.InvalidArg, "Failed to initialize LocalCache: config didn't contain a valid 'size' field.")
		return 0, fmt.Errorf("creating server: %s - %w", err.Code, err)
	}
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("creating server: Internal - Failed to initialize LocalCache: size %q is not a number of bytes from 1 to %d", size, math.MaxInt64)
	}
	return n, nil
}

func (f *Flags) httpOptions() (httpapi.Options, error) {
	shared, err := f.transport("--http-restricted-api", "", f.HTTPRestricted, "--http-header-forward-pattern", f.HTTPForward)
	return httpapi.Options{Options: shared, MaxInput: f.HTTPMaxInput}, err
}

func (f *Flags) grpcOptions() (grpcapi.Options, error) {
	shared, err := f.transport("--grpc-restricted-protocol", grpcapi.RestrictedPrefix, f.GRPCRestricted,
		"--grpc-header-forward-pattern", f.GRPCForward)
	if err != nil {
		return grpcapi.Options{}, err
	}
	compress, err := f.compression()
	return grpcapi.Options{Options: shared, Compress: compress, Keepalive: f.Keepalive}, err
}

// transport reads the options that HTTP and gRPC both have. prefix comes before the keys of restrictions.
func (f *Flags) transport(restrict, prefix string, restricted []string, forward, pattern string) (o kserve.Options, err error) {
	o.Server = kserve.ServerInfo{Name: f.ID}
	if o.Restricted, err = kserve.ParseRestrictions(restrict, prefix, restricted); err != nil {
		return o, err
	}
	o.ForwardHeaders, err = headerPattern(forward, pattern)
	return o, err
}

// headerPattern reads the pattern of the headers that become parameters; nil for none.
func headerPattern(flag, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	pattern, err := regexp.Compile("(?i)" + text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return pattern, nil
}

// exitText returns the last message of a process that ends with an error.
func exitText(err error) string {
	return fmt.Sprintf("error: %s: %v", infer.CodeOf(err), err)
}
