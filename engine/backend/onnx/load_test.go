package onnx_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
)

// addSubConfig lists the tensors of onnxtest.AddSub(16), with a change.
func addSubConfig(change func(*modelconfig.ModelConfig)) *modelconfig.ModelConfig {
	cfg := &modelconfig.ModelConfig{Name: "m", Backend: "onnxruntime"}
	for _, name := range []string{"INPUT0", "INPUT1"} {
		cfg.Input = append(cfg.Input, &modelconfig.ModelInput{
			Name: name, DataType: modelconfig.DataType_TYPE_INT32, Dims: []int64{16},
		})
	}
	for _, name := range []string{"OUTPUT0", "OUTPUT1"} {
		cfg.Output = append(cfg.Output, &modelconfig.ModelOutput{
			Name: name, DataType: modelconfig.DataType_TYPE_INT32, Dims: []int64{16},
		})
	}
	if change != nil {
		change(cfg)
	}
	return cfg
}

func parameter(key, value string) func(*modelconfig.ModelConfig) {
	return func(cfg *modelconfig.ModelConfig) {
		cfg.Parameters = map[string]*modelconfig.ModelParameter{key: {StringValue: value}}
	}
}

func TestLoadFailures(t *testing.T) {
	cases := []struct {
		name   string
		change func(*modelconfig.ModelConfig)
		code   infer.Code
		want   string
	}{
		{"dims", func(c *modelconfig.ModelConfig) { c.Input[0].Dims = []int64{17} }, infer.InvalidArg,
			"model 'm', tensor 'INPUT0': the model expects 1 dimensions (shape [16]) but the model configuration specifies " +
				"1 dimensions (shape [17])"},
		{"unknown output", func(c *modelconfig.ModelConfig) { c.Output[1].Name = "X" }, infer.InvalidArg,
			"unexpected inference output 'X', allowed outputs are: OUTPUT0, OUTPUT1"},
		{"execution mode", parameter("execution_mode", "2"), infer.InvalidArg,
			"Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got 2 ."},
		{"thread count", parameter("intra_op_thread_count", "many"), infer.InvalidArg,
			"failed to convert 'many' to integral number"},
		{"accelerator", accelerator("tensorrt"), infer.InvalidArg, "unknown Execution Accelerator 'tensorrt' is requested"},
		{"no accelerator's name", accelerator(""), infer.InvalidArg, "unknown Execution Accelerator '' is requested"},
		{"memory limit", parameter("cpu_mem_limit", "lots"), infer.InvalidArg, `cpu_mem_limit: "lots" is not a number of bytes`},
		{"custom operators", func(c *modelconfig.ModelConfig) {
			c.ModelOperations = &modelconfig.ModelOperations{OpLibraryFilename: []string{"nolib.so"}}
		}, infer.Internal, "onnx runtime error 1: Failed to load library nolib.so with error: " +
			"nolib.so: cannot open shared object file: No such file or directory"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(c.change))
			expectFailure(t, spec, c.code, c.want)
		})
	}
}

// accelerator asks for one on the CPU.
func accelerator(name string) func(*modelconfig.ModelConfig) {
	return func(c *modelconfig.ModelConfig) {
		c.Optimization = &modelconfig.ModelOptimizationPolicy{
			ExecutionAccelerators: &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{
				CpuExecutionAccelerator: []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator{{Name: name}},
			},
		}
	}
}

func expectFailure(t *testing.T, spec backend.Spec, code infer.Code, want string) {
	t.Helper()
	model, err := newBackend(t).Load(context.Background(), spec)
	if err == nil {
		model.Close()
		t.Fatal("the model was loaded")
	}
	if infer.CodeOf(err) != code || err.Error() != want {
		t.Errorf("got  %v: %v\nwant %v: %s", infer.CodeOf(err), err, code, want)
	}
}

func TestUnreadableModels(t *testing.T) {
	spec := specOf(t, []byte("this is no model"), nil)
	expectFailure(t, spec, infer.Internal,
		"onnx runtime error 7: Load model from "+spec.File+" failed:Protobuf parsing failed.")
	os.Remove(spec.File)
	expectFailure(t, spec, infer.Internal, "failed to stat file "+spec.File)
	if err := os.Mkdir(spec.File, 0o755); err != nil {
		t.Fatal(err)
	}
	expectFailure(t, spec, infer.Unavailable, "unable to find '"+spec.File+"/model.onnx' for model instance 'm'")
}

func TestModelInAFolder(t *testing.T) {
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), nil)
	inside := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(spec.File, filepath.Join(inside, "model.onnx")); err != nil {
		t.Fatal(err)
	}
	spec.File = inside
	loadSpec(t, spec)
}

