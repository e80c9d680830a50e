// Package backendtest is the conformance suite of the backend contract. The test of each backend says how to
// make a few models, and Run does the rest:
//
//	func TestConformance(t *testing.T) {
//		backendtest.Run(t, backendtest.Subject{New: …, Identity: …, Broken: …})
//	}
//
// A backend that reads or writes the memory of GPUs runs RunOnGPU too, with a stand-in for a GPU.
package backendtest
