package app_test

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
	"testing"

	"conch/app/api"
	"conch/app/apptest"
	"conch/configedit/backends"
)

// A new model of a framework says at once which package its load would miss, and nothing where the package is there.
func TestKindsSayWhichPackageIsMissing(t *testing.T) {
	python, err := exec.LookPath(cmp.Or(os.Getenv("CONCH_PYTHON"), "python3"))
	if err != nil {
		t.Skip("no Python: " + err.Error())
	}
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	for _, kind := range apptest.Call(t, w.Models.ListKinds, &api.ListKindsRequest{}).Kinds {
		missing := false
		for _, module := range backends.Named(kind.Backend).Modules {
			find := "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
			missing = missing || exec.Command(python, "-c", find, module).Run() != nil
		}
		if (kind.Needs != "") != missing {
			t.Errorf("%s: a package is missing: %v, and it says %q", kind.Label, missing, kind.Needs)
		}
		if packages := strings.Join(backends.Named(kind.Backend).Packages, " "); missing && !strings.Contains(kind.Needs, "Install on its page, which installs "+packages) {
			t.Errorf("%s says %q", kind.Label, kind.Needs)
		}
	}
}
