// Package modelfile reads what model files tell about themselves: ONNX models,
// TensorFlow saved models, TorchScript archives, TensorRT plans and Python
// programs. Only headers are read, and programs as text, within bounds; weights are
// stepped over, and nothing is unpickled or run.
//
// Each format has a type and a function that reads it from an io.ReaderAt. Inputs
// and outputs are Tensors in all of them. A file that cannot be read gives an *Error.
// Nothing here knows of a config, and all functions may be called concurrently.
package modelfile
