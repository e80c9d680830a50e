package python_test

import (
	"context"
	"fmt"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// adds is the model of Triton's first example.
const adds = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            a = pb_utils.get_input_tensor_by_name(request, "INPUT0").as_numpy()
            b = pb_utils.get_input_tensor_by_name(request, "INPUT1").as_numpy()
            sums = [pb_utils.Tensor("OUTPUT0", a + b), pb_utils.Tensor("OUTPUT1", a - b)]
            responses.append(pb_utils.InferenceResponse(output_tensors=sums))
        return responses
`

// BenchmarkExecute is one request at a time, from Execute to its response.
func BenchmarkExecute(b *testing.B) {
	for _, n := range []int{4, 16 << 10, 1 << 20} {
		b.Run(fmt.Sprint(4*n, " bytes"), func(b *testing.B) {
			in := benchmarked(b)
			r := &infer.Request{Batch: 1, Inputs: []tensor.Tensor{floats("INPUT0", n, 1), floats("INPUT1", n, 2)}}
			batch := backend.NewBatch([]*infer.Request{r}, func(_ int, r *infer.Response) { free(r) }, func(_ int, err error) { b.Error(err) })
			b.ReportAllocs()
			for b.Loop() {
				batch.Start()
				in.Execute(context.Background(), batch)
			}
		})
	}
}

func benchmarked(b *testing.B) backend.Instance {
	b.Helper()
	m, err := newBackend(b).Load(b.Context(), specOf(b, adds, flat(tensor.FP32)))
	if err != nil {
		b.Fatal(err)
	}
	in, err := m.NewInstance(b.Context(), backend.InstanceSpec{Name: "m_0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close() })
	return in
}
