// Package environments makes Python environments from lists of packages, and keeps them.
//
// An environment is made by uv when it is on PATH, else by the interpreter's own venv and pip. Its name begins with the digest of what it
// is made of: the list, the interpreter's version and the platform (key.go). So models with the same list share one, and a
// changed list gets a new one.
//
// The scripts of an environment name their own folder, so it cannot be moved once it is made. It is made where it stays, in a turn of
// package filelock and in a folder whose name no other process takes, and the file conch.json is renamed into it last. A folder without
// that file is not whole, and is never used. The next attempt removes it when the process that made it has ended.
//
// A process says in an environment that it uses it (use.go). What no process uses and nobody has used for 60 days is removed
// when the next one is made.
//
// This package downloads what the list asks for. Its caller asks the user first.
package environments
