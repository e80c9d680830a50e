// Package golden compares what a test gives with what is written in files.
//
// A case is one file in the format of golang.org/x/tools/txtar: a comment that says what the case is about, then
// sections, each begun by a line "-- NAME --". The section "want", and those whose names begin with "want ", hold what is
// expected; all others are input. A new case is a new file. With -update a test writes what it gives into the files
// that differ, and fails, so that nobody takes a change unseen.
//
// A section ends with a line break. Where a text does not, the line "\ No newline at end of file" stands behind it, as
// diff writes it.
package golden
