package metricsapi

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"conch/engine/kserve"
)

// New makes the handler of the metrics port.
func New(svc kserve.Service) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newModels(svc), newProcessor(), newResponses(svc))
	return &handler{gatherer: registry}
}

// NewServer makes a server for New's handler.
func NewServer(svc kserve.Service) *http.Server {
	return &http.Server{
		Handler:           New(svc),
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

type handler struct{ gatherer prometheus.Gatherer }

// ServeHTTP answers /metrics; every other path is an empty page (C1).
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		send(w, http.StatusMethodNotAllowed, "text/plain", []byte(`{"error":"Method Not Allowed"}`))
		return
	}
	var page []byte
	if r.URL.Path == "/metrics" || r.URL.Path == "/metrics/" {
		var err error
		if page, err = h.page(); err != nil {
			send(w, http.StatusInternalServerError, "text/plain", []byte("failed to collect metrics: "+err.Error()+"\n"))
			return
		}
	}
	send(w, http.StatusOK, "text/plain; charset=utf-8", page)
}

func (h *handler) page() ([]byte, error) {
	families, err := h.gatherer.Gather()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := expfmt.NewEncoder(&out, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// send writes a whole reply. A client that has gone is no concern of ours.
func send(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
