// Package runtimes keeps builds of ONNX Runtime in a folder of the user, several side by side, and knows which of them the
// user has chosen.
//
// A build comes from a wheel or from a folder. Wheels are fetched by pip, as the user has configured it, or without pip from the same index
// (index.go, plainly.go), and unpacked by this package: only the libraries and their licences are taken, each is checked against the hash in the wheel, and no file leaves
// its folder (wheel.go). A build is made in a folder of its own, loaded once in a child process (probe.go), and then renamed to
// its place. So what is in place is whole, and a build that does not work with this program is refused before it gets there.
//
// This package downloads what its caller asks for. The caller asks the user first.
package runtimes
