package scenario_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// execute does what python/model.py does, on a clock that a test turns.
func execute(_ context.Context, spec backend.Spec, batch *backend.Batch) {
	batch.InputDone()
	ms, err := strconv.ParseInt(spec.Config.Parameters["ms"].GetStringValue(), 10, 64)
	if err != nil {
		ms = 50
	}
	var described []string
	for _, r := range batch.Requests {
		if asked, ok := r.Parameters["ms"].(int64); ok {
			ms = max(ms, asked)
		}
		described = append(described, describe(spec.Config, r))
	}
	<-time.After(time.Duration(ms) * time.Millisecond)
	batch.InferDone()
	together := strings.Join(described, " ")
	for i := range batch.Requests {
		switch {
		case spec.Config.GetModelTransactionPolicy().GetDecoupled():
			stream(spec, batch, i, together)
		case !again(batch, i):
			answer(spec, batch, i, together, true)
		}
	}
}

// answer makes one answer, or what the request asks for instead of one.
func answer(spec backend.Spec, batch *backend.Batch, i int, together string, final bool) {
	r := batch.Requests[i]
	switch spec.Name {
	case r.Parameters["fail"]:
		batch.Fail(i, infer.Errorf(infer.Internal, "%s was told to fail", spec.Name))
	case r.Parameters["omit"]:
		batch.Respond(i, &infer.Response{Final: final})
	default:
		resp := respond(spec.Config, r, together)
		resp.Final = final
		batch.Respond(i, resp)
	}
}

// stream answers as often as the request says, with a pause between.
func stream(spec backend.Spec, batch *backend.Batch, i int, together string) {
	times, asked := batch.Requests[i].Parameters["times"].(int64)
	if !asked {
		times = 1
	}
	for n := range times {
		answer(spec, batch, i, fmt.Sprintf("%s %d", together, n+1), n == times-1)
		<-time.After(50 * time.Millisecond)
	}
	if times == 0 {
		batch.Respond(i, &infer.Response{Final: true})
	}
}

// again sends a request of an iterative sequence back into the queue until its rounds are over.
func again(batch *backend.Batch, i int) bool {
	r := batch.Requests[i]
	rounds, asked := r.Parameters["rounds"].(int64)
	if !asked {
		return false
	}
	count, _ := counts.LoadOrStore(r.ID, new(atomic.Int64))
	if count.(*atomic.Int64).Add(1) >= rounds {
		counts.Delete(r.ID)
		return false
	}
	batch.Reschedule(i, nil)
	return true
}

// counts are the rounds of requests so far, by their names.
var counts sync.Map

// describe is a request's id, and what the scheduler's controls say about it.
func describe(cfg *modelconfig.ModelConfig, r *infer.Request) string {
	text := r.ID
	if text == "" {
		text = "-"
	}
	controls := cfg.GetSequenceBatching().GetControlInput()
	if len(controls) == 0 {
		return text
	}
	for _, c := range controls {
		text += " " + c.Name + "=" + readable(r.Input(c.Name))
	}
	return "[" + text + "]"
}

// readable is a control's one value as numpy prints it.
func readable(t *tensor.Tensor) string {
	if t == nil {
		return "none"
	}
	switch t.Type {
	case tensor.Bytes:
		return string(t.Data[4:])
	case tensor.Bool:
		return map[byte]string{0: "False", 1: "True"}[t.Data[0]]
	case tensor.FP32:
		return fmt.Sprintf("%.1f", math.Float32frombits(binary.LittleEndian.Uint32(t.Data)))
	}
	if len(t.Data) == 8 {
		return fmt.Sprint(binary.LittleEndian.Uint64(t.Data))
	}
	return fmt.Sprint(binary.LittleEndian.Uint32(t.Data))
}

// respond copies output i from input i, the last input serving those that are left over; text outputs say who ran together.
func respond(cfg *modelconfig.ModelConfig, r *infer.Request, together string) *infer.Response {
	resp := &infer.Response{Final: true}
	for i, out := range cfg.Output {
		if !r.Wants(out.Name) {
			continue
		}
		if out.DataType == modelconfig.DataType_TYPE_STRING {
			resp.Outputs = append(resp.Outputs, texts(cfg, r, out.Name, together))
			continue
		}
		in := r.Input(cfg.Input[min(i, len(cfg.Input)-1)].Name)
		if in != nil {
			resp.Outputs = append(resp.Outputs, tensor.Tensor{Name: out.Name, Type: in.Type, Shape: in.Shape, Data: bytes.Clone(in.Data)})
		}
	}
	return resp
}

// texts is the same text for each item of a request.
func texts(cfg *modelconfig.ModelConfig, r *infer.Request, name, text string) tensor.Tensor {
	shape, rows := tensor.Shape{1}, 1
	if cfg.MaxBatchSize > 0 {
		shape, rows = tensor.Shape{r.Batch, 1}, int(r.Batch)
	}
	one := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	return tensor.Tensor{Name: name, Type: tensor.Bytes, Shape: shape, Data: bytes.Repeat(one, rows)}
}
