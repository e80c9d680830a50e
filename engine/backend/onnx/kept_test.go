package onnx_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// square is a model of some 4 MB that ONNX Runtime rewrites: a product and a sum become one operator.
func square(side int) onnxtest.Model {
	weights := floats("", nil, make([]float32, side*side)...)
	for i := range side {
		copy(weights.Data[4*i*(side+1):], floats("", nil, 2).Data) // twice the unit
	}
	return onnxtest.Model{
		Inputs:  []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims("n", side)}},
		Outputs: []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims("n", side)}},
		Nodes: []onnxtest.Node{
			{Op: "MatMul", Inputs: []string{"X", "W"}, Outputs: []string{"XW"}},
			{Op: "Add", Inputs: []string{"XW", "B"}, Outputs: []string{"Y"}},
		},
		Initializers: []onnxtest.Initializer{
			{Name: "W", Type: onnxtest.Float, Dims: []int64{int64(side), int64(side)}, Raw: weights.Data},
			{Name: "B", Type: onnxtest.Float, Dims: []int64{int64(side)}, Raw: make([]byte, 4*side)},
		},
	}
}

// squareSpec is the model as it lies on disk for some time.
func squareSpec(t testing.TB) backend.Spec {
	t.Helper()
	spec := specOf(t, square(squareSide).Bytes(), nil)
	settled(t, spec)
	return spec
}

const squareSide = 1024

// settled waits until the model's file is no longer as new as the clock is coarse.
func settled(t testing.TB, spec backend.Spec) {
	t.Helper()
	info, err := os.Stat(spec.File)
	if err != nil {
		t.Fatal(err)
	}
	for time.Since(info.ModTime()) < 50*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
}

// keeping is a backend that keeps optimized models in dir.
func keeping(t testing.TB, dir string, settings onnx.Settings) *onnx.Backend {
	t.Helper()
	settings.OptimizedFrom = 1 << 20
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), OptimizedDir: dir, Settings: settings})
	t.Cleanup(func() { b.Close() })
	return b
}

