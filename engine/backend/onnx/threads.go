package onnx

import (
	"log/slog"
	"runtime"

	"conch/engine/backend/onnx/ort"
)

// The numbers of threads, as configs and the command line call them.
const (
	intraKey = "intra_op_thread_count"
	interKey = "inter_op_thread_count"
)

// MostThreads is the most that a pool gets: waiting threads spin, so that many more than there are processors slow everything down.
func MostThreads() int { return max(64, 4*runtime.NumCPU()) }

// poolsOf are the sizes of pools that were asked for, as ONNX Runtime gets them. It creates each thread before a model loads and
// cannot be stopped on the way, so that a number that no machine has a use for is cut, and the log says so. Triton hands any number on.
// who asks is "model 'm'" or the backend.
func poolsOf(log *slog.Logger, who string, intra, inter int) ort.Threads {
	most := MostThreads()
	cut := func(key string, asked int) int {
		if asked <= most {
			return asked
		}
		log.Warn("more threads are asked for than Conch starts on this machine; the most is taken", "by", who, "parameter", key, "asked", asked, "most", most)
		return most
	}
	return ort.Threads{Intra: cut(intraKey, intra), Inter: cut(interKey, inter)}
}
