// Package hostpolicy binds what instances run on to processors and to a node of memory: --host-policy
// (docs/triton/completion.md, "Host policies"). It knows no model and no backend.
package hostpolicy
