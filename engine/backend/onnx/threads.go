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

// MostThreads returns the maximum size of a pool. Waiting threads use processor time, so many more threads than processors
// slow everything down.
func MostThreads() int { return max(64, 4*runtime.NumCPU()) }

// poolsOf returns the sizes of the pools as ONNX Runtime gets them. It creates all threads before a model loads, and that
// cannot be cancelled. So a number that is too large is reduced, and the log says so. Triton passes on any number.
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
