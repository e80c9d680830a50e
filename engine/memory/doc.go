// Package memory says how much memory this process may use, and how much of it is left: what the machine has, or what the
// control groups leave that the process is in, in both versions of their interface.
package memory
