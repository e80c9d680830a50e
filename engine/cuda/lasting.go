package cuda

import (
	"regexp"
	"strconv"
)

// code is the number in the errors of this package and of ONNX Runtime: "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; …".
var code = regexp.MustCompile(`CUDA (?:failure|error) (\d+)`)

// lasting are the errors of CUDA after which a process can do nothing more on the GPU: it is gone, or its context is broken.
var lasting = map[int]bool{
	46: true, 214: true, 220: true, 226: true, 700: true, 702: true, 709: true, 710: true, 714: true, 715: true, 716: true, 717: true, 718: true,
	719: true, 721: true, 999: true,
}

// IsLasting reports whether an error is one of CUDA's after which this process can do nothing more on the GPU.
func IsLasting(message string) bool {
	m := code.FindStringSubmatch(message)
	if m == nil {
		return false
	}
	n, err := strconv.Atoi(m[1])
	return err == nil && lasting[n]
}
