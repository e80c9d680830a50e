package grpcapi

import (
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi/shortcut"
	"conch/engine/kserve/kservepb"
)

// inferMethod is the call that has a shortcut.
const inferMethod = "ModelInfer"

// shortcutOf returns the shortcut of a server for its inferences; nil when answers are compressed.
func shortcutOf(s *server) *shortcut.Road {
	if len(s.opts.Compress) > 0 {
		return nil
	}
	keepalive := s.opts.Keepalive
	desc := unary(inferMethod, (*server).modelInfer)
	return shortcut.New(shortcut.Options{
		Path:    "/" + kservepb.GRPCInferenceService_ServiceDesc.ServiceName + "/" + inferMethod,
		Handler: func(stream grpc.ServerStream) error { return desc.Handler(s, stream) },
		Codec:   newCodec(), Pool: &shared, Memory: s.opts.Memory,
		MaxStreams: maxStreams, MaxHeader: kserve.MaxHeader,
		MinPing: milliseconds(keepalive.MinPingMs), IdlePings: keepalive.KeepaliveIdle, Idle: kserve.Idle, Patience: s.opts.Patience,
		Grace: milliseconds(keepalive.ConnectionGraceMs),
	})
}

// over returns what puts a shortcut in front of a connection.
func over(road *shortcut.Road) func(net.Conn, credentials.AuthInfo) net.Conn {
	if road == nil {
		return nil
	}
	return road.Over
}

// direct reports whether requests of a model need a processor alone, and form no batches.
func (s *server) direct(config *modelconfig.ModelConfig, depth int) bool {
	if config.GetDynamicBatching() != nil || config.GetSequenceBatching() != nil {
		return false
	}
	steps := config.GetEnsembleScheduling().GetStep()
	for _, step := range steps {
		of, err := s.svc.Config(step.GetModelName(), step.GetModelVersion())
		if err != nil || depth == 0 || !s.direct(of, depth-1) {
			return false
		}
	}
	return len(steps) > 0 || config.GetBackend() == backends.ONNXRuntime
}

// deepestEnsemble is how deep ensembles within ensembles are looked into.
const deepestEnsemble = 8
