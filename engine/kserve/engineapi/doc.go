// Package engineapi serves the calls that the workbench needs beyond Triton's protocol (engine.proto): live
// events, numbers, and a reload of unchanged models. It is registered on the private socket only, beside the
// KServe service.
package engineapi
