// Package enginehost runs the engine as a child process and keeps it running: it starts `conch serve` with a
// private socket, follows its events, keeps its log, starts it again when it ends unexpectedly, and then loads
// again what was loaded. The engine never outlives the process that hosts it.
//
// A Host speaks to its engine only by gRPC: Triton's service and a small one of Conch's. The user of a Host
// sees Updates and Clients; where the engine runs is the Host's own business, so a remote server can take its place.
//
// A Host is safe for concurrent use. Updates are sent one after the other, from the Host's own goroutines.
package enginehost
