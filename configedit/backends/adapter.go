package backends

// NoAdapter says what WebGPU lacks, and what helps, where it does not start. It is a part of why a model is not loaded.
const NoAdapter = "found no graphics adapter that it can use on this machine. It needs a GPU and its graphics driver, on Linux one with Vulkan. Install the driver"

// LibrarySays is between what people read of such a reason and ONNX Runtime's own words.
const LibrarySays = ". ONNX Runtime says: "
