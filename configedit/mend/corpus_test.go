package mend_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/diag"
)

// corpusFolders hold configs: as files, and as sections of golden cases.
var corpusFolders = []string{"..", "../../examples", "../../build/oracle/bases", "../../engine/realmodels/repository"}

// corpus gives the configs of the golden cases and the examples in which nothing is wrong, sorted.
func corpus(t testing.TB) []string {
	t.Helper()
	return slices.DeleteFunc(configs(t, corpusFolders...), func(src string) bool {
		list, _ := judge(src)
		return len(list) > 0
	})
}

// configs gives the configs below folders, sorted.
func configs(t testing.TB, folders ...string) []string {
	t.Helper()
	found := map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				err = gather(t, path, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func gather(t testing.TB, path string, found map[string]bool) error {
	switch filepath.Ext(path) {
	case ".pbtxt":
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found[string(src)] = true
	case golden.Extension:
		for name, section := range golden.Read(t, path).Files() {
			if strings.HasSuffix(name, ".pbtxt") {
				found[section] = true
			}
		}
	}
	return nil
}

func errorsOf(list []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool { return !d.Severity.IsError() })
}
