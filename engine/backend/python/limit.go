package python

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"conch/engine/backend"
	"conch/engine/infer"
)

const (
	// limitKey is the setting of --backend-config=python that limits the memory of each process.
	limitKey = "memory-limit"
	// limitParameter is the parameter of a config that does so for one model.
	limitParameter = "MEMORY_LIMIT"
)

// memoryLimit returns how much memory each process of a model may allocate; 0 for no limit. It is RLIMIT_DATA, which counts
// private writable memory: an allocation beyond it fails, so that Python raises MemoryError and the process lives on.
// RLIMIT_AS would also count what libraries reserve and never use, and the memory that is shared with the engine.
func (b *Backend) memoryLimit(spec backend.Spec) (uint64, error) {
	text, where := b.options.MemoryLimit, "--backend-config=python,"+limitKey
	if p, ok := spec.Config.GetParameters()[limitParameter]; ok {
		text, where = p.GetStringValue(), "the parameter "+limitParameter
	}
	if text == "" {
		return 0, nil
	}
	limit, err := parseSize(text)
	if err != nil {
		return 0, infer.Errorf(infer.InvalidArg, "model '%s': %s: %v", spec.Name, where, err)
	}
	return limit, nil
}

// parseSize reads a number of bytes: "4G", "512M", "1000000".
func parseSize(text string) (uint64, error) {
	wrong := fmt.Errorf("'%s' is no size: write a number of bytes, such as 4G, 512M or 1000000000", text)
	digits := strings.TrimRight(text, "KMG")
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || number == 0 || len(text)-len(digits) > 1 {
		return 0, wrong
	}
	shift := map[string]int{"": 0, "K": 10, "M": 20, "G": 30}[text[len(digits):]]
	if bits.Len64(number)+shift > 63 {
		return 0, wrong
	}
	return number << shift, nil
}
