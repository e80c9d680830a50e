// Package trial runs a model a second time, on an execution provider of ONNX Runtime that its config does not name, so that one request can be
// answered by both. The second one has an engine of its own without public ports, and a repository of its own, in which the model's files are links.
// So a provider that crashes harms nothing that serves, and nothing is written to the user's repository.
package trial
