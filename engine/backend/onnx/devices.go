package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
)

// gpuStart is whether a provider for GPUs starts. It is tried once, when a machine with GPUs asks first.
type gpuStart struct {
	once   sync.Once
	failed error
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
		if b.gpus.failed = b.tryGPU(gpus[0].Device.ID); b.gpus.failed != nil {
			b.options.Log.Warn("ONNX Runtime cannot use the GPUs of this machine", "error", b.gpus.failed)
		}
	})
	if b.gpus.failed != nil {
		return nil, plainly(b.gpus.failed.Error())
	}
	return gpus, ""
}

// plainly says what is missing where the library of a provider does not load. ONNX Runtime's sentence begins with places in its own sources, and the log has it.
func plainly(said string) string {
	_, rest, ok := strings.Cut(said, "Failed to load library ")
	library, why, told := strings.Cut(rest, " with error: ")
	switch {
	case !ok || !told:
		return said
	case strings.HasPrefix(why, library+": cannot open shared object file"):
		return "the build in use comes without it (there is no " + library + ")"
	}
	return why
}

const noGPU = "no GPU of NVIDIA is known"

// tryGPU starts the first provider that every instance on a GPU gets.
func (b *Backend) tryGPU(device int) error {
	library, err := b.start("")
	if err != nil {
		return errors.New(b.Trouble())
	}
	providers, err := library.Providers()
	if err != nil {
		return fmt.Errorf("list execution providers: %w", err)
	}
	var failed error
	for _, a := range b.always(AcceleratorUse{Device: device}, nil) {
		if !slices.Contains(providers, a.Describe().Provider) {
			continue
		}
		if err := appendAlone(library, a); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", a.Describe().Provider, err))
			continue
		}
		return nil
	}
	if failed == nil {
		return fmt.Errorf("%s has no provider for GPUs", library.Path())
	}
	return fmt.Errorf("%s starts no provider for GPUs: %w", library.Path(), failed)
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
