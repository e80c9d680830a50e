// Package optimized keeps models on disk as ONNX Runtime optimized them, so that loading a large model again takes a small
// part of the first time: nothing is optimized again, and the weights are mapped instead of read.
//
// An entry is a folder named by its key, with the graph, its weights in a file beside it, and a manifest of sizes and
// checksums. It is written in a folder of another name and renamed when whole, never changed after that, and
// checked before each use: whatever is wrong with it, it is removed and the model is loaded from its own file. What was
// used longest ago makes room. Several processes may share a store; nothing in it is needed for anything to work.
package optimized
