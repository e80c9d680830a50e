package ort

import "context"

// turns is held by the one session that runs, is made or is closed, of those whose provider does not bear two at once: WebGPU ends the process
// then (onnxruntime's issue 32561), and DirectML takes one run of a session at a time (its page in ONNX Runtime's documentation).
var turns = make(chan struct{}, 1)

// turn waits until it is the session's turn. Other sessions need none.
func (s *Session) turn(ctx context.Context) error {
	if !s.takesTurns {
		return nil
	}
	select {
	case turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// passTurn ends the session's turn.
func (s *Session) passTurn() {
	if s.takesTurns {
		<-turns
	}
}
