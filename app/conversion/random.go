package conversion

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"conch/app/api"
	"conch/app/tensorjson"
)

const (
	// mostRandom is how many random requests may be asked for.
	mostRandom = 64
	// mostRandomBytes is how much they may hold together.
	mostRandomBytes = 512 << 20
	// atOnce is how many elements are written as text at once. The text of all would have many times their bytes.
	atOnce = 16 << 10
	// seedStep is above the number of inputs: those of two requests never have the same seed.
	seedStep = 1000
)

// Random returns requests of random values, the same ones each time, as the window makes them: what varies of a shape is 1, and
// inputs that may be left out are.
func (s Source) Random(requests int) (list []*api.InferRequest, err error) {
	if requests < 0 || requests > mostRandom {
		return nil, fmt.Errorf("%d is not a number of random requests from 0 to %d", requests, mostRandom)
	}
	bytes := 0
	for i := range requests {
		r := &api.InferRequest{}
		for place, in := range s.Inputs() {
			if s.Config.GetInput()[place].GetOptional() {
				continue
			}
			tensor, err := randomInput(in, uint32(1+i*seedStep+place), mostRandomBytes-bytes)
			if err != nil {
				return nil, fmt.Errorf("random values of input %q: %w", in.Name, err)
			}
			bytes += len(tensor.GetRaw())
			r.Inputs = append(r.Inputs, tensor)
		}
		list = append(list, r)
	}
	return list, nil
}

// randomInput makes the values of an input.
func randomInput(in *api.ConvertedTensor, seed uint32, room int) (*api.InferInput, error) {
	t := tensorjson.Tensor{Datatype: in.Datatype}
	for _, size := range in.Shape {
		if size < 0 {
			size = 1
		}
		t.Shape = append(t.Shape, size)
	}
	count, err := tensorjson.Count(t.Shape)
	if err != nil {
		return nil, err
	}
	if count*cmp.Or(tensorjson.Size(t.Datatype), len("1234text 999")) > room {
		return nil, fmt.Errorf("all requests together are more than %d MiB: ask for fewer", mostRandomBytes>>20)
	}
	element, next := randomElement(t.Datatype), random(seed)
	raw := make([]byte, 0, count*tensorjson.Size(t.Datatype))
	for first := true; first || count > 0; first = false {
		part := min(count, atOnce)
		var text strings.Builder
		for i := range part {
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString(element(next()))
		}
		more, err := tensorjson.Encode(tensorjson.Tensor{Datatype: t.Datatype, Shape: []int64{int64(part)}, JSON: "[" + text.String() + "]"})
		if err != nil {
			return nil, err
		}
		raw, count = append(raw, more...), count-part
	}
	return &api.InferInput{Name: in.Name, Datatype: t.Datatype, Shape: t.Shape, Data: &api.InferInput_Raw{Raw: raw}}, nil
}

// randomElement returns how a number from 0 up to 1 becomes an element, in JSON. The ranges are those that the window begins with.
func randomElement(datatype string) func(float64) string {
	whole := func(largest float64) func(float64) string {
		return func(f float64) string { return strconv.Itoa(int(math.Floor(f * (largest + 1)))) }
	}
	switch datatype {
	case "FP16", "BF16", "FP32", "FP64":
		return func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	case "BOOL":
		return func(f float64) string { return strconv.FormatBool(f >= 0.5) }
	case "BYTES":
		return func(f float64) string { return `"text ` + whole(999)(f) + `"` }
	case "UINT8":
		return whole(255)
	}
	return whole(100)
}

// random is the window's generator (mulberry32): numbers from 0 up to 1.
func random(state uint32) func() float64 {
	return func() float64 {
		state += 0x6d2b79f5
		t := (state ^ state>>15) * (state | 1)
		t ^= t + (t^t>>7)*(t|61)
		return float64(t^t>>14) / (1 << 32)
	}
}
