package conversion

import (
	"cmp"
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

// Fits returns a check of requests against the inputs that the file of a version has, and the profiles that a plan gets. The tools would refuse the same
// ones, but without saying which request it was, or only in the middle of a conversion. The check lets all pass where the file cannot be read: the tools
// say why.
func (s Source) Fits(v scan.Version, profiles []*api.PlanProfile) func(*api.InferRequest) error {
	given, free := modelfile.Inputs(filepath.Join(v.Dir, s.File))
	all := slices.Concat(given, free)
	return func(r *api.InferRequest) error {
		if len(all) == 0 {
			return nil
		}
		r = s.asFile(r)
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
		return cmp.Or(s.oneBatch(r), fitsProfiles(r, profiles, all))
	}
}

// oneBatch says which input has another batch than the one before it: Triton would refuse the request.
func (s Source) oneBatch(r *api.InferRequest) error {
	if s.Config.GetMaxBatchSize() == 0 {
		return nil
	}
	var first *api.InferInput
	for _, in := range r.Inputs {
		batched := func(c *modelconfig.ModelInput) bool { return c.GetName() == in.Name && !c.GetIsShapeTensor() }
		if len(in.Shape) == 0 || !slices.ContainsFunc(s.Config.GetInput(), batched) {
			continue
		}
		if first == nil {
			first = in
		}
		if in.Shape[0] != first.Shape[0] {
			return fmt.Errorf("input %q has a batch of %d, and input %q one of %d: all inputs of a request have the same", in.Name, in.Shape[0], first.Name, first.Shape[0])
		}
	}
	return nil
}

// asFile returns a request as the model's file takes it: where the config has a reshape, clients send another shape, with the same bytes.
func (s Source) asFile(r *api.InferRequest) *api.InferRequest {
	lead := min(int(s.Config.GetMaxBatchSize()), 1)
	out := &api.InferRequest{}
	for _, in := range r.Inputs {
		at := slices.IndexFunc(s.Config.GetInput(), func(c *modelconfig.ModelInput) bool { return c.GetName() == in.Name })
		if at >= 0 && s.Config.Input[at].GetReshape() != nil {
			c := s.Config.Input[at]
			shape := modelconfig.Reshaped(in.Shape, lead, c.GetDims(), c.GetReshape().GetShape())
			in = &api.InferInput{Name: in.Name, Datatype: in.Datatype, Shape: shape, Data: in.Data}
		}
		out.Inputs = append(out.Inputs, in)
	}
	return out
}

// fitsProfiles says why none of the profiles takes a request; nil where one does, or where there are none.
func fitsProfiles(r *api.InferRequest, profiles []*api.PlanProfile, all []modelfile.Tensor) (refused error) {
	for _, p := range profiles {
		err := fitsProfile(r, p, all)
		if err == nil {
			return nil
		}
		refused = cmp.Or(refused, err)
	}
	if len(profiles) > 1 {
		return fmt.Errorf("none of the %d profiles takes it: %w", len(profiles), refused)
	}
	return refused
}

// fitsProfile says which input of a request a profile does not take. What TensorRT does not let vary is no part of a profile.
func fitsProfile(r *api.InferRequest, p *api.PlanProfile, all []modelfile.Tensor) error {
	for _, ranged := range p.GetRanges() {
		mayVary := func(t modelfile.Tensor) bool { return t.Name == ranged.Input && varies(t) }
		if !slices.ContainsFunc(all, mayVary) {
			continue
		}
		for _, in := range r.Inputs {
			if in.Name == ranged.Input && !within(in.Shape, ranged) {
				return fmt.Errorf("input %q has shape %s, and the profile takes %s to %s", in.Name, shapeText(in.Shape), shapeText(ranged.Least), shapeText(ranged.Largest))
			}
		}
	}
	return nil
}

// within reports whether a shape is in a range. One with another number of sizes is TensorRT's to refuse.
func within(shape []int64, of *api.ShapeRange) bool {
	if len(of.Least) != len(shape) || len(of.Largest) != len(shape) {
		return true
	}
	for i, size := range shape {
		if size < of.Least[i] || size > of.Largest[i] {
			return false
		}
	}
	return true
}

// fitsTensor compares an input of a request with that of the model.
func fitsTensor(in *api.InferInput, t modelfile.Tensor) error {
	if t.Kind != modelfile.TensorKind {
		return nil
	}
	if kind := language.Datatype(t.Type); t.Type != modelconfig.DataType_TYPE_INVALID && in.Datatype != kind {
		return fmt.Errorf("input %q is %s, and the model takes %s", in.Name, in.Datatype, kind)
	}
	if !fitsShape(in.Shape, t) {
		return fmt.Errorf("input %q has shape %s, and the model takes %s", in.Name, shapeText(in.Shape), shapeText(t.Sizes()))
	}
	return nil
}

// fitsShape reports whether the model takes a shape for an input. ONNX Runtime takes any where the file gives none.
func fitsShape(shape []int64, t modelfile.Tensor) bool {
	fits := len(t.Dims) == 0 || len(shape) == len(t.Dims)
	for i, d := range t.Dims {
		fits = fits && (d.Size <= 0 || shape[i] == d.Size)
	}
	return fits
}

func shapeText(shape []int64) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ",") }

func namesOf(list []modelfile.Tensor) string {
	var names []string
	for _, t := range list {
		names = append(names, fmt.Sprintf("%q", t.Name))
	}
	return strings.Join(names, ", ")
}
