package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// onnxRuntime has its notices in its Python package, which tests compare with; the npm package that the library is taken from
// brings none.
func onnxRuntime() (work, error) {
	dirs, err := filepath.Glob("build/cache/venv/lib/python*/site-packages/onnxruntime")
	if err != nil || len(dirs) != 1 {
		return work{}, fmt.Errorf("ONNX Runtime's Python package is not in build/cache/venv: run build/setup.sh python")
	}
	w := work{Name: "ONNX Runtime"}
	for _, file := range []string{"LICENSE", "ThirdPartyNotices.txt"} {
		text, err := os.ReadFile(filepath.Join(dirs[0], file))
		if err != nil {
			return work{}, fmt.Errorf("read the notices of ONNX Runtime: %w", err)
		}
		w.Texts = append(w.Texts, tidy(text))
	}
	abouts, err := filepath.Glob(dirs[0] + "-*.dist-info")
	if err != nil || len(abouts) != 1 {
		return work{}, fmt.Errorf("the version of ONNX Runtime's Python package is not known")
	}
	name := strings.TrimSuffix(filepath.Base(abouts[0]), ".dist-info")
	w.Version = "(notices as of " + strings.TrimPrefix(name, "onnxruntime-") + ")"
	return w, nil
}
