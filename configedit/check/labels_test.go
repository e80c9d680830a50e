package check_test

import (
	"io"
	"strings"
	"testing"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// A label file that the engine does not read is told of before the model is loaded; one that it reads is not.
func TestLargeLabels(t *testing.T) {
	decoded, _ := modelconfig.Parse("config.pbtxt", []byte(`name: "m" backend: "python"
output { name: "o" data_type: TYPE_FP32 dims: 1000 label_filename: "labels.txt" }`))
	for name, c := range map[string]struct {
		content string
		told    bool
	}{
		"as many lines as there may be": {strings.Repeat("a\n", folder.MaxLabels), false},
		"a line more":                   {strings.Repeat("a\n", folder.MaxLabels+1), true},
		"too many bytes":                {strings.Repeat("a", folder.MaxLabelBytes+1), true},
	} {
		m := &check.Model{Name: "m", Decoded: decoded, Effective: decoded.Config, Facts: derive.Facts{ModelName: "m"}, Folder: &check.Folder{
			Has:  func(rel string) bool { return rel == "labels.txt" },
			Size: func(string) (int64, bool) { return int64(len(c.content)), true },
			Open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.content)), nil },
		}}
		told := false
		for _, d := range check.Check(m, nil) {
			told = told || d.Code == rule.LBL1.ID
		}
		if told != c.told {
			t.Errorf("%s: told %v, want %v", name, told, c.told)
		}
	}
}
