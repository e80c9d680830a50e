// Package backendtest is the conformance suite of the backend contract. Each backend's own test says how to
// make a few models, and Run does the rest:
//
//	func TestConformance(t *testing.T) {
//		backendtest.Run(t, backendtest.Subject{New: …, Identity: …, Broken: …})
//	}
package backendtest
