package conversion

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/store"
	"conch/app/tensorjson"
)

const (
	// mostSaved is how many requests of the history are used, the newest.
	mostSaved = 64
	// looked is how many of the history are looked at for them.
	looked = 256
)

// Saved returns the requests to a model that the history has, whole and answered, the newest first and each once. key is the repository's name in it.
func Saved(ctx context.Context, history *store.Store, key, model string) (list []*api.InferRequest, err error) {
	entries, err := history.Requests(ctx, key, model, looked)
	if err != nil {
		return nil, err
	}
	seen := map[[sha256.Size]byte]bool{}
	for _, e := range entries {
		if !e.OK || len(list) == mostSaved {
			continue
		}
		whole, err := history.Request(ctx, e.ID)
		if err != nil {
			continue // it was removed meanwhile
		}
		r := &api.InferRequest{}
		if proto.Unmarshal(whole.RequestBody, r) != nil || !isWhole(r) {
			continue
		}
		r, err = plain(r)
		if err != nil {
			continue
		}
		if sum := digest(r); !seen[sum] {
			seen[sum] = true
			list = append(list, r)
		}
	}
	return list, nil
}

// isWhole reports whether all values of a request are there: the history leaves large ones out.
func isWhole(r *api.InferRequest) bool {
	return len(r.Inputs) > 0 && !slices.ContainsFunc(r.Inputs, func(in *api.InferInput) bool { return in.Data == nil })
}

// Typed returns requests as people typed them with the bytes of their values.
func Typed(list []*api.InferRequest) (out []*api.InferRequest, err error) {
	for _, r := range list {
		one, err := plain(r)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// plain returns the inputs of a request with the bytes of their values.
func plain(r *api.InferRequest) (*api.InferRequest, error) {
	out := &api.InferRequest{}
	for _, in := range r.Inputs {
		raw := in.GetRaw()
		if text, is := in.Data.(*api.InferInput_Json); is {
			var err error
			if raw, err = tensorjson.Encode(tensorjson.Tensor{Datatype: in.Datatype, Shape: in.Shape, JSON: text.Json}); err != nil {
				return nil, fmt.Errorf("input %q: %w", in.Name, err)
			}
		}
		if count, err := tensorjson.Count(in.Shape); err != nil || in.Datatype != "BYTES" && count*tensorjson.Size(in.Datatype) != len(raw) {
			return nil, fmt.Errorf("input %q: its shape and its values do not fit together", in.Name)
		}
		out.Inputs = append(out.Inputs, &api.InferInput{Name: in.Name, Datatype: in.Datatype, Shape: in.Shape, Data: &api.InferInput_Raw{Raw: raw}})
	}
	return out, nil
}

// once returns each request once.
func once(list []*api.InferRequest) (out []*api.InferRequest) {
	seen := map[[sha256.Size]byte]bool{}
	for _, r := range list {
		if sum := digest(r); !seen[sum] {
			seen[sum] = true
			out = append(out, r)
		}
	}
	return out
}

func digest(r *api.InferRequest) [sha256.Size]byte {
	var all bytes.Buffer
	for _, in := range r.Inputs {
		fmt.Fprintf(&all, "%q %v %d ", in.Name, in.Shape, len(in.GetRaw()))
		all.Write(in.GetRaw())
	}
	return sha256.Sum256(all.Bytes())
}
