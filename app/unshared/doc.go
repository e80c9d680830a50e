// Package unshared keeps open files from the programs that this process starts. Go's own files are
// never inherited, but others are: the window sends each answer to its page through a pipe that it
// opens without this care. A program that inherits such a pipe keeps the answer from ending, and the
// engine runs as long as the window.
package unshared
