// Package fulldisk gives tests a small disk of their own that is really full: a file system in memory, mounted where this user
// may mount, else in a user namespace of a process of its own. Where neither is permitted, the test is skipped, and says so.
package fulldisk
