package tracing

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// text returns a trace in Triton's JSON form: one activity after the other. The activities of an ensemble's steps
// follow those of the ensemble, and name it as parent_id.
func (s *Sampled) text() []byte {
	w := &writer{level: s.sampler.setting.Level, ids: s.sampler.tracer}
	id := w.ids.ids.Add(1)
	for _, m := range s.marks {
		if !strings.Contains(m.Name, "SEND") {
			w.time(id, m.Name, m.At)
		}
	}
	w.request(s.Trace, id, 0)
	for _, m := range s.marks {
		if strings.Contains(m.Name, "SEND") {
			w.time(id, m.Name, m.At)
		}
	}
	w.steps(s.Trace, id)
	return w.out
}

type writer struct {
	level Level
	ids   *Tracer
	out   []byte
}

// begin starts an activity of a trace.
func (w *writer) begin(id uint64) {
	if len(w.out) > 0 {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, `{"id":`...)
	w.out = strconv.AppendUint(w.out, id, 10)
}

func (w *writer) time(id uint64, name string, at time.Time) {
	if w.level&Timestamps == 0 || at.IsZero() {
		return
	}
	w.begin(id)
	w.out = append(w.out, `,"timestamps":[{"name":"`+name+`","ns":`...)
	w.out = strconv.AppendInt(w.out, at.UnixNano(), 10)
	w.out = append(w.out, `}]}`...)
}

// request writes the activities of one request. A step that its model refused has none.
func (w *writer) request(t *infer.Trace, id, parent uint64) {
	if t.Queued.IsZero() {
		return
	}
	w.head(t, id, parent)
	w.time(id, "REQUEST_START", t.Received)
	w.time(id, "QUEUE_START", t.Queued)
	w.tensors(id, "TENSOR_QUEUE_INPUT", t.Inputs)
	for _, e := range t.Executions {
		at := e.Start
		w.time(id, "COMPUTE_START", at)
		at = at.Add(e.Timings.Input)
		w.time(id, "COMPUTE_INPUT_END", at)
		at = at.Add(e.Timings.Infer)
		w.time(id, "COMPUTE_OUTPUT_START", at)
		w.time(id, "COMPUTE_END", at.Add(e.Timings.Output))
	}
	for _, a := range t.Responses {
		w.tensors(id, "TENSOR_BACKEND_OUTPUT", a.Outputs)
		w.time(id, "INFER_RESPONSE_COMPLETE", a.Time)
	}
	if t.Err != nil && len(t.Responses) == 0 { // the error is the answer
		w.time(id, "INFER_RESPONSE_COMPLETE", t.Ended)
	}
	w.time(id, "REQUEST_END", t.Ended)
}

// head writes the request's model and version. Without TIMESTAMPS, Triton leaves them out.
func (w *writer) head(t *infer.Trace, id, parent uint64) {
	if w.level&Timestamps == 0 {
		return
	}
	w.begin(id)
	w.out = append(w.out, `,"model_name":`...)
	w.quote(t.Model)
	w.out = append(w.out, `,"model_version":`...)
	w.out = strconv.AppendInt(w.out, t.Version, 10)
	if t.RequestID != "" {
		w.out = append(w.out, `,"request_id":`...)
		w.quote(t.RequestID)
	}
	if parent != 0 {
		w.out = append(w.out, `,"parent_id":`...)
		w.out = strconv.AppendUint(w.out, parent, 10)
	}
	w.out = append(w.out, '}')
}

func (w *writer) steps(t *infer.Trace, parent uint64) {
	for _, step := range t.Steps {
		if step.Running() { // Triton writes a request when it has ended
			continue
		}
		id := w.ids.ids.Add(1)
		w.request(step, id, parent)
		w.steps(step, id)
	}
}

func (w *writer) tensors(id uint64, activity string, list []infer.Copy) {
	if w.level&Tensors == 0 {
		return
	}
	for i := range list {
		t := &list[i]
		w.begin(id)
		w.out = append(w.out, `,"activity":"`+activity+`","tensor":{"name":`...)
		w.quote(t.Name)
		w.out = append(w.out, `,"data":`...)
		w.quote(values(&t.Tensor))
		w.out = append(w.out, `,"shape":"`...)
		for n, d := range t.Shape {
			if n > 0 {
				w.out = append(w.out, ',')
			}
			w.out = strconv.AppendInt(w.out, d, 10)
		}
		w.out = append(w.out, `","dtype":"`+t.Type.String()+`"}}`...)
	}
}

func (w *writer) quote(s string) {
	text, err := json.Marshal(s)
	if err != nil { // no string fails
		text = []byte(`""`)
	}
	w.out = append(w.out, text...)
}

// values returns a tensor's elements with commas between. Like Triton, it writes no half floats. Triton writes six
// digits of other floats; values writes all that are needed to read the same number.
func values(t *tensor.Tensor) string {
	if t.Type == tensor.Bytes {
		return texts(t.Data)
	}
	size := t.Type.Size()
	if size == 0 || t.Type == tensor.FP16 || t.Type == tensor.BF16 {
		return ""
	}
	var out []byte
	for data := t.Data; len(data) >= size; data = data[size:] {
		if len(out) > 0 {
			out = append(out, ',')
		}
		out = appendElement(out, t.Type, data)
	}
	return string(out)
}

func appendElement(out []byte, kind tensor.DataType, data []byte) []byte {
	word := binary.LittleEndian
	switch kind {
	case tensor.Bool, tensor.Uint8:
		return strconv.AppendUint(out, uint64(data[0]), 10)
	case tensor.Uint16:
		return strconv.AppendUint(out, uint64(word.Uint16(data)), 10)
	case tensor.Uint32:
		return strconv.AppendUint(out, uint64(word.Uint32(data)), 10)
	case tensor.Uint64:
		return strconv.AppendUint(out, word.Uint64(data), 10)
	case tensor.Int8:
		return strconv.AppendInt(out, int64(int8(data[0])), 10)
	case tensor.Int16:
		return strconv.AppendInt(out, int64(int16(word.Uint16(data))), 10)
	case tensor.Int32:
		return strconv.AppendInt(out, int64(int32(word.Uint32(data))), 10)
	case tensor.Int64:
		return strconv.AppendInt(out, int64(word.Uint64(data)), 10)
	case tensor.FP32:
		return strconv.AppendFloat(out, float64(math.Float32frombits(word.Uint32(data))), 'g', -1, 32)
	}
	return strconv.AppendFloat(out, math.Float64frombits(word.Uint64(data)), 'g', -1, 64)
}

// texts returns strings in quotes.
func texts(data []byte) string {
	var list []string
	for len(data) >= 4 {
		size := int(binary.LittleEndian.Uint32(data))
		if data = data[4:]; size > len(data) {
			break
		}
		list = append(list, `"`+string(data[:size])+`"`)
		data = data[size:]
	}
	return strings.Join(list, ",")
}
