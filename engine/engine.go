package engine

import (
	"log/slog"
	"time"

	"conch/engine/backend"
	"conch/engine/control"
)

// Version is the Triton release whose behaviour the engine follows; server metadata reports it.
const Version = "2.73.0"

// Options say what an engine serves and how. Library is required.
type Options struct {
	Library  control.Library
	Backends []backend.Backend
	Mode     control.Mode
	// LoadModels are loaded at start in explicit mode; "*" alone means all.
	LoadModels []string
	// Reload says whether a loaded model follows its files in explicit mode. Poll mode always follows, none never.
	Reload control.Reload
	// LoadThreads bounds the models that are loaded side by side; 0 means Triton's 4.
	LoadThreads int
	// ExitOnError makes Run fail when a model does not load at start.
	ExitOnError bool
	// LenientReadiness is --strict-readiness=false: ready once started, whatever the models' states.
	LenientReadiness bool
	// NoAutoComplete is --disable-auto-complete-config.
	NoAutoComplete bool
	// DefaultMaxBatchSize is --backend-config=default-max-batch-size; nil means Triton's 4.
	DefaultMaxBatchSize *int32
	// ExitTimeout bounds the draining at the end; 0 means Triton's 30 s.
	ExitTimeout time.Duration
	Log         *slog.Logger
}
