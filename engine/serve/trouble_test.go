package serve_test

import (
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
	"conch/engine/kserve/enginepb"
	"conch/engine/serve"
)

// Without ONNX Runtime, the server logs so before the first load, and a model's reason says what to do.
func TestMissingRuntimeIsTold(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	p := launchWith(t, onnx.New(onnx.Options{Library: nowhere, Settings: onnx.ReadSettings([]string{"onnxruntime,accelerator=webgpu"})}), func(f *serve.Flags) { f.LoadModel = nil })
	client, stream := p.watch(t)
	server := until(t, stream, func(e *enginepb.Event) bool { return e.Server != nil && e.Server.Ready }).Server
	for _, part := range []string{"ONNX Runtime was not found", nowhere, onnx.LibraryVariable} {
		if !strings.Contains(server.RuntimeTrouble, part) || server.Runtime != "" {
			t.Errorf("runtime %q, trouble %q; want %q in it", server.Runtime, server.RuntimeTrouble, part)
		}
	}
	if server.Accelerator != "webgpu" {
		t.Errorf("all models run by %q", server.Accelerator)
	}
	p.dir.Write(t, "m/1/model.onnx", "not read without a library")
	p.dir.Look()
	if _, err := client.ForceReload(t.Context(), &enginepb.ForceReloadRequest{Model: "m"}); err == nil {
		t.Error("a model loaded without a library")
	}
	event := until(t, stream, func(e *enginepb.Event) bool { return e.Happening != nil })
	for _, part := range []string{"model 'm' needs ONNX Runtime", nowhere, "correct", onnx.LibraryVariable} {
		if !strings.Contains(event.Happening.Reason, part) {
			t.Errorf("reason %q; want %q in it", event.Happening.Reason, part)
		}
	}
	p.stop(t)
}
