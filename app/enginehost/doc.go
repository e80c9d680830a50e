// Package enginehost runs the engine as a child process and keeps it running: it starts `conch serve`
// with a private socket, follows its events, keeps its log, starts it again when it ends unexpectedly,
// and then loads again what was loaded. The engine never outlives the process that hosts it.
//
// A Host uses only gRPC to call its engine: Triton's service and a small one of Conch's. The user of a
// Host sees Updates and clients, not where the engine runs. app/remote tells the same Updates of a server
// elsewhere, as far as such a server tells them.
//
// A Host is safe for concurrent use. It sends updates one after the other, from its own goroutines.
package enginehost
