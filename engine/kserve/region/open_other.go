//go:build !linux

package region

import (
	"os"

	"conch/engine/infer"
)

func open(string) (*os.File, error) {
	return nil, infer.Errorf(infer.Unsupported, "shared memory of clients is supported on Linux only: send tensors in requests")
}
