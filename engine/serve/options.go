package serve

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"conch/configedit/backends"
	"conch/engine"
	"conch/engine/control"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/sched"
)

// options turns flags into an engine's options; the library and the backends are the caller's.
func (f *Flags) options() (engine.Options, error) {
	mode, err := control.ParseMode(f.ModelControlMode)
	if err != nil {
		return engine.Options{}, err
	}
	reload, err := control.ParseReload(f.Reload)
	if err != nil {
		return engine.Options{}, err
	}
	if len(f.LoadModel) > 0 && mode != control.Explicit {
		return engine.Options{}, fmt.Errorf("use of '--load-model' requires setting '--model-control-mode=explicit' as well")
	}
	batch, err := f.defaultMaxBatch()
	if err != nil {
		return engine.Options{}, err
	}
	cacheBytes, err := f.cacheBytes()
	if err != nil {
		return engine.Options{}, err
	}
	limiter, err := sched.ParseLimiter(f.RateLimit, f.RateLimitResource)
	if err != nil {
		return engine.Options{}, err
	}
	metrics, err := f.metricsOptions()
	if err != nil {
		return engine.Options{}, err
	}
	return engine.Options{
		Ways: control.Ways{Override: f.WayToOverride, Trust: f.WayToTrust}, ExternalPaths: f.ExternalPaths,
		FirstResponses: metrics.Histograms, RequestMemory: f.RequestMemory,
		CacheBytes: cacheBytes, Limiter: limiter, Namespacing: f.Namespacing,
		Mode: mode, Reload: reload, LoadModels: f.LoadModel, LoadThreads: f.LoadThreads, LoadRetries: f.LoadRetries,
		ExitOnError: f.ExitOnError, LenientReadiness: !f.StrictReadiness, NoAutoComplete: f.NoAutoComplete,
		DefaultMaxBatchSize: batch, BackendConfig: f.BackendConfig,
		PollEvery:   time.Duration(f.PollSecs) * time.Second,
		ExitTimeout: f.exitTimeout(), RestorePending: f.RestorePending,
	}, nil
}

// exitTimeout is how long the end may take, from the signal on.
func (f *Flags) exitTimeout() time.Duration {
	return time.Duration(max(f.ExitTimeoutSecs, 0)) * time.Second
}

// defaultMaxBatch reads default-max-batch-size (docs/triton/completion.md, "Switches"): the
// onnxruntime backend's own setting comes before the general one, and the last of several counts.
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

// cacheBytes is the size of the response cache; the only kind there is is called "local". The sentences are Triton's.
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
		return 0, fmt.Errorf("creating server: Internal - Failed to initialize LocalCache: size %q is not a number of bytes", size)
	}
	return n, nil
}

func (f *Flags) httpOptions() (httpapi.Options, error) {
	restricted, err := kserve.ParseRestrictions("--http-restricted-api", "", f.HTTPRestricted)
	o := httpapi.Options{Server: f.info(), MaxInput: f.HTTPMaxInput, Restricted: restricted}
	if err != nil {
		return o, err
	}
	o.ForwardHeaders, err = headerPattern("--http-header-forward-pattern", f.HTTPForward)
	return o, err
}

// headerPattern reads which headers become parameters; nil for none.
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

func (f *Flags) info() kserve.ServerInfo {
	return kserve.ServerInfo{Name: f.ID, Version: engine.Version}
}

// exitText is what the process says when it ends with an error.
func exitText(err error) string {
	return fmt.Sprintf("error: %s: %v", infer.CodeOf(err), err)
}
