package main

import (
	"context"
	"fmt"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

// sizes are the tensors of the section, in elements of FP32: 64 B, 4 KB, 1 MB, 16 MB.
var sizes = []int{16, 1 << 10, 1 << 18, 1 << 22}

// roads are the ways in which tensors come and go.
var roads = []analysis{
	{model: "same", protocol: "http"}, {model: "same", protocol: "grpc"},
	{model: "same", protocol: "http", shared: true}, {model: "same", protocol: "grpc", shared: true},
}

const sameConfig = `backend: "onnxruntime"
input { name: "DATA" data_type: TYPE_FP32 dims: -1 }
output { name: "SAME" data_type: TYPE_FP32 dims: -1 }
`

// writeSame writes a model that gives its input back.
func writeSame(dir string) error {
	graph := onnxtest.Identity(onnxtest.Float, "n")
	graph.Inputs[0].Name, graph.Outputs[0].Name = "DATA", "SAME"
	graph.Nodes[0].Inputs[0], graph.Nodes[0].Outputs[0] = "DATA", "SAME"
	return write(dir, model{"same", sameConfig, graph.Bytes()})
}

// measureSizes prints the bytes of inputs a second. Each answer has as many.
func measureSizes(ctx context.Context, b bench) error {
	copying := map[int]float64{}
	for _, elements := range sizes {
		copying[elements] = copied(4 * elements)
		row("memcpy of "+sized(4*elements), "%9.0f MB/s", copying[elements]/1e6)
	}
	return besideTriton(ctx, b, writeSame, func(ours, theirs *server) error {
		for _, elements := range sizes {
			for _, of := range roads {
				of.elements = elements
				for _, of.inFlight = range []int{1, 8} {
					if !b.rows.MatchString(of.String()) {
						continue
					}
					c, err := compare(ctx, b, of, ours, theirs)
					if err != nil {
						return err
					}
					printSize(of, c, copying[elements])
				}
			}
		}
		return nil
	})
}

func printSize(a analysis, c compared, copying float64) {
	var rates []float64
	for _, one := range c.ours {
		rates = append(rates, one.rate)
	}
	moved := median(rates) * float64(4*a.elements)
	row(a.String(), "%9.1f MB/s, of memcpy %.4f; Triton's = 1: %.2f (%s), p99 %.2f, processor time %.2f",
		moved/1e6, moved/copying, median(c.rates), rounds(c.rates), median(c.tails), median(c.costs))
}

// copied is how many bytes a second are copied from one buffer of a size to another.
func copied(size int) float64 {
	from, to := make([]byte, size), make([]byte, size)
	for i := range from {
		from[i] = byte(i)
	}
	runs := max(1<<26/size, 1)
	took, err := took(9, times(runs, func() error {
		if copy(to, from) != size {
			return fmt.Errorf("fewer than %d bytes were copied", size)
		}
		return nil
	}))
	if err != nil {
		return 0
	}
	return float64(size*runs) / max(took, time.Nanosecond).Seconds()
}
