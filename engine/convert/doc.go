// Package convert turns an ONNX model into another one: FP16 or INT8 by ONNX Runtime's own tools, or a plan by TensorRT's builder. It
// runs requests on both models, and says how far they agree and how long they take, so that a person can decide before anything is written to
// a repository.
//
// The work is done by a Python process (lib), which runs code of Conch, of ONNX Runtime and of TensorRT alone. A model file is data. The tools
// are in an environment of Conch's own with pinned packages (requirements.txt), which is installed when somebody asks for it.
//
// A job has a folder. What is made lies in its folder made, and everything in it belongs to the caller, who removes it. This package knows no
// repository.
package convert
