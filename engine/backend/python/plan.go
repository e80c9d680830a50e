package python

import (
	"io"
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
	version := ""
	readHead(file, func(r io.ReaderAt, size int64) {
		if plan, err := modelfile.ReadPlan(r, size); err == nil && plan.Version != "" {
			version = plan.Version[:strings.LastIndex(plan.Version, ".")]
		}
	})
	return version
}
