package grpcapi

import (
	"conch/engine/infer"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/request"
)

// The parameters of a tensor in shared memory.
const (
	regionKey = "shared_memory_region"
	offsetKey = "shared_memory_offset"
	sizeKey   = "shared_memory_byte_size"
)

// readPlace reads where a tensor lies in shared memory; nil for a tensor in the message (docs/triton/http.md, "Shared
// memory").
func readPlace(tensor string, params map[string]*kservepb.InferParameter) (*request.Place, error) {
	p, ok := params[regionKey]
	if !ok {
		return nil, refuseLonePlace(tensor, params)
	}
	name, ok := p.GetParameterChoice().(*kservepb.InferParameter_StringParam)
	if !ok {
		return nil, mistypedPlace(tensor, regionKey, "string_param")
	}
	if _, ok := params[sizeKey]; !ok {
		return nil, infer.Errorf(infer.InvalidArg, "'%s' must be specified along with '%s' parameter for tensor '%s'",
			sizeKey, regionKey, tensor)
	}
	place := &request.Place{Region: name.StringParam}
	for key, to := range map[string]*uint64{offsetKey: &place.Offset, sizeKey: &place.Size} {
		p, ok := params[key]
		if !ok {
			continue
		}
		n, ok := p.GetParameterChoice().(*kservepb.InferParameter_Int64Param)
		if !ok {
			return nil, mistypedPlace(tensor, key, "int64_param")
		}
		*to = uint64(n.Int64Param) // a negative number is too large
	}
	return place, nil
}

func mistypedPlace(tensor, key, expected string) error {
	return infer.Errorf(infer.InvalidArg, "invalid value type for '%s' parameter for tensor '%s', expected %s.", key, tensor, expected)
}

// refuseLonePlace refuses a place without a region.
func refuseLonePlace(tensor string, params map[string]*kservepb.InferParameter) error {
	for _, key := range [...]string{offsetKey, sizeKey} {
		if _, ok := params[key]; ok {
			return infer.Errorf(infer.InvalidArg, "'%s' can not be specified without '%s' parameter for tensor '%s'", key, regionKey, tensor)
		}
	}
	return nil
}
