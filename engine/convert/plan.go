package convert

import (
	"context"
	"errors"
	"fmt"

	"conch/engine/backend/python"
)

// runPlan has TensorRT build a plan, and compares it with the ONNX model where ONNX Runtime is there to run that.
func (t *Tools) runPlan(ctx context.Context, j Job, dir string, tell func(Event)) (*Report, error) {
	builder, _, err := t.Builder(ctx)
	if err != nil {
		return nil, err
	}
	library, err := python.Library(dir)
	if err != nil {
		return nil, err
	}
	before, note, err := t.runFirst(ctx, j, dir, tell)
	if err != nil {
		return nil, err
	}
	if err := j.write(dir, map[string]any{"library": library}); err != nil {
		return nil, err
	}
	done, err := work(ctx, builder, dir, tell)
	if err != nil {
		return nil, err
	}
	if before != nil {
		for i := range min(len(done.Results), len(before.Results)) {
			done.Results[i].Before = before.Results[i].Before
		}
		done.Times.Before = before.Times.Before
		done.Tool = fmt.Sprintf("%s beside %s on the CPU", done.Tool, before.Tool)
	}
	if note != "" {
		done.Notes = append(done.Notes, note)
	}
	return finish(j, dir, done)
}

// runFirst runs the requests on the ONNX model. The note says why that was not done.
func (t *Tools) runFirst(ctx context.Context, j Job, dir string, tell func(Event)) (*made, string, error) {
	if len(j.Requests) == 0 {
		return nil, "", nil
	}
	interpreter, err := t.Python(ctx)
	if errors.Is(err, ErrNotInstalled) {
		return nil, "The plan was not compared with the ONNX model, because the tools that run it are not installed.", nil
	}
	if err != nil {
		return nil, "", err
	}
	j.Target = "run"
	if err := j.write(dir, nil); err != nil {
		return nil, "", err
	}
	done, err := work(ctx, interpreter, dir, tell)
	return done, "", err
}
