package device

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// parts leaves out an instance that cannot be read: who divides the GPU may do so now.
func (b bound) parts(has func(symbol string) bool) (divided, empty bool, list []Instance) {
	if !has("nvmlDeviceGetMigMode") {
		return false, false, nil
	}
	now, _, ret := b.GetMigMode()
	if ret != nvml.SUCCESS || now != nvml.DEVICE_MIG_ENABLE {
		return false, false, nil
	}
	if !has("nvmlDeviceGetMaxMigDeviceCount") || !has("nvmlDeviceGetMigDeviceHandleByIndex") {
		return true, false, nil
	}
	count, ret := b.GetMaxMigDeviceCount()
	if ret != nvml.SUCCESS {
		return true, false, nil
	}
	empty = true
	for i := range min(count, mostInstances) {
		part, ret := b.GetMigDeviceHandleByIndex(i)
		empty = empty && ret == nvml.ERROR_NOT_FOUND
		if ret != nvml.SUCCESS { // most places are empty
			continue
		}
		uuid, ret := part.GetUUID()
		one := Instance{Number: -1, Compute: -1, UUID: word(uuid)}
		if ret != nvml.SUCCESS || one.UUID == "" || slices.ContainsFunc(list, func(other Instance) bool { return other.UUID == one.UUID }) {
			continue
		}
		describe(&one, bound{part, b.list}, has)
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Instance) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Compute, b.Compute))
	})
	return true, empty, list
}

func describe(one *Instance, part bound, has func(symbol string) bool) {
	if has("nvmlDeviceGetGpuInstanceId") {
		if n, ret := part.GetGpuInstanceId(); ret == nvml.SUCCESS && n >= 0 && n < mostInstances {
			one.Number = n
		}
	}
	if has("nvmlDeviceGetComputeInstanceId") {
		if n, ret := part.GetComputeInstanceId(); ret == nvml.SUCCESS && n >= 0 && n < mostInstances {
			one.Compute = n
		}
	}
	one.Total, one.Used = memoryOf(part, has)
	if has("nvmlDeviceGetName") {
		_, one.Profile, _ = strings.Cut(word(part.name()), " MIG ")
	}
	if one.Profile != "" && !math.IsNaN(one.Total) || !has("nvmlDeviceGetAttributes_v2") {
		return
	}
	a, ret := part.GetAttributes()
	if ret != nvml.SUCCESS {
		return
	}
	if one.Profile == "" {
		one.Profile = profile(a)
	}
	if math.IsNaN(one.Total) {
		one.Total = within(float64(a.MemorySizeMB)*(1<<20), 1, mostMemory)
	}
}

// profile is the name of a profile as NVIDIA writes it. A compute instance with a part of its GPU instance's slices names its own.
func profile(a nvml.DeviceAttributes) string {
	if a.GpuInstanceSliceCount == 0 || a.GpuInstanceSliceCount > mostInstances || a.MemorySizeMB > mostMemory>>20 {
		return ""
	}
	text := fmt.Sprintf("%dg.%dgb", a.GpuInstanceSliceCount, (a.MemorySizeMB+1023)/1024)
	if a.ComputeInstanceSliceCount > 0 && a.ComputeInstanceSliceCount < a.GpuInstanceSliceCount {
		text = fmt.Sprintf("%dc.%s", a.ComputeInstanceSliceCount, text)
	}
	return text
}