func TestExternalData(t *testing.T) {
	m := onnxtest.Model{
		Inputs:       []onnxtest.Value{{Name: "X", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
		Outputs:      []onnxtest.Value{{Name: "Y", Type: onnxtest.Int32, Dims: onnxtest.Dims(2)}},
		Initializers: []onnxtest.Initializer{{Name: "W", Type: onnxtest.Int32, Dims: []int64{2}, External: "weights.bin"}},
		Nodes:        []onnxtest.Node{{Op: "Add", Inputs: []string{"X", "W"}, Outputs: []string{"Y"}}},
	}
	spec := specOf(t, m.Bytes(), nil)
	weights := ints("", nil, 100, 200)
	if err := os.WriteFile(filepath.Join(spec.VersionDir, "weights.bin"), weights.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	if files := (*onnx.Backend)(nil).Files(spec); !slices.Equal(files, []string{spec.File, filepath.Join(spec.VersionDir, "weights.bin")}) {
		t.Errorf("a load reads %v", files)
	}
	instance := instanceOf(t, loadSpec(t, spec))
	out := one(t, instance, request(0, ints("X", []int64{2}, 1, 2))).Output("Y")
	if got, want := show(out), "Y INT32 [2] 65000000ca000000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMissingLibrary(t *testing.T) {
	b := onnx.New(onnx.Options{Library: filepath.Join(t.TempDir(), "nowhere"), Log: slog.New(slog.DiscardHandler)})
	_, err := b.Load(context.Background(), specOf(t, onnxtest.AddSub(16).Bytes(), nil))
	if infer.CodeOf(err) != infer.Unavailable || !strings.Contains(err.Error(), "model 'm' needs ONNX Runtime: there is no library at") {
		t.Errorf("got %v", err)
	}
	if trouble := b.Trouble(); !strings.HasPrefix(trouble, "ONNX Runtime was not found: there is no library at") || !strings.Contains(trouble, onnx.LibraryVariable) {
		t.Errorf("trouble is %q", trouble)
	}
	if b.Runtime() != "ONNX Runtime" {
		t.Errorf("runtime is %q before it was opened", b.Runtime())
	}
}

// A load that is cancelled at any moment gives up or is done; what comes after it is not touched by it.
func TestCancelledLoads(t *testing.T) {
	spec := specOf(t, square(2048).Bytes(), nil)
	b := newBackend(t)
	cancelled := 0
	for i := range 12 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*2*time.Millisecond)
		model, err := b.Load(ctx, spec)
		cancel()
		switch {
		case err == nil:
			model.Close()
		case infer.CodeOf(err) != infer.Cancelled || err.Error() != "the loading of the model was cancelled":
			t.Errorf("got %v: %v", infer.CodeOf(err), err)
		default:
			cancelled++
		}
	}
	if cancelled == 0 {
		t.Error("no load was cancelled, not even the one that was before it began")
	}
	loadSpec(t, spec)
}

func TestOptionsThatLoad(t *testing.T) {
	for _, p := range [][2]string{
		{"intra_op_thread_count", "2x"}, {"inter_op_thread_count", "1"}, {"execution_mode", "1"},
		{"enable_mem_arena", "Off"}, {"enable_mem_pattern", "0"}, {"memory.enable_memory_arena_shrinkage", "cpu:0"},
		{"session.use_device_allocator_for_initializers", "1"}, {"unknown", "x"},
	} {
		t.Run(p[0], func(t *testing.T) {
			instance := instanceOf(t, loadSpec(t, specOf(t, onnxtest.AddSub(2).Bytes(), &modelconfig.ModelConfig{
				Parameters: map[string]*modelconfig.ModelParameter{p[0]: {StringValue: p[1]}},
			})))
			one(t, instance, request(0, ints("INPUT0", []int64{2}, 5, 6), ints("INPUT1", []int64{2}, 1, 2)))
		})
	}
}

func TestCompleteAModelWithoutShapes(t *testing.T) {
	m := onnxtest.AddSub("batch", 4)
	for i := range m.Outputs {
		m.Outputs[i].Dims = nil
	}
	spec := specOf(t, m.Bytes(), nil)
	if len(spec.Config.Output) > 0 {
		t.Fatal("the header alone cannot tell the outputs")
	}
	cfg, err := newBackend(t).Complete(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.MaxBatchSize != 4 || len(cfg.Output) != 2 || cfg.Output[0].Dims[0] != 4 {
		t.Errorf("completed to %v", cfg)
	}
	spec.Config = cfg
	loadSpec(t, spec)
}

// openOutput is a model whose file leaves the shape of its output open; ONNX Runtime infers [batch,1,4,4].
func openOutput() onnxtest.Model {
	m := onnxtest.Identity(onnxtest.Float, "batch", 1, 4, 4)
	m.Outputs[0].Dims = onnxtest.Dims(nil, nil, nil, nil)
	return m
}

// A config without outputs gets the dims of the session, not the open ones of the file.
func TestCompleteAnOpenOutput(t *testing.T) {
	spec := specOf(t, openOutput().Bytes(), &modelconfig.ModelConfig{MaxBatchSize: 4})
	spec.Config = &modelconfig.ModelConfig{Name: "m", Backend: "onnxruntime", MaxBatchSize: 4}
	cfg, err := newBackend(t).Complete(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Output[0].Dims; !slices.Equal(got, []int64{1, 4, 4}) {
		t.Errorf("dims of the output: %v", got)
	}
	spec.Config = cfg
	loadSpec(t, spec)
}

// The session decides, in Triton's words: -1 is wrong where it knows the size.
func TestOpenOutputIsHeldAgainstTheSession(t *testing.T) {
	spec := specOf(t, openOutput().Bytes(), &modelconfig.ModelConfig{MaxBatchSize: 4})
	if got := spec.Config.Output[0].Dims; !slices.Equal(got, []int64{-1, -1, -1}) {
		t.Fatalf("the file alone gives %v", got)
	}
	expectFailure(t, spec, infer.InvalidArg, "model 'm', tensor 'OUTPUT': the model expects 4 dimensions (shape [-1,1,4,4]) "+
		"but the model configuration specifies 4 dimensions (an initial batch dimension because max_batch_size > 0 followed by "+
		"the explicit tensor shape, making complete shape [-1,-1,-1,-1])")
	spec.Config.Output[0].Dims = []int64{1, 4, 4}
	loadSpec(t, spec)
}
