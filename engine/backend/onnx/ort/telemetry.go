package ort

import (
	"fmt"
	"os"
)

// telemetryVariable is an environment variable that ONNX Runtime reads when it is loaded. Without it, the official library
// (since 1.29) writes a device number and a queue of events below ~/.cache/Microsoft and sends them to its vendor. Open
// also calls the API's DisableTelemetryEvents, but that is too late: it needs an environment, and making one starts all
// this.
const telemetryVariable = "ORT_DISABLE_TELEMETRY"

// DisableTelemetry prevents ONNX Runtime from sending anything, in this process and in every process that it starts. The
// program calls it before anything else, because C's environment must not change while other threads read it. Open calls
// it for programs that do not.
func DisableTelemetry() error {
	if os.Getenv(telemetryVariable) == "1" {
		return nil
	}
	if err := os.Setenv(telemetryVariable, "1"); err != nil { // under cgo this sets C's environment too
		return fmt.Errorf("switch ONNX Runtime's telemetry off: %w", err)
	}
	return nil
}
