// Package engineapi serves what the workbench needs of an engine beyond Triton's protocol (engine.proto): live
// events, numbers, and a reload that does not ask whether anything changed. It is registered on the private
// socket only, beside the KServe service.
package engineapi
