package grpcapi

import (
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi/arrival"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/tracing"
	"conch/engine/option"
)

// Options are the settings of the gRPC endpoint. The zero value is Triton's defaults.
type Options struct {
	kserve.Options
	// Compress has responses of inferences compressed for clients that can read that.
	Compress bool
	// Keepalive says when connections are pinged and ended; the zero value is the default.
	Keepalive option.Keepalive
	// Kept takes the traces of calls that ask for tensors; nil keeps none.
	Kept *tracing.Kept
}

// streamWorkers are goroutines that wait for calls. A new one for each call would grow its stack each time, which
// costs a small model 7 % of its throughput; calls beyond their number get goroutines of their own.
const streamWorkers = 16

// maxStreams are the calls of one connection that run at a time; a client waits with more.
const maxStreams = 4096

// NewServer makes a server with the KServe service, the health service and reflection. Other services may be added to it
// before it serves.
func NewServer(svc kserve.Service, opts Options) *grpc.Server {
	opts.Options = opts.WithDefaults()
	s := grpc.NewServer(slices.Concat(transport(), keepalives(opts.Keepalive), bound(opts.Options), restrict(opts.Restricted))...)
	s.RegisterService(serviceDesc(), &server{svc: svc, opts: opts})
	grpc_health_v1.RegisterHealthServer(s, healthServer{svc: svc})
	reflection.Register(s)
	return s
}

// transport are the sizes that a server is made with: Triton's of messages (docs/triton/grpc.md, "Transport"), and windows
// that let a tensor of some megabytes through without waiting for the client's word.
func transport() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(kserve.MaxMessage),
		grpc.MaxSendMsgSize(kserve.MaxMessage),
		grpc.InitialWindowSize(4 << 20),
		grpc.InitialConnWindowSize(16 << 20),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ForceServerCodecV2(newCodec()),
	}
}

// keepalives are when connections are pinged and ended.
func keepalives(o option.Keepalive) []grpc.ServerOption {
	if o == (option.Keepalive{}) {
		o = option.Default().Keepalive
	}
	return []grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: milliseconds(o.KeepaliveMs), Timeout: milliseconds(o.KeepaliveWaitMs), MaxConnectionIdle: kserve.Idle,
			MaxConnectionAge: milliseconds(o.MaxConnectionMs), MaxConnectionAgeGrace: milliseconds(o.ConnectionGraceMs),
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: milliseconds(o.MinPingMs), PermitWithoutStream: o.KeepaliveIdle}),
	}
}

func milliseconds(n int64) time.Duration { return time.Duration(max(n, 0)) * time.Millisecond }

// bound are the options of a server whose requests are counted as they arrive and are inflated, and whose clients have a
// while for each further part of a message.
func bound(o kserve.Options) []grpc.ServerOption {
	options := arrival.ServerOptions(arrival.Options{
		Memory: o.Memory, Patience: o.Patience,
		Service: "/" + kservepb.GRPCInferenceService_ServiceDesc.ServiceName + "/",
		Status:  func(err error) *status.Status { return status.Convert(statusOf(err)) },
	})
	//lint:ignore SA1019 The compressors that took its place are the whole process's, and know no budget.
	return append(options, grpc.RPCDecompressor(&inflater{memory: o.Memory}))
}

// restrict are the options of a server that wants metadata for some of its calls (docs/triton/http.md, "Restricted APIs").
func restrict(restricted kserve.Restrictions) []grpc.ServerOption {
	if len(restricted) == 0 {
		return nil
	}
	guard := guard{restricted}
	return []grpc.ServerOption{grpc.UnaryInterceptor(guard.unary), grpc.StreamInterceptor(guard.stream)}
}

// serviceDesc is the generated one with every method served as a stream.
func serviceDesc() *grpc.ServiceDesc {
	desc := kservepb.GRPCInferenceService_ServiceDesc
	desc.Streams, desc.Methods = slices.Clone(desc.Streams), nil
	for _, m := range kservepb.GRPCInferenceService_ServiceDesc.Methods {
		if m.MethodName == "ModelInfer" { // whose answer is written before the backend takes its memory back
			desc.Streams = append(desc.Streams, unary(m.MethodName, (*server).modelInfer))
		} else {
			desc.Streams = append(desc.Streams, served(m))
		}
	}
	return &desc
}

// server answers the KServe calls. It embeds the unimplemented ones as the generated code asks.
type server struct {
	kservepb.UnimplementedGRPCInferenceServiceServer
	svc  kserve.Service
	opts Options
}
