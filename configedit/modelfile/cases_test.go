package modelfile_test

import (
	"flag"
	"path/filepath"
	"testing"

	"conch/configedit/check/checktest"
)

var update = flag.Bool("update", false, "write what the cases give into their files; the run fails")

// eachCase compares what f gives for every file of a folder with the file's last section.
func eachCase(t *testing.T, dir string, f func(c checktest.Case) string) {
	checktest.EachCase(t, filepath.Join("testdata", dir), func(t *testing.T, c checktest.Case) { c.Compare(t, f(c), *update) })
}
