// Package faults holds tests of what must not break the program: damaged model files, files that change while they are read,
// a repository that changes a thousand times under load, an engine that is killed, hours of work. They drive `conch serve` as
// a process of its own, over gRPC, so that a crash is seen for what it is.
//
// In `go test` each takes seconds; flags give the full sizes: -damaged=5000, -changes=1000, -soak=10m (`make soak`).
// CONCH_BINARY names the program; without it the tests build one.
package faults
