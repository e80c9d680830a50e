package grpcapi

import (
	"math"
	"regexp"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"conch/engine/budget"
	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi/arrival"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// Options are the settings of the gRPC endpoint. The zero value is Triton's defaults.
type Options struct {
	Server kserve.ServerInfo
	// Memory counts requests and answers; the server is made with Bound of the same. nil counts nothing.
	Memory *budget.Budget
	// Restricted are the categories of calls that need metadata; the server is made with Restrict of the same.
	Restricted kserve.Restrictions
	// ForwardHeaders picks the metadata that become request parameters; nil = none.
	ForwardHeaders *regexp.Regexp
	// Compress has responses of inferences compressed for clients that can read that.
	Compress bool
	// Kept takes the traces of calls that ask for tensors; nil keeps none.
	Kept *tracing.Kept
	// Tracer picks the requests that are traced, and Log is what LogSettings changes; without them both are refused.
	Tracer *tracing.Tracer
	Log    *logging.Log
}

// streamWorkers are goroutines that wait for calls. A new one for each call would grow its stack each time, which
// costs a small model 7 % of its throughput; calls beyond their number get goroutines of their own.
const streamWorkers = 16

// maxStreams are the calls of one connection that run at a time; a client waits with more.
const maxStreams = 4096

// ServerOptions are what a server needs that Register is given: Triton's message sizes and
// keepalive (docs/triton/grpc.md, "Transport"), and windows that let a tensor of some megabytes
// through without waiting for the client's word.
func ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(math.MaxInt32),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 2 * time.Hour, Timeout: 20 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Minute}),
		grpc.InitialWindowSize(4 << 20),
		grpc.InitialConnWindowSize(16 << 20),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ForceServerCodecV2(newCodec()),
	}
}

// Bound are the options of a server whose requests are counted in a budget as they arrive and are inflated, and whose
// clients have a while for each further part of a message; 0 = kserve.Patience.
func Bound(memory *budget.Budget, patience time.Duration) []grpc.ServerOption {
	if patience == 0 {
		patience = kserve.Patience
	}
	options := arrival.ServerOptions(arrival.Options{
		Memory: memory, Patience: patience,
		Service: "/" + kservepb.GRPCInferenceService_ServiceDesc.ServiceName + "/",
		Status:  func(err error) *status.Status { return status.Convert(statusOf(err)) },
	})
	//lint:ignore SA1019 The compressors that took its place are the whole process's, and know no budget.
	return append(options, grpc.RPCDecompressor(&inflater{memory: memory}))
}

// Restrict makes the options of a server that wants metadata for some of its calls
// (docs/triton/http.md, "Restricted APIs").
func Restrict(restricted kserve.Restrictions) []grpc.ServerOption {
	if len(restricted) == 0 {
		return nil
	}
	guard := guard{restricted}
	return []grpc.ServerOption{grpc.UnaryInterceptor(guard.unary), grpc.StreamInterceptor(guard.stream)}
}

// Register adds the KServe service, the health service and reflection to a server.
func Register(s *grpc.Server, svc kserve.Service, opts Options) {
	opts.Server = opts.Server.WithDefaults()
	server := &server{svc: svc, opts: opts}
	s.RegisterService(serviceDesc(), server)
	grpc_health_v1.RegisterHealthServer(s, healthServer{svc: svc})
	reflection.Register(s)
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
