package derive

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// shapeOf is the shape the backend sees, and the field it is written in: reshape takes the place of dims.
func shapeOf(dims []int64, reshape *modelconfig.ModelTensorReshape) ([]int64, string) {
	if reshape != nil {
		return reshape.Shape, "reshape"
	}
	return dims, "dims"
}

// dims compares a tensor's dims in config and graph, one sentence at most (CompareDimsSupported).
func (c *onnxCheck) dims(p place, dims []int64, t *modelfile.Tensor) {
	if !t.Shaped {
		return
	}
	path := at(p.side, p.i, p.shapeField)
	if len(t.Dims) == 0 {
		c.scalar(path, dims, t)
		return
	}
	batching := c.cfg.MaxBatchSize > 0
	if batching && t.Dims[0].Size != -1 {
		c.noBatch(p.name, t)
		return
	}
	full := dims
	if batching {
		full = append([]int64{-1}, dims...)
	}
	if !t.TakesAll(p.side, full) {
		c.add(&Problem{Rule: rule.ORT5, Path: path, Tensor: t, Triton: c.mismatch(p.name, full, batching, t)})
	}
}

func (c *onnxCheck) mismatch(name string, full []int64, batches bool, t *modelfile.Tensor) string {
	config := "shape " + shape(full)
	if batches {
		config = "an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, " +
			"making complete shape " + shape(full)
	}
	return rule.ORT5.Sentence(c.cfg.Name, name, len(t.Dims), shape(t.Sizes()), len(full), config)
}

// scalar takes dims of ones for a graph tensor without dimensions, batching or not.
func (c *onnxCheck) scalar(path []any, dims []int64, t *modelfile.Tensor) {
	if !slices.ContainsFunc(dims, func(d int64) bool { return d != 1 }) {
		return
	}
	c.add(&Problem{
		Rule: rule.ORT7, Path: path, Tensor: t,
		Triton: rule.ORT7.Sentence(c.cfg.Name, t.Name, shape(dims)),
	})
}

// shape prints as Triton does: [-1,16].
func shape(dims []int64) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = strconv.FormatInt(d, 10)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
