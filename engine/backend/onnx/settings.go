package onnx

import (
	"regexp"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/rule"
	"conch/engine/infer"
)

// Settings are what `--backend-config=onnxruntime,KEY=VALUE` says (docs/triton/onnx.md,
// "Parameters"). Unknown keys are skipped, as in Triton.
type Settings struct {
	// SharedThreads is enable-global-threadpool: all models use the process's threads and theirs mean nothing. Without it a
	// model has threads of its own only where its config says how many; "0" gives each model its own, as in Triton.
	SharedThreads *bool
	// IntraThreads and InterThreads are the sizes of the shared pools; 0 takes all processors.
	IntraThreads, InterThreads int
	// MemoryLimit bounds what each model's arena may hold, in bytes; 0 does not. Conch's own: cpu_mem_limit.
	MemoryLimit int64
	// Optimized is where optimized models are kept, "off" for nowhere and "" for Options.OptimizedDir. Conch's own:
	// optimized-model-cache.
	Optimized string
	// OptimizedBytes bounds that place; 0 means DefaultOptimizedBytes. Conch's own: optimized-model-cache-byte-size.
	OptimizedBytes int64
	// OptimizedFrom is the size from which on a model is kept there; 0 means DefaultOptimizedFrom. Conch's own:
	// optimized-model-cache-min-byte-size.
	OptimizedFrom int64

	// wrong is why the settings cannot be meant: nothing loads, as in Triton.
	wrong error
}

// Err is the first thing that is wrong with the settings.
func (s Settings) Err() error { return s.wrong }

// ReadSettings reads the settings as they are on the command line; those of other backends are skipped, and
// a later one wins. What is wrong fails the loading of models.
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

// leading is what Triton's backends take of a number: "2x" is 2.
var leading = regexp.MustCompile(`^\s*[+-]?[0-9]+`)

func threadCount(text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(leading.FindString(text)), 10, 32)
	if err != nil {
		return 0, infer.Said(rule.ORT12.Status, rule.ORT12.Other(1, text))
	}
	return max(int(n), 0), nil
}

// byteCount reads what only Conch knows, and strictly: a limit that is misread is none.
func byteCount(key, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, infer.Errorf(infer.InvalidArg, "%s: %q is not a number of bytes", key, text)
	}
	return n, nil
}
