package model_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/tensor"
)

const raggedModel = "backend: \"fake\" default_model_filename: \"model.fake\" max_batch_size: 8\n" +
	"instance_group [{ count: 1 kind: KIND_CPU }] dynamic_batching { max_queue_delay_microseconds: 1000000 preferred_batch_size: [3] }\n" +
	"input [{ name: \"IN\" data_type: TYPE_UINT8 dims: [-1] allow_ragged_batch: true }]\n" +
	"batch_input [{ kind: BATCH_ACCUMULATED_ELEMENT_COUNT target_name: \"ENDS\" data_type: TYPE_INT32 source_input: \"IN\" }]\n" +
	"batch_output [{ target_name: \"OUT\" source_input: \"IN\" }]\n" +
	"output [{ name: \"OUT\" data_type: TYPE_UINT8 dims: [-1] }, { name: \"SEEN\" data_type: TYPE_INT32 dims: [1] reshape {} }]\n"

// Requests of different lengths run as one batch, and each gets its own part back
// (docs/triton/schedulers.md, "Ragged batches").
func TestRaggedBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := load(&fake.Backend{}, folder(t, raggedModel, nil))
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		var mu sync.Mutex // guards got
		got := map[string]string{}
		var all sync.WaitGroup
		for _, data := range [][]byte{{1, 2, 3}, {}, {4, 5}} {
			r := &infer.Request{Inputs: []tensor.Tensor{{Name: "IN", Type: tensor.Uint8, Shape: tensor.Shape{1, int64(len(data))}, Data: data}}}
			all.Go(func() {
				err := v.Infer(t.Context(), r, func(resp *infer.Response) error {
					mu.Lock()
					defer mu.Unlock()
					out, seen := resp.Output("OUT"), resp.Output("SEEN")
					got[fmt.Sprint(data)] = fmt.Sprint(out.Shape, out.Data, " ", seen.Shape, seen.Data[0])
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		want := map[string]string{
			"[1 2 3]": "[1,3] [1 2 3] [1,1] 3", "[]": "[1,0] [] [1,1] 3", "[4 5]": "[1,2] [4 5] [1,1] 5",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if s := v.Counters().Snapshot(); s.Executions != 1 || s.Inferences != 3 {
			t.Errorf("%d executions of %d items, want one of 3", s.Executions, s.Inferences)
		}
	})
}
