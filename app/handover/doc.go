// Package handover writes what an operator needs to serve a model repository with the real Triton: files for
// Docker Compose, Kubernetes and KServe, or a command line. It also says what would not run there, and why.
//
// Prepare reads the repositories and makes the files in memory. Write puts them into a folder, joined with the
// edits that people made there by hand. The package starts nothing and speaks to no cluster.
package handover
