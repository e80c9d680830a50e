package ort

// #include "shim.h"
import "C"

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
)

// logger gets what ONNX Runtime reports; nil until SetLogger.
var logger atomic.Pointer[slog.Logger]

// SetLogger says where ONNX Runtime's warnings and errors go; slog's default logger gets them otherwise.
func SetLogger(l *slog.Logger) { logger.Store(l) }

// severities are OrtLoggingLevel's, from verbose to fatal.
var severities = [...]slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelWarn, slog.LevelError, slog.LevelError}

// keptWarning begins what ONNX Runtime says of every optimized graph that it writes: that it fits this processor alone. Who
// keeps such graphs knows that and tells processors apart, so that nobody need be warned.
const keptWarning = "Serializing optimized model with Graph Optimization level greater than"

//export conchLog
func conchLog(severity C.int, category, location, message *C.char) {
	level := slog.LevelWarn
	if severity >= 0 && int(severity) < len(severities) {
		level = severities[severity]
	}
	text := strings.TrimSpace(C.GoString(message))
	if strings.HasPrefix(text, keptWarning) {
		level = slog.LevelDebug
	}
	l := logger.Load()
	if l == nil {
		l = slog.Default()
	}
	l.LogAttrs(context.Background(), level, text,
		slog.String("source", "onnxruntime"), slog.String("at", C.GoString(location)))
}
