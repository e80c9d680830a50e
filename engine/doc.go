// Package engine runs the models of a repository as Triton Inference Server does. An Engine connects the
// packages that decide (control), load (model, backend) and schedule (sched), and is a kserve.Service.
// The transports and the process are in kserve and serve.
//
// An Engine is safe for concurrent use from New on. A request for a model that is not loaded yet
// gets an error that says so.
package engine
