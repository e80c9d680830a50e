// Command oracle asks the real tritonserver and `conch check` about the same model repositories and compares what
// they say: whether Triton takes a model, in which words it refuses, and which config it serves. The repositories are seeded
// mutations of the valid ones in bases: fields removed, doubled, mistyped, out of range, edges rewired, files removed.
//
// `make oracle` runs it; -record keeps 300 repositories with their answers (recorded), which app/checkcmd replays in its tests. The server
// comes from PyPI's nvidia-pytriton (requirements.txt), which brings the Python backend; a backend that only answers
// (identity/identity.c) stands for all others, so that a model loads in milliseconds.
//
// Where CONCH_TRITON names a command that serves the repository it is given on $HTTP_PORT, and CONCH_TRITON_BACKENDS the folder of
// its backends, that server is asked instead. If it has the ONNX Runtime backend, the bases with ONNX models are judged too.
//
// With -scenarios it plays the stories of requests in scenario/testdata on the server instead, and records what came of them.
//
// With -around it only provides the server: it runs a command that starts the server as often as it needs, such as the
// conformance suite of the Python backend.
package main
