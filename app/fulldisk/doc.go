// Package fulldisk gives tests a small disk of their own that is really full: a file system in memory.
// It is mounted directly where this user may mount, otherwise in a process with its own user
// namespace. Where neither is permitted, the test is skipped and says so.
package fulldisk
