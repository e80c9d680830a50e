package httpapi

import (
	"net/http"

	"conch/engine/kserve"
	"conch/engine/option"
)

// Options are the settings of the HTTP endpoint. The zero value is Triton's defaults.
type Options struct {
	kserve.Options
	// MaxInput bounds JSON, raw-mode bodies and decompressed bodies, in bytes; 0 = the default of --http-max-input-size.
	MaxInput int64
	// MaxBody bounds a request with all its binary tensors, in bytes; 0 = kserve.MaxMessage.
	MaxBody int64
}

func (o Options) withDefaults() Options {
	o.Options = o.WithDefaults()
	if o.MaxInput == 0 {
		o.MaxInput = option.Default().HTTPMaxInput
	}
	if o.MaxBody == 0 {
		o.MaxBody = kserve.MaxMessage
	}
	return o
}

// New makes the handler of everything under /v2.
func New(svc kserve.Service, opts Options) http.Handler {
	return &handler{svc: svc, opts: opts.withDefaults(), routes: routes()}
}

// NewServer makes a server for New's handler. A client has a while to send its headers, and then for each part of its
// request; an answer may take as long as it needs, because a model may.
func NewServer(svc kserve.Service, opts Options) *http.Server {
	opts = opts.withDefaults()
	return &http.Server{
		Handler:           New(svc, opts),
		ReadHeaderTimeout: opts.Patience,
		ReadTimeout:       opts.Patience, // of the first part of a body; call.read ends it
		IdleTimeout:       kserve.Idle,
		MaxHeaderBytes:    kserve.MaxHeader,
	}
}
