// Package conversion turns the ONNX models of a repository into others: it says which can be, gathers the requests to try them with, has
// another process of this program do the work (`conch convert`), and writes what was made into the repository when a person says so. The process
// and the package engine/convert know how; this package knows repositories, the history and configs.
//
// Until a result is written or discarded it lies in a folder of Conch's own, which is removed then, and at the next conversion where a workbench
// was killed.
package conversion
