// Package unblocking reads and writes sockets that never block, without telling Go's scheduler: it would give the processor of a
// thread that the system interrupts meanwhile to another one, which costs two wake-ups. It also knows when a reader should look again
// for bytes (Vigil) before it sleeps, and whether it is the only one of a server that gets some (Company).
package unblocking
