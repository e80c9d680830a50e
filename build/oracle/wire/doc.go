// Package wire holds a server's answers, byte by byte, against those of the real Triton 24.10. A case is a file: a request
// over HTTP or gRPC, or of the metrics page, or several, and what the real server answered. Where Conch is meant to
// answer otherwise, the file says how, and docs/triton/differences.md names the case and says why.
//
// Cases are in testdata here, and in testdata of engine/kserve, whose tests play them on the parts of Conch that speak
// HTTP. `make test-wire` plays all on `conch serve`, `make wire URL=HOST:PORT` on any server that serves the models which
// `make wire-models TO=FOLDER` writes, and `make wire` on the real one, whose answers it records.
package wire
