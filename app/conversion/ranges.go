package conversion

import (
	"fmt"
	"path/filepath"
	"slices"

	"conch/app/api"
	"conch/configedit/modelfile"
	"conch/repo/scan"
)

// checkRanges says which range of the profiles of a plan a version cannot have, before anything is run: the worker of a plan looks at them only when
// TensorRT has read the model. Where the file cannot be read, the worker alone says it.
func (s Source) checkRanges(v scan.Version, profiles []*api.PlanProfile) error {
	given, free := modelfile.Inputs(filepath.Join(v.Dir, s.File))
	all := slices.Concat(given, free)
	for _, p := range profiles {
		for _, r := range p.GetRanges() {
			at := slices.IndexFunc(all, func(t modelfile.Tensor) bool { return t.Name == r.Input })
			switch {
			case len(all) == 0:
				return nil
			case at < 0:
				return unfit("the model has no input %q that a profile could name, it takes %s", r.Input, namesOf(given))
			}
			if err := inOrder(r, all[at]); err != nil {
				return unfit("input %q: %w", r.Input, err)
			}
		}
	}
	return nil
}

// checkRanged says which input has no range in one of the profiles, and needs one.
func (s Source) checkRanged(v scan.Version, profiles []*api.PlanProfile) error {
	given, _ := modelfile.Inputs(filepath.Join(v.Dir, s.File))
	if len(profiles) == 0 {
		profiles = []*api.PlanProfile{{}}
	}
	for number, p := range profiles {
		for _, t := range given {
			ranged := func(r *api.ShapeRange) bool { return r.Input == t.Name }
			if varies(t) && !slices.ContainsFunc(p.GetRanges(), ranged) {
				return unfit("input %q has shape %s: say the least, best and largest shape of it in profile %d", t.Name, shapeText(t.Sizes()), number)
			}
		}
	}
	return nil
}

// varies reports whether TensorRT lets the shape of an input vary.
func varies(t modelfile.Tensor) bool {
	return slices.ContainsFunc(t.Dims, func(d modelfile.Dim) bool { return d.Size <= 0 })
}

// inOrder says why a range is none of an input.
func inOrder(r *api.ShapeRange, t modelfile.Tensor) error {
	for _, shape := range [][]int64{r.Least, r.Best, r.Largest} {
		if len(shape) != len(r.Best) || !fitsShape(shape, t) {
			return fmt.Errorf("shape %s does not fit %s", shapeText(shape), shapeText(t.Sizes()))
		}
	}
	for i := range r.Best {
		if r.Least[i] > r.Best[i] || r.Best[i] > r.Largest[i] {
			return fmt.Errorf("each size must be least <= best <= largest, and %s, %s, %s is not so", shapeText(r.Least), shapeText(r.Best), shapeText(r.Largest))
		}
	}
	return nil
}
