package language_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/language"
	"conch/configedit/diag"
	"conch/repo/scan"
)

// An accelerator that Conch's engine alone knows is a warning in the workbench, whose engine runs the model, and an error where another server is
// asked about.
func TestOwnAccelerator(t *testing.T) {
	root := t.TempDir()
	for name, accelerator := range map[string]string{"own": "webgpu", "wrong": "webgpux"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS("../../examples/repository/digits")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, name, "config.pbtxt")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		config := strings.Replace(string(text), `"digits"`, `"`+name+`"`, 1)
		put(t, path, config+"\noptimization { execution_accelerators { cpu_execution_accelerator { name: \""+accelerator+"\" } } }\n")
	}
	index := scan.New(root).Scan(nil)
	here, other := language.New(index, nil, language.Around{}), language.As(index, language.Flags{})
	for _, c := range []struct {
		analysis *language.Analysis
		model    string
		severity diag.Severity
		says     string
	}{
		{here, "own", diag.Warning, `"webgpu" is an accelerator of Conch alone`},
		{here, "wrong", diag.Error, `no accelerator for CPUs is called "webgpux"`},
		{other, "own", diag.Error, `no accelerator for CPUs is called "webgpu"`},
	} {
		m, _ := c.analysis.Model(c.model)
		told := false
		for _, d := range c.analysis.Diagnose(m) {
			if d.Code == "ORT12" {
				told = d.Severity == c.severity && strings.HasPrefix(d.Message, c.says) && d.Triton != ""
			}
		}
		if !told {
			t.Errorf("%s, wanted as %v: %v", c.model, c.severity, c.analysis.Diagnose(m))
		}
	}
}
