// Package check compares a config with Triton's rules: what would be refused at poll, in the graph
// of ensembles and at load, and what is surely a mistake although Triton takes it. The rules are a
// table in configedit/rule; in which order Triton applies them is in docs/triton/validation.md,
// "Stages".
//
// Everything here is a pure function of values that the caller has read: a model with its config,
// text and folder, and an Env that finds the other models of the repository. Nothing is kept
// between calls, and all functions may be called concurrently. Time is linear in the size of the
// config.
package check
