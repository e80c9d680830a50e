package scenario

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"conch/engine/kserve/kservepb"
)

// step is a line of a script:
//
//	send ID MODEL [KEY=VALUE]…   a request; 30 ms later the next step follows
//	wait MS                      nothing, for so long
//	await                        all requests are answered
//	cancel ID                    its client goes away
//	order                        tells in which order the answers came
//	stats MODEL                  tells what was counted
//	failures MODEL               tells what the metrics page says of failures, by reason, and of requests that wait
//	load MODEL, unload MODEL     tells how that went
//	ready MODEL                  tells whether it is
//
// A request that has the word anonymous behind it goes without its ID. One with the word
// stream is sent over a stream of its own, and may have many answers.
//
// Keys of a request: batch and width make the shape of its inputs ([batch, width] of 1, or [width] with batch=0), value fills
// them; inputs and outputs name tensors (IN; all); ms, fail, omit, times and rounds are for the model (python/model.py);
// timeout (µs), priority, seq (a number, or a name in quotes), start and end are the protocol's.
type step struct {
	verb string
	args []string
	keys map[string]string
}

// steps reads a script.
func steps(script string) []step {
	var list []step
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		s := step{verb: words[0], keys: map[string]string{}}
		for _, word := range words[1:] {
			if key, value, ok := strings.Cut(word, "="); ok {
				s.keys[key] = value
			} else {
				s.args = append(s.args, word)
			}
		}
		list = append(list, s)
	}
	return list
}

func (s *step) text(key, otherwise string) string {
	if value, ok := s.keys[key]; ok {
		return value
	}
	return otherwise
}

// number returns a key's number; a mistyped one becomes -1, which the server refuses.
func (s *step) number(key string, otherwise int64) int64 {
	value, ok := s.keys[key]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// request is what `send` sends.
func (s *step) request() (*kservepb.ModelInferRequest, error) {
	if len(s.args) < 2 {
		return nil, errors.New("wants an ID and a model")
	}
	r := &kservepb.ModelInferRequest{Id: s.args[0], ModelName: s.args[1], Parameters: s.parameters()}
	if slices.Contains(s.args, "anonymous") {
		r.Id = ""
	}
	batch, width := s.number("batch", 1), s.number("width", 1)
	shape, elements := []int64{batch, width}, batch*width
	if batch == 0 {
		shape, elements = shape[1:], width
	}
	element := binary.LittleEndian.AppendUint32(nil, uint32(s.number("value", 1)))
	for name := range strings.SplitSeq(s.text("inputs", "IN"), ",") {
		r.Inputs = append(r.Inputs, &kservepb.ModelInferRequest_InferInputTensor{Name: name, Datatype: "INT32", Shape: shape})
		r.RawInputContents = append(r.RawInputContents, bytes.Repeat(element, int(elements)))
	}
	if outputs := s.text("outputs", ""); outputs != "" {
		for name := range strings.SplitSeq(outputs, ",") {
			r.Outputs = append(r.Outputs, &kservepb.ModelInferRequest_InferRequestedOutputTensor{Name: name})
		}
	}
	return r, nil
}

func (s *step) parameters() map[string]*kservepb.InferParameter {
	p := map[string]*kservepb.InferParameter{}
	for _, key := range []string{"ms", "timeout", "times", "rounds"} {
		if _, ok := s.keys[key]; ok {
			p[key] = whole(s.number(key, 0))
		}
	}
	for _, key := range []string{"fail", "omit"} {
		if value, ok := s.keys[key]; ok {
			p[key] = &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_StringParam{StringParam: value}}
		}
	}
	if _, ok := s.keys["priority"]; ok {
		p["priority"] = &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_Uint64Param{Uint64Param: uint64(s.number("priority", 0))}}
	}
	if id, ok := s.keys["seq"]; ok {
		p["sequence_id"] = whole(s.number("seq", 0))
		if name, quoted := strings.CutPrefix(id, `"`); quoted {
			p["sequence_id"] = &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_StringParam{StringParam: strings.TrimSuffix(name, `"`)}}
		}
		p["sequence_start"], p["sequence_end"] = s.flag("start"), s.flag("end")
	}
	return p
}

func whole(n int64) *kservepb.InferParameter {
	return &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: n}}
}

// flag is whether a bare word is in the line.
func (s *step) flag(word string) *kservepb.InferParameter {
	set := slices.Contains(s.args[2:], word)
	return &kservepb.InferParameter{ParameterChoice: &kservepb.InferParameter_BoolParam{BoolParam: set}}
}
