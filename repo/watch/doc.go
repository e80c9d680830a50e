// Package watch tells when a model repository has changed and come to rest.
//
// Two sources of raw events, fsnotify and polling, stand behind one small
// interface. What they report goes through a settler, which lets a change out
// only when every file of that model has been quiet for a while, so that no
// reader meets a half-written config or a half-copied model. How long "a
// while" is, and why, is in timing.go.
//
// Ordering and back-pressure: Run is the only sender on the channel it is
// given. The first Change is Full and says that watching has begun: what
// changed before may have gone unnoticed. A receiver that is slow delays
// nobody: changes that it has not taken are merged into the next one. Run
// returns when its context ends, after all of its goroutines have.
//
// fsnotify says nothing of a file that is written through a mapping. On Linux a
// second inotify instance tells when such a file is closed; where there is none,
// or no room for it, all known files are looked at in turn, 1,000 a second. A
// file whose last change is older than the last look at it cannot be told from
// one that did not change: a program that keeps a mapping and writes again to a
// page that it has just written moves no time of the file.
//
// Files does the same for single files elsewhere, with the watches of their folders.
//
// Where the system's limit of watches is reached, or the repository lies on a
// network drive, which sends no events for what other machines do, polling
// takes over, and Status says so.
package watch
