// Package faults holds tests of what must not break the program: damaged model files, files that change while they are read,
// a repository that changes a thousand times under load, an engine that is killed, hours of work. They drive `conch serve` as
// a process of its own, over gRPC, so that a crash is seen for what it is.
//
// All tests of a run share the time that the flag -faults gives (a minute in `make test`, FAULTS_TIME in `make faults`), in
// equal parts, and the run ends with an account: what each threw at the program, and what was lost, which is nothing.
//
// A new test begins with `f := begin(t)`, throws its fault again and again in `for n := range f.rounds(least)` or until
// the context of `f.time()` ends, counts what it did with `f.throw("kills", 1)`, and calls `f.lose(…)` where the program
// loses something: a request, an answer, a file, itself. One that threw nothing fails. It has its file, names no duration of
// its own, and needs no line anywhere else.
//
// CONCH_BINARY names the program; without it the tests build one.
package faults
