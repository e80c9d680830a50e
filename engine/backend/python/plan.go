package python

import (
	"os"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelfile"
	"conch/engine/backend"
)

// packages returns the packages that the backend needs for a model. A plan of TensorRT is read by the version that made it.
func (b *Backend) packages(spec backend.Spec) []string {
	if version := planVersion(spec.File); b.Name() == backends.TensorRT && version != "" {
		return []string{"tensorrt==" + version + ".*"}
	}
	return b.options.Needs.Packages
}

// planVersion returns the version of TensorRT that made a plan, with three numbers as its package has them; "" when the file does
// not say it.
func planVersion(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	plan, err := modelfile.ReadPlan(f, info.Size())
	if err != nil || plan.Version == "" {
		return ""
	}
	return plan.Version[:strings.LastIndex(plan.Version, ".")]
}