// answerOf loads the model, runs it once and gives everything back.
func answerOf(t testing.TB, b *onnx.Backend, spec backend.Spec) (string, *modelfile.ONNX) {
	t.Helper()
	model, err := b.Load(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	instance, err := model.NewInstance(context.Background(), cpuInstance)
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Close()
	values := make([]float32, squareSide)
	values[0], values[7] = 1, 3
	out := run(context.Background(), t, instance, request(1, floats("X", tensor.Shape{1, squareSide}, values...)))[0]
	if out.err != nil {
		t.Fatal(out.err)
	}
	defer out.response.Release()
	return show(out.response.Output("Y")), onnx.Describe(model)
}

func kept(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOptimizedModelIsKeptAndGivesTheSame(t *testing.T) {
	dir, spec := filepath.Join(t.TempDir(), "kept"), squareSpec(t)
	b := keeping(t, dir, onnx.Settings{})
	first, firstTensors := answerOf(t, b, spec)
	b.Close() // the keeping goes on in the background
	if n := len(kept(t, dir)); n != 1 {
		t.Fatalf("%d models are kept", n)
	}
	used := time.Now().Add(-time.Hour)
	if err := os.Chtimes(kept(t, dir)[0], used, used); err != nil {
		t.Fatal(err)
	}
	second, secondTensors := answerOf(t, b, spec)
	if first != second || !reflect.DeepEqual(firstTensors, secondTensors) {
		t.Errorf("the kept model answers otherwise:\n%.80s\n%.80s\n%+v\n%+v", first, second, firstTensors, secondTensors)
	}
	if info, err := os.Stat(kept(t, dir)[0]); err != nil || time.Since(info.ModTime()) > time.Minute {
		t.Errorf("the second load did not take what was kept: %v", err)
	}
}

// A convolution is laid out for the processor at hand when it is optimized; kept, it is so already.
func TestKeptConvolutionGivesTheSame(t *testing.T) {
	dir, spec := filepath.Join(t.TempDir(), "kept"), specOf(t, onnxtest.Convolution(64, 512).Bytes(), nil)
	settled(t, spec)
	in := tensor.Tensor{Name: "X", Type: tensor.FP32, Shape: tensor.Shape{2, 64, 8, 8}}
	for i := range 2 * 64 * 8 * 8 {
		in.Data = append(in.Data, floats("", nil, float32(i%31)-15).Data...)
	}
	var answers []string
	for range 2 {
		b := keeping(t, dir, onnx.Settings{})
		model, err := b.Load(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, show(one(t, instanceOf(t, model), request(2, in)).Output("Y")))
		b.Close()
		if n := len(kept(t, dir)); n != 1 {
			t.Fatalf("%d models are kept", n)
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("the kept model answers otherwise:\n%.120s\n%.120s", answers[0], answers[1])
	}
}

func TestWhatMakesAnotherOptimizedModel(t *testing.T) {
	dir, spec := filepath.Join(t.TempDir(), "kept"), squareSpec(t)
	b := keeping(t, dir, onnx.Settings{})
	answerOf(t, b, spec)
	basic := spec
	basic.Config = withConfig(spec.Config, func(c *modelconfig.ModelConfig) {
		c.Optimization = &modelconfig.ModelOptimizationPolicy{Graph: &modelconfig.ModelOptimizationPolicy_Graph{Level: -1}}
	})
	answerOf(t, b, basic)
	changed := square(squareSide)
	changed.Initializers[1].Raw = bytes.Repeat(floats("", nil, 5).Data, squareSide)
	if err := os.WriteFile(spec.File, changed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	settled(t, spec)
	before, _ := answerOf(t, newBackend(t), spec)
	if got, _ := answerOf(t, b, spec); got != before {
		t.Error("the changed file was answered by what was kept of the old one")
	}
	b.Close()
	if n := len(kept(t, dir)); n != 3 {
		t.Errorf("%d models are kept of a file, another level, and the changed file", n)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	small := specOf(t, onnxtest.AddSub(16).Bytes(), nil)
	settled(t, small)
	off := squareSpec(t)
	off.Config = withConfig(off.Config, func(c *modelconfig.ModelConfig) {
		c.Optimization = &modelconfig.ModelOptimizationPolicy{Graph: &modelconfig.ModelOptimizationPolicy_Graph{Level: 2}}
	})
	for name, c := range map[string]struct {
		spec     backend.Spec
		settings onnx.Settings
	}{
		"a small model": {small, onnx.Settings{}}, "a graph left as it is": {off, onnx.Settings{}},
		"one larger than half the store": {squareSpec(t), onnx.Settings{OptimizedBytes: 6 << 20}},
		"anything when it is off":        {squareSpec(t), onnx.Settings{Optimized: "off"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "kept")
			b := keeping(t, dir, c.settings)
			model, err := b.Load(context.Background(), c.spec)
			if err != nil {
				t.Fatal(err)
			}
			model.Close()
			b.Close()
			if found := kept(t, dir); len(found) > 0 {
				t.Errorf("kept %v", found)
			}
		})
	}
}

// Whatever was done to a kept model, the model loads, answers right, and is kept again.
func TestBrokenKeptModels(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"weights cut off": func(dir string) error {
			return rewrite(dir, "weights.bin", func(b []byte) []byte { return b[:len(b)/2] })
		},
		"weights changed": func(dir string) error {
			return rewrite(dir, "weights.bin", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		},
		"graph emptied": func(dir string) error { return rewrite(dir, "model.onnx", func([]byte) []byte { return nil }) },
		"no manifest":   func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) },
		"no weights":    func(dir string) error { return os.Remove(filepath.Join(dir, "weights.bin")) },
		"no sense in it": func(dir string) error {
			return rewrite(dir, "manifest.json", func([]byte) []byte { return []byte("{") })
		},
		"empty manifest": func(dir string) error {
			return rewrite(dir, "manifest.json", func([]byte) []byte { return []byte("{}") })
		},
		"a file, no folder": func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, []byte("x"), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, spec := filepath.Join(t.TempDir(), "kept"), squareSpec(t)
			b := keeping(t, dir, onnx.Settings{})
			first, _ := answerOf(t, b, spec)
			b.Close()
			if err := spoil(kept(t, dir)[0]); err != nil {
				t.Fatal(err)
			}
			second, _ := answerOf(t, b, spec)
			b.Close()
			if first != second {
				t.Error("another answer")
			}
			if n := len(kept(t, dir)); n != 1 {
				t.Errorf("%d models are kept", n)
			}
		})
	}
}

func rewrite(dir, name string, change func([]byte) []byte) error {
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, change(content), 0o644)
}

// The disk is full or the folder cannot be used: the model loads anyway.
func TestNowhereToKeep(t *testing.T) {
	occupied := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(occupied, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	answerOf(t, keeping(t, occupied, onnx.Settings{}), squareSpec(t))
	answerOf(t, keeping(t, filepath.Join(occupied, "below"), onnx.Settings{}), squareSpec(t))
}

// A broken model fails as it does without a store, and nothing is left of the attempt.
func TestBrokenModelIsNotKept(t *testing.T) {
	dir, spec := filepath.Join(t.TempDir(), "kept"), squareSpec(t)
	if err := os.Truncate(spec.File, 2<<20); err != nil {
		t.Fatal(err)
	}
	settled(t, spec)
	b := keeping(t, dir, onnx.Settings{})
	_, err := b.Load(context.Background(), spec)
	_, plain := newBackend(t).Load(context.Background(), spec)
	if infer.CodeOf(err) != infer.Internal || err.Error() != plain.Error() {
		t.Errorf("got  %v\nwant %v", err, plain)
	}
	b.Close()
	if found := kept(t, dir); len(found) > 0 {
		t.Errorf("left %v", found)
	}
}
