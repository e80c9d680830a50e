package onnx

import (
	"regexp"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/rule"
	"conch/engine/infer"
)

// Settings are the values of `--backend-config=onnxruntime,KEY=VALUE` (docs/triton/onnx.md,
// "Parameters"). Unknown keys are skipped, as in Triton.
type Settings struct {
	// SharedThreads is enable-global-threadpool: all models use the process's threads, and the numbers in their configs do
	// not count. Without it, only a model whose config has a number has its own threads. "0" gives each model its own, as in
	// Triton.
	SharedThreads *bool
	// IntraThreads and InterThreads are the sizes of the shared pools; 0 means all processors.
	IntraThreads, InterThreads int
	// MemoryLimit is the maximum size of each model's arena in bytes; 0 for no maximum. Only Conch has it: cpu_mem_limit.
	MemoryLimit int64
	// Optimized is the folder of optimized models, "off" for none and "" for Options.OptimizedDir. Only Conch has it:
	// optimized-model-cache.
	Optimized string
	// OptimizedBytes is the maximum size of that folder; 0 means DefaultOptimizedBytes. Only Conch has it:
	// optimized-model-cache-byte-size.
	OptimizedBytes int64
	// OptimizedFrom is the smallest size of a model that is kept there; 0 means DefaultOptimizedFrom. Only Conch has it:
	// optimized-model-cache-min-byte-size.
	OptimizedFrom int64

	// Accelerator is the accelerator of all instances that are not on an NVIDIA GPU and whose config names none, such as webgpu.
	// Only Conch has it: accelerator.
	Accelerator string

	// wrong is the first mistake in the settings. With a mistake no model loads, as in Triton.
	wrong error
}

// Err returns the first mistake in the settings.
func (s Settings) Err() error { return s.wrong }

// ReadSettings reads the settings of the command line, and skips those of other backends. Of several values for a key the
// last counts. A mistake makes the loads of models fail.
func ReadSettings(lines []string) Settings {
	var s Settings
	for _, line := range lines {
		setting, mine := strings.CutPrefix(line, backends.ONNXRuntime+",")
		key, value, ok := strings.Cut(setting, "=")
		if !mine || !ok {
			continue
		}
		if err := s.set(key, value); err != nil && s.wrong == nil {
			s.wrong = err
		}
	}
	return s
}

func (s *Settings) set(key, value string) (err error) {
	switch key {
	case "enable-global-threadpool":
		var shared bool
		shared, err = boolean(value)
		s.SharedThreads = &shared
	case intraKey:
		s.IntraThreads, err = threadCount(value)
	case interKey:
		s.InterThreads, err = threadCount(value)
	case memoryLimitKey:
		s.MemoryLimit, err = byteCount(key, value)
	case "accelerator":
		s.Accelerator = value
	case "optimized-model-cache":
		s.Optimized = value
	case "optimized-model-cache-min-byte-size":
		s.OptimizedFrom, err = byteCount(key, value)
	case "optimized-model-cache-byte-size":
		s.OptimizedBytes, err = byteCount(key, value)
	}
	return err
}

// boolean reads a value as Triton's backends do (docs/triton/onnx.md, "Parameters").
func boolean(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, infer.Refused(rule.ORT12, text)
}

// leading returns the part of a number that Triton's backends read: "2x" is 2.
var leading = regexp.MustCompile(`^\s*[+-]?[0-9]+`)

func threadCount(text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(leading.FindString(text)), 10, 32)
	if err != nil {
		return 0, infer.Said(rule.ORT12.Status, rule.ORT12.Other(1, text))
	}
	return max(int(n), 0), nil
}

// byteCount reads a setting that only Conch has. It is strict, since a misread limit would be no limit.
func byteCount(key, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, infer.Errorf(infer.InvalidArg, "%s: %q is not a number of bytes", key, text)
	}
	return n, nil
}
