package starter_test

import (
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/modelconfig"
	"conch/configedit/python"
	"conch/configedit/starter"
)

// TestPython writes the program for the config of each case. Python's own rules of syntax hold for it, and it has the
// class that Triton looks for. That it loads and answers is app.TestNewPythonModel.
func TestPython(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		decoded, found := modelconfig.Parse("config.pbtxt", []byte(c.Files()["config.pbtxt"]))
		if len(found) > 0 {
			t.Fatal(found)
		}
		p := starter.Python(decoded.Config)
		read := python.Read("1/model.py", func(rel string) []byte {
			if rel != "1/model.py" {
				return nil
			}
			return []byte(p.Text)
		})
		if len(read.Wrong()) > 0 || read.Defines() != python.Yes {
			t.Errorf("Python would refuse it: %v", read.Wrong())
		}
		if !strings.Contains(p.Text, "which answers with "+p.Answers+".") {
			t.Errorf("it does not say that it answers with %s", p.Answers)
		}
		c.Want(p.Text)
	})
}
