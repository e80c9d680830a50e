// Package modelfile reads what model files say about themselves: ONNX models,
// TensorFlow saved models, TorchScript archives and TensorRT plans. Only headers are
// read, within bounds; weights are stepped over, and nothing is unpickled or run.
// Python programs are read by configedit/python.
//
// Each format has a type and a function that reads it from an io.ReaderAt. Inputs
// and outputs are Tensors in all of them. A file that cannot be read gives an *Error.
// Nothing here knows of a config, and all functions may be called concurrently.
package modelfile
