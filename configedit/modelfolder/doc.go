// Package modelfolder gathers what a model's folder holds besides its config: the
// files in which Triton looks for a backend, and what the model file says. The
// editor, `conch check` and the engine all ask here, so that they cannot disagree.
//
// The folder is an fs.FS; folder.Dir is one on disk. Nothing is written, and what
// is read of a file is bounded by package modelfile.
package modelfolder
