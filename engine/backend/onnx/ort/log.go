package ort

// #include "shim.h"
import "C"

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
)

// logger gets ONNX Runtime's messages; nil before SetLogger.
var logger atomic.Pointer[slog.Logger]

// SetLogger sets the logger for ONNX Runtime's warnings and errors. Without it they go to slog's default logger.
func SetLogger(l *slog.Logger) { logger.Store(l) }

// severities are the levels of OrtLoggingLevel, from verbose to fatal.
var severities = [...]slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelWarn, slog.LevelError, slog.LevelError}

// keptWarning begins ONNX Runtime's warning about every optimized graph that it writes: the graph is only for this
// processor. It is not logged, because the key of a kept graph contains the processor.
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
