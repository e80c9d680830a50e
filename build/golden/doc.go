// Package golden compares what a test gives with what is written in files.
//
// A case is one file of several texts (build/golden/sections). The section "want", and those whose names begin with
// "want ", hold what is expected; all others are input. A new case is a new file. With -update a test writes what it
// gives into the files that differ, and fails, so that nobody takes a change unseen.
package golden
