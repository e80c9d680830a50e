// Package engine runs the models of a repository as Triton Inference Server does. An Engine ties together
// what decides (control), what loads (model, backend) and what schedules (sched), and offers it as a
// kserve.Service; the transports and the process around it are in kserve and serve.
//
// An Engine is safe for concurrent use from New on; what is not loaded yet answers so.
package engine
