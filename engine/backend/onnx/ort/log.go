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

//export conchLog
func conchLog(severity C.int, category, location, message *C.char) {
	level := slog.LevelWarn
	if severity >= 0 && int(severity) < len(severities) {
		level = severities[severity]
	}
	l := logger.Load()
	if l == nil {
		l = slog.Default()
	}
	l.LogAttrs(context.Background(), level, strings.TrimSpace(C.GoString(message)),
		slog.String("source", "onnxruntime"), slog.String("at", C.GoString(location)))
}
