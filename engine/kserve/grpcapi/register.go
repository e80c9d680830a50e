package grpcapi

import (
	"crypto/tls"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi/arrival"
	"conch/engine/kserve/grpcapi/shortcut"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/tracing"
	"conch/engine/option"
)

// Options are the settings of the gRPC endpoint. The zero value has Triton's defaults.
type Options struct {
	kserve.Options
	// Compress names the compressors of inference responses; the first that the client supports is used. All other
	// answers are not compressed.
	Compress []string
	// Keepalive sets when connections are pinged and closed; the zero value is the default.
	Keepalive option.Keepalive
	// TLS is the setting of a port with TLS; nil for one without.
	TLS *tls.Config
	// Kept lets calls ask for their trace, and keeps the traces with tensors. It is nil on a port for
	// clients: a trace names the requests of others that ran in the same batch, and its copies are not
	// counted as memory of requests.
	Kept *tracing.Kept
}

// streamWorkers is the number of goroutines that wait for calls. A new goroutine for each call would grow its
// stack each time, which costs a small model 7 % of its throughput. Further calls get new goroutines.
const streamWorkers = 16

// maxStreams is how many calls of one connection run at a time. Further calls wait in the client.
const maxStreams = 4096

// socketBuffer is how much is read from a connection and written to it at once. With gRPC's 32 KB, a tensor of 64 KB
// takes three calls of the system each way. A connection keeps its buffer for reading, but no buffer for writing. Behind a road,
// gRPC reads from memory, and needs a small buffer only.
const (
	socketBuffer = 128 << 10
	behindRoad   = 4 << 10
)

// Server is a gRPC server whose plain inferences take a shortcut.
type Server struct {
	*grpc.Server
	own  *server
	road *shortcut.Road // nil when there is none
}

// NewServer returns a server with the KServe service, the health service and reflection. Other services may be added
// before it serves.
func NewServer(svc kserve.Service, opts Options) *Server {
	opts.Options = opts.WithDefaults()
	if opts.Keepalive == (option.Keepalive{}) {
		opts.Keepalive = option.Default().Keepalive
	}
	ending := make(chan struct{})
	own := &server{svc: svc, opts: opts, ending: ending, end: sync.OnceFunc(func() { close(ending) })}
	road := shortcutOf(own)
	s := grpc.NewServer(slices.Concat(transport(road), keepalives(opts.Keepalive, road), bound(opts, road), restrict(opts.Restricted),
		[]grpc.ServerOption{grpc.UnknownServiceHandler(unknown(opts.Refusals))})...)
	s.RegisterService(serviceDesc(), own)
	grpc_health_v1.RegisterHealthServer(s, healthServer{svc: svc})
	reflection.Register(s)
	return &Server{s, own, road}
}

// Unsent returns how many requests of open streams wait for their answers to be sent. The models may be done with them.
func (s *Server) Unsent() int64 { return s.own.unsent.Load() }

// EndStreams ends the open streams of requests when what they have received is answered: a client may keep one open for ever.
func (s *Server) EndStreams() { s.own.end() }

// GracefulStop ends the server when all calls have ended.
func (s *Server) GracefulStop() {
	s.Server.GracefulStop()
	if s.road != nil {
		s.road.Await()
	}
}

// Stop ends the server and all connections at once.
func (s *Server) Stop() {
	s.Server.Stop()
	if s.road != nil {
		s.road.Close()
	}
}

// transport returns the size limits of a server: Triton's limits of messages (docs/triton/grpc.md, "Transport"), the
// limit of headers that HTTP has as well, and windows that let a tensor of some megabytes pass without a wait for the client's window updates.
func transport(road *shortcut.Road) []grpc.ServerOption {
	read := socketBuffer
	if road != nil {
		read = behindRoad
	}
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(kserve.MaxMessage),
		grpc.MaxSendMsgSize(kserve.MaxMessage),
		grpc.MaxHeaderListSize(kserve.MaxHeader),
		grpc.InitialWindowSize(shortcut.Window),
		grpc.InitialConnWindowSize(4 * shortcut.Window), // a stream that is not read must not hold up the others
		grpc.ReadBufferSize(read),
		grpc.WriteBufferSize(socketBuffer),
		experimental.BufferPool(&shared),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ForceServerCodecV2(newCodec()),
	}
}

// keepalives returns the options that set when connections are pinged and closed. A road closes idle connections itself: it
// knows all calls.
func keepalives(o option.Keepalive, road *shortcut.Road) []grpc.ServerOption {
	idle := kserve.Idle
	if road != nil {
		idle = 0
	}
	return []grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: milliseconds(o.KeepaliveMs), Timeout: milliseconds(o.KeepaliveWaitMs), MaxConnectionIdle: idle,
			MaxConnectionAge: milliseconds(o.MaxConnectionMs), MaxConnectionAgeGrace: milliseconds(o.ConnectionGraceMs),
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: milliseconds(o.MinPingMs), PermitWithoutStream: o.KeepaliveIdle}),
	}
}

func milliseconds(n int64) time.Duration { return time.Duration(max(n, 0)) * time.Millisecond }

// bound returns the options that count requests as they arrive and are inflated, and that limit the time for each
// further part of a message.
func bound(o Options, road *shortcut.Road) []grpc.ServerOption {
	options := arrival.ServerOptions(arrival.Options{
		Memory: o.Memory, Patience: o.Patience, TLS: o.TLS,
		Service: "/" + kservepb.GRPCInferenceService_ServiceDesc.ServiceName + "/",
		Status:  func(err error) *status.Status { return status.Convert(statusOf(err)) },
		Over:    over(road),
	})
	//lint:ignore SA1019 The newer compressors belong to the whole process and have no budget.
	return append(options, grpc.RPCDecompressor(&inflater{memory: o.Memory}))
}

// restrict returns the options of a server that requires metadata for some of its calls (docs/triton/http.md,
// "Restricted APIs").
func restrict(restricted kserve.Restrictions) []grpc.ServerOption {
	if len(restricted) == 0 {
		return nil
	}
	guard := guard{restricted}
	return []grpc.ServerOption{grpc.UnaryInterceptor(guard.unary), grpc.StreamInterceptor(guard.stream)}
}

// serviceDesc returns the generated description, with every method served as a stream.
func serviceDesc() *grpc.ServiceDesc {
	desc := kservepb.GRPCInferenceService_ServiceDesc
	desc.Streams, desc.Methods = slices.Clone(desc.Streams), nil
	for _, m := range kservepb.GRPCInferenceService_ServiceDesc.Methods {
		if m.MethodName == "ModelInfer" { // its answer is encoded before the backend reuses its memory
			desc.Streams = append(desc.Streams, unary(m.MethodName, (*server).modelInfer))
		} else {
			desc.Streams = append(desc.Streams, served(m))
		}
	}
	return &desc
}

// server answers the KServe calls. It embeds the unimplemented server, as the generated code
// requires.
type server struct {
	kservepb.UnimplementedGRPCInferenceServiceServer
	svc  kserve.Service
	opts Options
	// unsent counts the requests of streams whose answers are not sent yet.
	unsent atomic.Int64
	ending chan struct{} // closed by EndStreams
	end    func()
}
