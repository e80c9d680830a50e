package device

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// instances lists the instances of a GPU that is divided. One that cannot be read is left out: who divides the GPU may do so now.
func (m *management) instances(d nvml.Device) (list []Instance) {
	if !m.has("nvmlDeviceGetMaxMigDeviceCount") || !m.has("nvmlDeviceGetMigDeviceHandleByIndex") {
		return nil
	}
	count, ret := d.GetMaxMigDeviceCount()
	if ret != nvml.SUCCESS {
		return nil
	}
	for i := range min(count, mostInstances) {
		part, ret := d.GetMigDeviceHandleByIndex(i)
		if ret != nvml.SUCCESS { // most places are empty
			continue
		}
		uuid, ret := part.GetUUID()
		one := Instance{Number: -1, Compute: -1, UUID: word(uuid)}
		if ret != nvml.SUCCESS || one.UUID == "" || slices.ContainsFunc(list, func(other Instance) bool { return other.UUID == one.UUID }) {
			continue
		}
		m.describe(&one, part)
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Instance) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Compute, b.Compute))
	})
	return list
}

func (m *management) describe(one *Instance, part nvml.Device) {
	if m.has("nvmlDeviceGetGpuInstanceId") {
		if n, ret := part.GetGpuInstanceId(); ret == nvml.SUCCESS && n >= 0 && n < mostInstances {
			one.Number = n
		}
	}
	if m.has("nvmlDeviceGetComputeInstanceId") {
		if n, ret := part.GetComputeInstanceId(); ret == nvml.SUCCESS && n >= 0 && n < mostInstances {
			one.Compute = n
		}
	}
	one.Total, one.Used = m.memory(part)
	if m.has("nvmlDeviceGetName") {
		name, _ := part.GetName()
		_, one.Profile, _ = strings.Cut(word(name), " MIG ")
	}
	if one.Profile != "" && !math.IsNaN(one.Total) || !m.has("nvmlDeviceGetAttributes_v2") {
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
