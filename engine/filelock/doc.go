// Package filelock keeps processes apart that share a folder: by turns, of which one process has one at a time, and by uses, which say
// that a process needs a folder. Both are locks on files: the kernel frees a lock however the process ends, so that it tells a process
// that runs from one that has ended, where a process number may be another's by now. The engine and the workbench use it.
//
// Some disks of a network have no locks, and some have locks that other machines do not see. So who has a turn makes folders under
// names that nobody else takes, and renames into place what is whole (turn.go). Where no lock can tell whether a process runs, what it
// made counts as left behind when nobody has touched it for a day.
package filelock
