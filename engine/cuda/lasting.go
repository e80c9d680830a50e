package cuda

import (
	"regexp"
	"strconv"
)

// code is the number in the errors of this package and of ONNX Runtime: "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; …".
var code = regexp.MustCompile(`CUDA (?:failure|error) (\d+)`)

// lasting are the errors of CUDA after which a process can do nothing more on the GPU: it is gone, or its context is broken.
var lasting = map[int]bool{
	214: true, 220: true, 226: true, 700: true, 702: true, 709: true, 710: true, 714: true, 715: true, 716: true, 717: true, 718: true,
	719: true, 721: true, unknown: true,
}

// unavailable is the error of a GPU that another program has for itself, or that nobody may use by its compute mode (cudaErrorDevicesUnavailable).
const unavailable = 46

// numberOf is the number of an error of CUDA; 0 for any other.
func numberOf(message string) int {
	m := code.FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// IsLasting reports whether an error is one of CUDA's after which this process can do nothing more on the GPU.
func IsLasting(message string) bool { return lasting[numberOf(message)] }

// unknown is the error of CUDA for what it has no name for. A driver also has it for memory of another process that it cannot open, of which this
// process is none the worse.
const unknown = 999

// IsUnknown reports whether an error is the one that says nothing of its cause.
func IsUnknown(message string) bool { return numberOf(message) == unknown }

// IsTaken reports whether an error is that of a GPU which this process may not use now, and may later.
func IsTaken(message string) bool { return numberOf(message) == unavailable }
