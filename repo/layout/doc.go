// Package layout knows the names and places of a Triton model repository:
// which folder is a model, which a version, what the config and the model
// file of a backend are called, and which names are only temporary files of editors.
//
// It also decides what lies inside a repository (Inside), so that nothing
// that serves files by name can be led out of it.
//
// Everything but Inside is a pure function of names; nothing here reads a
// file's content or keeps state, so all of it is safe for concurrent use.
package layout
