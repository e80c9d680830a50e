// Package optimized keeps the optimized form of models on disk. Loading a large model again is then much faster: ONNX
// Runtime does not optimize it again, and maps the weights instead of reading them.
//
// An entry is a folder. Its name is its key, and it holds the graph, a file of weights, and a manifest with sizes and
// checksums. It is written under another name and renamed when it is complete. After that it never changes. It is
// checked before each use: if anything is wrong, it is removed, and the model is loaded from its own file. The
// entries that were not used for the longest time are removed first. Several processes may share a store, and
// everything works without it.
package optimized
