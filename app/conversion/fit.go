package conversion

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"conch/app/api"
	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/repo/scan"
)

// Fits returns a check of requests against the inputs that the file of a version has. ONNX Runtime would refuse the same ones, but without saying which
// request it was, or only in the middle of a conversion. The check lets all pass where the file cannot be read: the tools say why.
func (s Source) Fits(v scan.Version) func(*api.InferRequest) error {
	given, free := modelfile.Inputs(filepath.Join(v.Dir, s.File))
	all := slices.Concat(given, free)
	return func(r *api.InferRequest) error {
		if len(all) == 0 {
			return nil
		}
		for _, in := range r.Inputs {
			at := slices.IndexFunc(all, func(t modelfile.Tensor) bool { return t.Name == in.Name })
			if at < 0 {
				return fmt.Errorf("the model has no input %q, it takes %s", in.Name, namesOf(given))
			}
			if err := fitsTensor(in, all[at]); err != nil {
				return err
			}
		}
		for _, t := range given {
			has := func(in *api.InferInput) bool { return in.Name == t.Name }
			if t.Kind != modelfile.OptionalKind && !slices.ContainsFunc(r.Inputs, has) {
				return fmt.Errorf("input %q is missing", t.Name)
			}
		}
		return nil
	}
}

// fitsTensor compares an input of a request with that of the model.
func fitsTensor(in *api.InferInput, t modelfile.Tensor) error {
	if t.Kind != modelfile.TensorKind {
		return nil
	}
	if kind := language.Datatype(t.Type); t.Type != modelconfig.DataType_TYPE_INVALID && in.Datatype != kind {
		return fmt.Errorf("input %q is %s, and the model takes %s", in.Name, in.Datatype, kind)
	}
	if len(t.Dims) == 0 { // ONNX Runtime takes any shape where the file gives none
		return nil
	}
	wanted := make([]int64, len(t.Dims))
	fits := len(in.Shape) == len(t.Dims)
	for i, d := range t.Dims {
		wanted[i] = d.Size
		fits = fits && (d.Size <= 0 || in.Shape[i] == d.Size)
	}
	if !fits {
		return fmt.Errorf("input %q has shape %s, and the model takes %s", in.Name, shapeText(in.Shape), shapeText(wanted))
	}
	return nil
}

func shapeText(shape []int64) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ",") }

func namesOf(list []modelfile.Tensor) string {
	var names []string
	for _, t := range list {
		names = append(names, fmt.Sprintf("%q", t.Name))
	}
	return strings.Join(names, ", ")
}
