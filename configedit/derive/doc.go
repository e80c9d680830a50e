// Package derive fills in what a config.pbtxt leaves out, as Triton does before
// it loads a model: the backend, default schedulers and instance groups, and,
// for ONNX models, whatever the model file tells about itself. It also holds a
// config against a model file the way Triton's backends would; package modelfile
// reads those files.
//
// Effective is the whole chain; the engine runs what it gives, the editor shows
// it. The steps are exported on their own for those who need one of them.
//
// Nothing here reads a disk: the caller passes in what is in the model's
// folder as Facts. No function changes the config it is given, except those
// that say so, and all may be called concurrently.
package derive
