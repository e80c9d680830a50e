package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
)

// gpuStart is whether a provider for GPUs starts. It is tried once, when a machine with GPUs asks first.
type gpuStart struct {
	once sync.Once
	why  string // none does: a clause for people
}

// Devices returns the GPUs of the machine if ONNX Runtime has a provider that starts on them. A library tells of providers
// whose own libraries, or CUDA's, are missing; so one is tried.
func (b *Backend) Devices() (gpus []backend.Memory, why string) {
	if b.options.GPUs == nil {
		return nil, noGPU
	}
	gpus = b.options.GPUs()
	if len(gpus) == 0 {
		return nil, noGPU // the library stays closed until a model needs it
	}
	b.gpus.once.Do(func() {
		var failed error
		if b.gpus.why, failed = b.tryGPU(gpus[0].Device.ID); failed != nil {
			b.options.Log.Warn("ONNX Runtime cannot use the GPUs of this machine", "error", failed)
		}
	})
	if b.gpus.why != "" {
		return nil, b.gpus.why
	}
	return gpus, ""
}

// foreseer is an accelerator that may know that it does not start, without starting.
type foreseer interface {
	foresee(use AcceleratorUse) error
}

// Foresee implements backend.Foreseer: it knows of accelerators that are unknown, that the library does not have once it is open, and that did not start
// when a model was loaded with them last.
func (b *Backend) Foresee(cfg *modelconfig.ModelConfig, on []backend.Device) error {
	for _, d := range on {
		chosen, err := b.accelerators(cfg, b.library.Load(), placement{gpu: d.GPU, device: d.ID}, false)
		if err != nil {
			return err
		}
		for _, a := range chosen {
			f, foresees := a.Accelerator.(foreseer)
			if !foresees {
				continue
			}
			if err := f.foresee(a.use); err != nil {
				return err
			}
		}
	}
	return nil
}

// Adapter implements backend.Adapter.
func (b *Backend) Adapter(cfg *modelconfig.ModelConfig) string {
	chosen, err := b.accelerators(cfg, nil, placement{}, false)
	if err != nil {
		return "" // the load says what is wrong
	}
	for _, a := range chosen {
		if name := a.Describe().Adapter; name != "" {
			return name
		}
	}
	return ""
}

// ForAll implements backend.Accelerated.
func (b *Backend) ForAll() string { return b.options.Settings.Accelerator }

const (
	noGPU      = "no GPU of NVIDIA is known"
	withoutGPU = "this build of ONNX Runtime has no CUDA"
)

// tryGPU starts the first provider that every instance on a GPU gets. Where none starts, it says why in a clause for people; the error has all that
// ONNX Runtime says, for the log.
func (b *Backend) tryGPU(device int) (why string, failed error) {
	library, err := b.start("")
	if err != nil {
		return cmp.Or(b.Trouble(), err.Error()), err
	}
	providers, err := library.Providers()
	if err != nil {
		return plainly(err), fmt.Errorf("list execution providers: %w", err)
	}
	for _, a := range b.always(AcceleratorUse{Device: device}, nil) {
		provider := a.Describe().Provider
		if !slices.Contains(providers, provider) || ort.LacksLibrary(library.Path(), provider) != "" {
			continue
		}
		err := appendAlone(library, a)
		at := placement{gpu: true, device: device}
		// A GPU that others fill or have for themselves now may take a later load, which says so itself where it does not.
		if err == nil || isFull(at, err) || isTaken(at, err) {
			return "", nil
		}
		if why == "" {
			why = ort.ShortName(provider) + " does not start: " + plainly(err)
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", provider, err))
	}
	if failed == nil {
		return withoutGPU, fmt.Errorf("%s has no provider for GPUs", library.Path())
	}
	return why, fmt.Errorf("%s starts no provider for GPUs: %w", library.Path(), failed)
}

// plainly is what ONNX Runtime says without places in its own sources, which its sentences begin and end with: the log has them.
func plainly(err error) string {
	said, _, _ := strings.Cut(err.Error(), "\n")
	if native, is := errors.AsType[*ort.Error](err); is {
		said, _, _ = strings.Cut(native.Message, "\n")
	}
	if _, rest, ok := strings.Cut(said, "[ONNXRuntimeError] : "); ok {
		said = rest
		for range 2 { // the number and the name of its kind of error
			if _, rest, ok = strings.Cut(said, " : "); ok {
				said = rest
			}
		}
	}
	if _, rest, ok := strings.Cut(said, "Failed to load library "); ok {
		if _, rest, ok = strings.Cut(rest, " with error: "); ok {
			said = rest
		}
	}
	if library, _, missing := strings.Cut(said, ": cannot open shared object file"); missing {
		return library + " is missing"
	}
	said, _, _ = strings.Cut(said, " ; GPU=")
	if i := strings.Index(said, "CUDA failure "); i >= 0 {
		said = said[i:]
	}
	return strings.TrimSpace(said)
}

// appendAlone adds a provider to options that no session uses.
func appendAlone(library *ort.Library, a appended) error {
	options, err := library.NewOptions()
	if err != nil {
		return err
	}
	defer options.Close()
	return a.Append(options, a.use)
}
