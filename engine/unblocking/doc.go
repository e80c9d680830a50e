// Package unblocking reads and writes sockets that never block, without telling Go's scheduler: it would give the processor of a
// thread that the system interrupts meanwhile to another one, which costs two wake-ups. A reader can spin before
// it sleeps (Spin), and a server knows whether it has only one (Latest).
package unblocking
