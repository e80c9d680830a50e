package fulldisk

import "flag"

// testLog is the flag with which `go test` names the file where a test binary logs the files it opens.
const testLog = "test.testlogfile"

// WithoutTestLog ends the log of opened files. The TestMain of a package that calls LimitFiles calls it
// first: if the log were written while files may not grow, the run would fail at its end.
func WithoutTestLog() {
	flag.Parse()
	_ = flag.Set(testLog, "")
}
