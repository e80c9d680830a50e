// Package fulldisk is a full disk for tests: a small disk of their own that can be filled (Run), or files
// of this process that may not grow (LimitFiles).
//
// The small disk is a file system in memory. It is mounted directly where this user may mount, otherwise
// in a process with its own user namespace. Where neither is permitted, the test is skipped and says so.
package fulldisk
