package ort

import (
	"fmt"
	"os"
)

// telemetryVariable is read by ONNX Runtime as it is loaded. Without it the official library, since 1.29, writes a device
// number and a queue of events below ~/.cache/Microsoft and sends them to its vendor. The API's DisableTelemetryEvents,
// which Open calls too, comes too late for that: it wants an environment, and making one writes and starts all this.
const telemetryVariable = "ORT_DISABLE_TELEMETRY"

// DisableTelemetry keeps ONNX Runtime from sending anything: in this process, and in every process that it starts, with
// whatever ONNX Runtime is used there. The program calls it first of all, since the environment of C is not to be changed
// beside threads that read it; Open calls it for programs that do not.
func DisableTelemetry() error {
	if os.Getenv(telemetryVariable) == "1" {
		return nil
	}
	if err := os.Setenv(telemetryVariable, "1"); err != nil { // under cgo this sets C's environment too
		return fmt.Errorf("switch ONNX Runtime's telemetry off: %w", err)
	}
	return nil
}
