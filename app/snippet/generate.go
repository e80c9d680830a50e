package snippet

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Decoupled is what a request must know of a model that answers any number of times. HTTP's infer and gRPC's ModelInfer
// refuse it; generate_stream and ModelStreamInfer serve it.
type Decoupled struct {
	NeedsSequence bool
	Inputs        []Input // with the shapes of the model: the batch dimension and variable ones are -1
}

// NoCurl says why no curl command can ask the model; "" where one can. decoupled is nil for a model that answers once.
func NoCurl(model string, decoupled *Decoupled) string {
	if !plainInURL(model) {
		return fmt.Sprintf("HTTP cannot ask for the model %q: a client escapes its name in the path, and Triton does not decode it. "+
			"Copy the request as Python or grpcurl, which use gRPC, or rename the model", model)
	}
	if decoupled == nil {
		return ""
	}
	if decoupled.NeedsSequence {
		return ungenerated("has no sequences")
	}
	for _, in := range decoupled.Inputs {
		if in.Datatype == "FP16" || in.Datatype == "BF16" {
			return ungenerated(fmt.Sprintf("takes no %s, the type of the input %q", in.Datatype, in.Name))
		}
	}
	return ""
}

// ungenerated says that generate_stream does not take a request, with a clause that says why.
func ungenerated(why string) string {
	return "The model is decoupled. Over HTTP only generate_stream gives its answers, and generate_stream " + why +
		". Copy the request as Python or grpcurl, which use gRPC"
}

// generated is the request as the body of generate_stream (docs/triton/http.md, "Generate").
func generated(r Request) (text string, short bool, err error) {
	var members []string
	member := func(name string, value []byte) {
		key, _ := json.Marshal(name)
		members = append(members, string(key)+":"+string(value))
	}
	if r.ID != "" {
		id, _ := json.Marshal(r.ID)
		member("id", id)
	}
	short = true
	for _, in := range r.Inputs {
		list, plain := in.literals()
		if !plain {
			return "", false, fmt.Errorf("%s", ungenerated(fmt.Sprintf("takes JSON, which does not hold the values of the input %q", in.Name)))
		}
		if shape := r.Decoupled.fit(in.Name, len(list)); !slices.Equal(shape, in.Shape) {
			return "", false, fmt.Errorf("%s", ungenerated(fmt.Sprintf("does not give the input %q the shape %s: it knows only how many values there are", in.Name, integers(in.Shape))))
		}
		short = short && len(list) <= readable
		member(in.Name, []byte("["+strings.Join(list, ",")+"]"))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		member(name, r.Parameters[name])
	}
	return "{" + strings.Join(members, ",") + "}", short, nil
}

// fit is the shape that generate_stream gives so many values of an input; nil where it refuses them.
func (d *Decoupled) fit(name string, values int) []int64 {
	at := slices.IndexFunc(d.Inputs, func(in Input) bool { return in.Name == name })
	if at < 0 {
		return nil
	}
	shape, left, open := slices.Clone(d.Inputs[at].Shape), int64(values), -1
	for i, dim := range shape {
		switch {
		case dim < 0:
			shape[i], open = 1, i
		case dim == 0 || left%dim != 0:
			return nil
		default:
			left /= dim
		}
	}
	switch {
	case open >= 0:
		shape[open] = left
	case left != 1:
		return nil
	}
	return shape
}
