package check

import (
	"conch/configedit/backends"
	"conch/configedit/reach"
)

// Parameter is a key of parameters that a backend reads.
type Parameter struct {
	Key, Doc string
	// Values are the values that the key takes, if it takes only certain values.
	Values []string
	// Default is the value without the key, or "" if the value depends on other things.
	Default string
}

var (
	yesNo     = []string{"yes", "no"}
	trueFalse = []string{"true", "false"}
)

// parameters holds the keys of each backend (docs/triton/onnx.md, "Parameters"; docs/triton/backends.md;
// docs/triton/python.md).
var parameters = map[string][]Parameter{
	backends.ONNXRuntime: {
		{Key: "execution_mode", Doc: "0 runs the nodes of the graph one after the other, 1 in parallel", Values: []string{"0", "1"}, Default: "0"},
		{Key: "intra_op_thread_count", Doc: "threads inside one operator; 0 takes all cores", Default: "0"},
		{Key: "inter_op_thread_count", Doc: "threads between operators, with execution_mode 1; 0 takes all cores", Default: "0"},
		{Key: "session.use_device_allocator_for_initializers", Doc: "allocate weights outside the arena", Values: []string{"0", "1"}},
		{Key: "enable_mem_arena", Doc: "keep memory in an arena on the CPU", Values: trueFalse},
		{Key: "enable_mem_pattern", Doc: "plan memory ahead for inputs of the same shapes", Values: trueFalse},
		{Key: "memory.enable_memory_arena_shrinkage", Doc: "arenas that free unused memory after each run, such as cpu:0;gpu:0"},
		{Key: "cudnn_conv_algo_search", Doc: "how cuDNN searches for convolution algorithms: 0 exhaustive, 1 heuristic, 2 default", Values: []string{"0", "1", "2"}, Default: "0"},
		{Key: "cpu_mem_limit", Doc: "the most bytes that the model may take on the CPU; for Conch only, Triton ignores it"},
		{Key: "gpu_mem_limit", Doc: "the most bytes that the arena on a GPU may take"},
		{Key: "arena_extend_strategy", Doc: "how arenas grow: 0 to the next power of two, 1 by the requested size", Values: []string{"0", "1"}, Default: "0"},
		{Key: "do_copy_in_default_stream", Doc: "copy to the GPU in CUDA's default stream", Values: []string{"0", "1"}, Default: "1"},
	},
	backends.Python: {
		{Key: "EXECUTION_ENV_PATH", Doc: "a packed conda environment (.tar.gz) or an unpacked one; $$TRITON_MODEL_DIRECTORY is the model's folder"},
		{Key: "FORCE_CPU_ONLY_INPUT_TENSORS", Doc: "copy inputs to the CPU before execute sees them", Values: yesNo, Default: "yes"},
	},
	backends.PyTorch: {
		{Key: "DISABLE_OPTIMIZED_EXECUTION", Doc: "skip TorchScript's optimizations", Values: trueFalse, Default: "false"},
		{Key: "INFERENCE_MODE", Doc: "run in PyTorch's inference mode; false only switches gradients off", Values: trueFalse, Default: "true"},
		{Key: "DISABLE_CUDNN", Doc: "do not use cuDNN", Values: trueFalse, Default: "false"},
		{Key: "ENABLE_WEIGHT_SHARING", Doc: "instances on one device share the weights", Values: trueFalse, Default: "false"},
		{Key: "ENABLE_CACHE_CLEANING", Doc: "empty CUDA's cache after each run", Values: trueFalse, Default: "false"},
		{Key: "INTER_OP_THREAD_COUNT", Doc: "threads between operators, for all models of the server; the first to set it wins"},
		{Key: "INTRA_OP_THREAD_COUNT", Doc: "threads inside one operator, for all models of the server; the first to set it wins"},
		{Key: "ENABLE_JIT_EXECUTOR", Doc: "TorchScript's graph executor", Values: trueFalse},
		{Key: "ENABLE_JIT_PROFILING", Doc: "TorchScript's profiling executor", Values: trueFalse},
		{Key: "ENABLE_TENSOR_FUSER", Doc: "fuse operators", Values: trueFalse},
		{Key: "NUM_THREADS", Doc: "threads inside one operator; runtime: \"" + backends.PythonRuntime + "\" only", Default: "1"},
		{Key: "NUM_INTEROP_THREADS", Doc: "threads between operators; runtime: \"" + backends.PythonRuntime + "\" only", Default: "1"},
		{Key: "TORCH_COMPILE_OPTIONAL_PARAMETERS", Doc: "arguments of torch.compile as JSON; runtime: \"" + backends.PythonRuntime + "\" only"},
	},
	backends.TensorRT: {
		{Key: "execution_context_allocation_strategy", Doc: "when TensorRT takes the memory of a context", Values: []string{"STATIC", "ON_PROFILE_CHANGE"}, Default: "STATIC"},
		{Key: "enable_multi_device", Doc: "spread an engine over several GPUs", Values: trueFalse},
		{Key: "multi_device_gpus", Doc: "the GPUs that an engine is spread over"},
		{Key: "multi_device_per_rank_engines", Doc: "an engine file for each GPU"},
	},
	backends.TensorFlow: {
		{Key: "TF_NUM_INTRA_THREADS", Doc: "threads inside one operator"},
		{Key: "TF_NUM_INTER_THREADS", Doc: "threads between operators"},
		{Key: "TF_USE_PER_SESSION_THREADS", Doc: "each session has its own threads"},
		{Key: "TF_GRAPH_TAG", Doc: "the tag of the graph in the saved model", Default: "serve"},
		{Key: "TF_SIGNATURE_DEF", Doc: "the signature that is served", Default: "serving_default"},
		{Key: "MAX_SESSION_SHARE_COUNT", Doc: "instances that share a session", Default: "1"},
		{Key: "TF_INIT_OPS_FILE", Doc: "a file that lists operations to run first"},
	},
	backends.OpenVINO: {
		{Key: "TARGET_DEVICE", Doc: "the device that runs the model", Default: "CPU"},
		{Key: "PERFORMANCE_HINT", Doc: "what to optimize for", Values: []string{"LATENCY", "THROUGHPUT", "CUMULATIVE_THROUGHPUT"}},
		{Key: "INFERENCE_NUM_THREADS", Doc: "threads that run the model"},
		{Key: "COMPILATION_NUM_THREADS", Doc: "threads that compile the model"},
		{Key: "HINT_BF16", Doc: "compute in bfloat16 where that is possible", Values: []string{"YES", "NO"}},
		{Key: "NUM_STREAMS", Doc: "requests that run in parallel: AUTO, NUMA or a number"},
		{Key: "CPU_EXTENSION_PATH", Doc: "a library of operators"},
		{Key: "SKIP_OV_DYNAMIC_BATCHSIZE", Doc: "leave the batch dimension as the model has it", Values: []string{"YES", "NO"}},
		{Key: "ENABLE_BATCH_PADDING", Doc: "fill batches up to max_batch_size", Values: []string{"YES", "NO"}},
		{Key: "RESHAPE_IO_LAYERS", Doc: "give the model's inputs and outputs the shapes of the config", Values: yesNo},
	},
}

// batchStrategy is the only key that Triton itself reads, for all backends.
var batchStrategy = Parameter{Key: reach.BatchStrategy, Doc: "a library that decides which requests are joined to a batch"}

// What Conch reads for each backend that it runs in Python.
var (
	environment = Parameter{Key: reach.Environment, Doc: "the Python environment that runs the model, a folder or a packed one; for Conch only, Triton ignores it here"}
	memoryLimit = Parameter{Key: "MEMORY_LIMIT", Doc: "the most memory that each process of the model may allocate, such as 4G; for Conch only, Triton ignores it"}
)

// Parameters lists the keys that a backend reads from parameters, in the order of its documentation. It returns nil
// for a backend whose keys are unknown.
func Parameters(backend string) []Parameter {
	known := parameters[backend]
	if known == nil {
		return nil
	}
	known = append(known[:len(known):len(known)], batchStrategy)
	switch {
	case backend == backends.Python:
		known = append(known, memoryLimit)
	case backends.Named(backend).Program:
		known = append(known, environment, memoryLimit)
	}
	return known
}
