// Package pack makes archives of Python environments that Triton's Python backend unpacks and activates, and the copy of a
// repository whose configs name them. The repository itself stays as it is.
//
// Such an archive holds packages and no interpreter: the program that runs Python models is linked with the Python of
// the image, so no other one can be used (docs/triton/python.md, "Processes and memory").
package pack
