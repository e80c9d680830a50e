package onnx_test

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
)

// Libraries of the engine are told which runtime of CUDA the provider needs, and programs that it starts are not.
func TestRuntimeOfCUDA(t *testing.T) {
	const variable = "CUDNN_FRONTEND_CUDART_LIB_NAME"
	dir := t.TempDir()
	compile := func(name, source string, more ...string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		cmd := exec.Command("cc", append([]string{"-shared", "-fPIC", "-o", path, "-x", "c", "-", "-x", "none"}, more...)...)
		cmd.Stdin = strings.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	runtime := compile("libcudart.so.13", "", "-Wl,-soname,libcudart.so.13")
	compile("libonnxruntime_providers_cuda.so", "", "-Wl,--no-as-needed", runtime)
	told := filepath.Join(dir, "told")
	reads := compile("reads.so", `#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void told(void) {
  FILE *f = fopen("`+told+`", "w");
  const char *is = getenv("`+variable+`");
  if (f != NULL && is != NULL) fputs(is, f);
  if (f != NULL) fclose(f);
}`)
	library := filepath.Join(dir, "libonnxruntime.so.1")
	if err := os.WriteFile(library, []byte("none, so that nothing of it stays open"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := onnx.New(onnx.Options{Library: library, Log: slog.New(slog.DiscardHandler)})
	// The process of these tests may have another library open, which then stays the one.
	if model, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(func(*modelconfig.ModelConfig) {}))); err == nil {
		defer model.Close()
	}
	if err := ort.CanOpen(reads); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(told); err != nil || string(text) != "libcudart.so.13" {
		t.Errorf("libraries are told %q, %v", text, err)
	}
	if is, set := os.LookupEnv(variable); set {
		t.Errorf("programs are told %q", is)
	}
}
