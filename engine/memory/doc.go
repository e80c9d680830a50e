// Package memory returns how much memory this process may use, and how much of it is free. The limits
// are the machine's memory and those of the process's control groups (cgroup version 1 and 2). It also gives
// memory back to the system that this process has no use for.
package memory
