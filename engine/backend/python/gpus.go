package python

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"conch/configedit/backends"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/sharedlib"
)

var _ backend.DeviceLister = (*Backend)(nil)

// asksGPUs is the program that prints how many GPUs CUDA shows to a process, and why there are none. It asks the driver, which
// heeds CUDA_VISIBLE_DEVICES as it does for models.
const asksGPUs = `import ctypes
def asked():
    try:
        cuda = ctypes.CDLL("` + sharedlib.CUDADriver + `")
    except OSError as error:
        return 0, "there is no driver of NVIDIA: %s" % error
    code, count = cuda.cuInit(0), ctypes.c_int()
    if code == 0:
        code = cuda.cuDeviceGetCount(ctypes.byref(count))
    text = ctypes.c_char_p()
    if code != 0:
        cuda.cuGetErrorString(code, ctypes.byref(text))
        return 0, (text.value or b"error %d" % code).decode()
    return count.value, "the driver shows none"
print(*asked())`

// gpus are the GPUs of this machine that Python processes can use. They are looked for when somebody asks first.
type gpus struct {
	once  sync.Once
	count int
	why   string // there are none
}

// found returns how many there are. They have the numbers from 0 on.
func (g *gpus) found(b *Backend) (count int, why string) {
	g.once.Do(func() {
		if err := sharedlib.SoundDriver(sharedlib.CUDADriver); err != nil {
			g.why = err.Error()
			return
		}
		interpreter, err := b.usual()
		if err != nil {
			g.why = err.Error()
			return
		}
		text, err := b.install.own.Ask(context.Background(), interpreter, asksGPUs)
		if err != nil {
			g.why = err.Error()
			return
		}
		first, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		if g.count, err = strconv.Atoi(first); err != nil {
			rest = err.Error()
		}
		g.why = rest
	})
	return g.count, g.why
}

// Devices returns the GPUs. How much of their memory is free is not known: asking for it would take some.
func (b *Backend) Devices() (list []backend.Memory, why string) {
	count, why := b.gpus.found(b)
	if count == 0 {
		return nil, fmt.Sprintf("CUDA finds no GPU on this machine (%s)", why)
	}
	list = make([]backend.Memory, count)
	for i := range list {
		list[i].Device = backend.Device{GPU: true, ID: i}
	}
	return list, ""
}

// needsGPU refuses a model whose backend runs on GPUs alone, where it would not be on one. This comes before anybody is
// asked to install the backend's packages, which are large.
func (b *Backend) needsGPU(spec backend.Spec) error {
	row := backends.Named(b.Name())
	if !row.OnGPUs {
		return nil
	}
	begin := fmt.Sprintf("unable to load model '%s', %s backend supports only GPU device", spec.Name, row.Runtime)
	if found, why := b.Devices(); len(found) == 0 {
		return infer.Errorf(infer.InvalidArg, "%s: %s; %s", begin, why, row.GPUsAlone())
	}
	if slices.ContainsFunc(spec.Devices, func(d backend.Device) bool { return d.GPU }) {
		return nil
	}
	return infer.Errorf(infer.InvalidArg, "%s: the config puts no instance on one. Remove instance_group, or set instance_group [ { kind: KIND_GPU } ]", begin)
}
