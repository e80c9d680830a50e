// Package placement decides on which devices the instances of a model run, from the model's instance groups, the GPUs of the
// machine, what the model's backend can use of them, and the flags of the server. It asks nobody and keeps nothing.
//
// Triton refuses a group of KIND_GPU whose GPUs it does not have. Conch runs such a group on what there is and says so in a
// Note, unless it is told to be strict. Another Note tells of accelerators for GPUs that no instance uses.
package placement
