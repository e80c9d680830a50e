package httpapi

import (
	"conch/engine/infer"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/tensor"
)

// source is the one place an input's bytes come from.
type source struct {
	data   *jsondoc.Value // "data"
	size   *jsondoc.Value // "binary_data_size"
	region *jsondoc.Value // "shared_memory_region"
}

// inputSource finds the one source of an input's values; none and several are refused
// (docs/triton/http.md, "Infer request").
func inputSource(in *jsondoc.Value) (source, error) {
	var s source
	s.data, _ = in.Find("data")
	if params, ok := in.Find("parameters"); ok {
		s.size, _ = params.Find("binary_data_size")
		s.region, _ = params.Find("shared_memory_region")
	}
	count, set := 0, [3]string{}
	for i, v := range [...]*jsondoc.Value{s.data, s.size, s.region} {
		if v != nil {
			count++
			set[i] = [...]string{" 'data'", " 'binary_data_size'", " 'shared_memory_region'"}[i]
		}
	}
	const text = "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', " +
		"'shared_memory_region' in 'parameters'. But"
	switch {
	case count == 0:
		return s, infer.Errorf(infer.InvalidArg, text+" no field is set")
	case count > 1:
		return s, infer.Errorf(infer.InvalidArg, text+" set%s%s%s", set[0], set[1], set[2])
	}
	return s, nil
}

// readSource gives an input's bytes: those of a binary tensor are the body's own.
func (f *inference) readSource(t *tensor.Tensor, s source) ([]byte, error) {
	switch {
	case s.region != nil:
		return nil, refuseRegion(s.region, "")
	case s.size != nil:
		return f.cutTail(t.Name, s.size)
	}
	return readData(t, s.data, &f.c.account)
}

// cutTail takes an input's bytes from the binary part of the body (docs/triton/http.md, "Binary
// data").
func (f *inference) cutTail(name string, size *jsondoc.Value) ([]byte, error) {
	n, err := size.Uint()
	if err != nil {
		return nil, unparsable("binary_data_size", err)
	}
	if have := uint64(len(f.tail)); n > have {
		return nil, infer.Errorf(infer.InvalidArg, "unexpected size for input '%s', expecting %d additional bytes for model '%s'",
			name, n-have, f.request.Model)
	}
	data := f.tail[:n:n]
	f.tail = f.tail[n:]
	return data, nil
}
