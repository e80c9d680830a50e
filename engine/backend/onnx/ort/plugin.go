package ort

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	binding "github.com/yalue/onnxruntime_go"
)

// OpenVINOPlugin is the library in which Intel's package brings OpenVINO for any ONNX Runtime. It is opened where it lies beside ONNX Runtime.
const OpenVINOPlugin = "libonnxruntime_providers_openvino_plugin.so"

const openVINO = "OpenVINOExecutionProvider"

// ErrNoIntel is why OpenVINO's plug-in runs nothing on a machine.
var ErrNoIntel = errors.New("OpenVINO finds no processor, GPU or NPU of Intel on this machine, and uses no others")

// plugin is a provider in a library of its own, of which ONNX Runtime is told when it has been opened.
type plugin struct {
	there bool
	err   error // why it cannot be used
}

// startPlugin tells ONNX Runtime of the plug-in beside it, if there is one. Without the plug-in, models run on the processor.
func (l *Library) startPlugin() {
	path := filepath.Join(filepath.Dir(l.path), OpenVINOPlugin)
	if _, err := os.Stat(path); err != nil {
		return
	}
	l.plugin.there = true
	if l.plugin.err = checkWhole(path); l.plugin.err == nil {
		l.plugin.err = binding.RegisterExecutionProviderLibrary("openvino", path)
	}
	if l.plugin.err != nil {
		return
	}
	if devices, err := l.openVINODevices(); err != nil {
		l.plugin.err = err
	} else if len(devices) == 0 {
		l.plugin.err = ErrNoIntel
	}
}

// PluginTrouble says why the plug-in beside the library runs nothing; nil when it does, or when there is none.
func (l *Library) PluginTrouble() error { return l.plugin.err }

// epDevice is a device that OpenVINO can use.
type epDevice struct {
	Adapter
	handle binding.EpDevice
}

// openVINODevices are the devices that OpenVINO's plug-in has found, processors among them.
func (l *Library) openVINODevices() (list []epDevice, err error) {
	handles, err := binding.GetEpDevices()
	if err != nil {
		return nil, err
	}
	all, err := l.allAdapters()
	if err != nil {
		return nil, err
	}
	if len(all) != len(handles) { // both tell of the one environment
		return nil, fmt.Errorf("ONNX Runtime tells of %d devices, and of %d", len(handles), len(all))
	}
	for i, a := range all {
		if provider, _, _ := strings.Cut(a.Provider, "."); provider == openVINO {
			list = append(list, epDevice{a, handles[i]})
		}
	}
	return list, nil
}

// appendPlugin adds OpenVINO by its plug-in. The parameter device_type names a device, the processor where it is left out; the others
// are OpenVINO's.
func (o *Options) appendPlugin(settings map[string]string) error {
	if err := o.library.plugin.err; err != nil {
		return err
	}
	devices, err := o.library.openVINODevices()
	if err != nil {
		return err
	}
	wanted := cmp.Or(settings["device_type"], "CPU")
	chosen := chosenDevices(devices, wanted)
	if len(chosen) == 0 {
		return fmt.Errorf("OpenVINO has no device %s here; device_type can be %s", wanted, strings.Join(deviceNames(devices), ", "))
	}
	settings = maps.Clone(settings)
	delete(settings, "device_type")
	return o.binding.AppendExecutionProviderV2(chosen, settings)
}

// name is what device_type calls a device: "GPU.1", or "AUTO" for OpenVINO's choice among several.
func (d epDevice) name() string {
	if _, group, is := strings.Cut(d.Provider, "."); is {
		return group
	}
	return d.providerName
}

func deviceNames(devices []epDevice) (names []string) {
	for _, d := range devices {
		if !slices.Contains(names, d.name()) {
			names = append(names, d.name())
		}
	}
	return names
}

// chosenDevices are the devices with a name. A kind of devices, such as GPU, means the first of them.
func chosenDevices(devices []epDevice, wanted string) (chosen []binding.EpDevice) {
	for _, d := range devices {
		if d.name() == wanted {
			chosen = append(chosen, d.handle)
		}
	}
	if first := slices.IndexFunc(devices, func(d epDevice) bool { return strings.HasPrefix(d.name(), wanted+".") }); first >= 0 && len(chosen) == 0 {
		chosen = append(chosen, devices[first].handle)
	}
	return chosen
}
