// Package option defines every option of the engine once: the name of its flag, its default, and its meaning. The
// command line of `conch serve` is built from this struct (engine/serve). Code that needs a default takes it from
// Default. Names and defaults are those of tritonserver where it has the option (docs/triton/flags.md). The addresses
// are an exception: they are loopback here.
//
// Values are not interpreted here: the package that uses an option reads it.
package option

// Options are the options of an engine as on its command line. The repositories are not among them: every engine has
// some.
type Options struct {
	ModelControlMode string   `name:"model-control-mode" default:"none" enum:"none,poll,explicit" help:"none: load all models at start; poll: follow the repository; explicit: load on request."`
	LoadModel        []string `name:"load-model" sep:"none" placeholder:"NAME" help:"Model to load at start in explicit mode; * for all. May be given several times."`
	PollSecs         int      `name:"repository-poll-secs" default:"15" help:"Seconds between two polls of the repository in poll mode; the repository is watched as well."`
	ModelConfigName  string   `name:"model-config-name" placeholder:"NAME" help:"Use configs/NAME.pbtxt of each model that has such a file."`
	Namespacing      bool     `name:"model-namespacing" help:"Use each repository as a namespace, so that models of the same name can be loaded from several."`
	LoadThreads      int      `name:"model-load-thread-count" default:"4" help:"Versions that are loaded at a time; 0 means 1."`
	LoadRetries      int      `name:"model-load-retry-count" default:"0" help:"How often a failed load is retried, at once."`
	NoAutoComplete   bool     `name:"disable-auto-complete-config" help:"Do not complete configs from model files."`
	StrictReadiness  bool     `name:"strict-readiness" default:"true" negatable:"" help:"Report ready only when all models that should be loaded are ready."`
	ExitOnError      bool     `name:"exit-on-error" default:"true" negatable:"" help:"Exit when a model does not load at start."`
	ExitTimeoutSecs  int      `name:"exit-timeout-secs" default:"30" help:"Seconds that the shutdown may take, with running requests and loads."`
	ID               string   `name:"id" default:"triton" help:"Name of this server in its metadata."`

	AllowHTTP      bool     `name:"allow-http" default:"true" negatable:"" help:"Serve HTTP."`
	HTTPAddress    string   `name:"http-address" default:"127.0.0.1" help:"Address for HTTP."`
	HTTPPort       int      `name:"http-port" default:"8000" help:"Port for HTTP; 0 takes a free one."`
	HTTPMaxInput   int64    `name:"http-max-input-size" default:"67108864" help:"Largest JSON part of a request, in bytes."`
	HTTPForward    string   `name:"http-header-forward-pattern" placeholder:"REGEXP" help:"Request headers that models get as parameters."`
	HTTPRestricted []string `name:"http-restricted-api" sep:"none" placeholder:"API,…:KEY=VALUE" help:"APIs that need a header: health, metadata, inference, shared-memory, model-config, model-repository, statistics, trace, logging. May be given several times."`
	AllowOrigin    []string `name:"http-allow-origin" sep:"none" placeholder:"ORIGIN" help:"Web site whose pages may use the HTTP and metrics ports, such as https://dashboard.example; * for all. May be given several times."`
	HTTPTLS        TLS      `embed:"" prefix:"http-"`
	AllowGRPC      bool     `name:"allow-grpc" default:"true" negatable:"" help:"Serve gRPC."`
	GRPCAddress    string   `name:"grpc-address" default:"127.0.0.1" help:"Address for gRPC."`
	GRPCPort       int      `name:"grpc-port" default:"8001" help:"Port for gRPC; 0 takes a free one."`
	GRPCRestricted []string `name:"grpc-restricted-protocol" sep:"none" placeholder:"API,…:KEY=VALUE" help:"Like --http-restricted-api; the key in the call's metadata is triton-grpc-protocol-KEY."`
	GRPCForward    string   `name:"grpc-header-forward-pattern" placeholder:"REGEXP" help:"Metadata of calls that models get as parameters."`
	GRPCCompress   string   `name:"grpc-infer-response-compression-level" default:"none" enum:"none,low,medium,high" help:"Compress responses for clients that accept it: none, low, medium or high."`
	ClientSHM      bool     `name:"allow-client-shm" help:"Let clients on this machine that run as the same user pass tensors in system or CUDA shared memory."`
	GRPCTLS        TLS      `embed:"" prefix:"grpc-"`
	Keepalive

	AllowMetrics   bool     `name:"allow-metrics" default:"true" negatable:"" help:"Serve metrics."`
	MetricsAddress string   `name:"metrics-address" placeholder:"ADDRESS" help:"Address for metrics; default: the address for HTTP."`
	MetricsPort    int      `name:"metrics-port" default:"8002" help:"Port for metrics; 0 takes a free one."`
	CPUMetrics     bool     `name:"allow-cpu-metrics" default:"true" negatable:"" help:"Include metrics of the machine's processors and memory."`
	GPUMetrics     bool     `name:"allow-gpu-metrics" default:"true" negatable:"" help:"Include metrics of NVIDIA GPUs."`
	MetricsEveryMs int64    `name:"metrics-interval-ms" default:"2000" help:"Milliseconds between two readings of the GPUs, at least 100. Everything else is read at each request for metrics."`
	MetricsConfig  []string `name:"metrics-config" sep:"none" placeholder:"KEY=VALUE" help:"counter_latencies=false, histogram_latencies=true, summary_latencies=true or summary_quantiles=0.5:0.05,0.9:0.01. May be given several times."`

	LogVerbose        int      `name:"log-verbose" default:"0" help:"Above 0, log details."`
	LogInfo           bool     `name:"log-info" default:"true" negatable:"" help:"Log information."`
	LogWarning        bool     `name:"log-warning" default:"true" negatable:"" help:"Log warnings."`
	LogError          bool     `name:"log-error" default:"true" negatable:"" help:"Log errors."`
	LogFormat         string   `name:"log-format" default:"default" enum:"default,ISO8601" help:"Form of the time in a log line: default or ISO8601."`
	LogFile           string   `name:"log-file" placeholder:"FILE" help:"Write the log to this file."`
	TraceConfig       []string `name:"trace-config" sep:"none" placeholder:"[MODE,]KEY=VALUE" help:"rate=N, level=TIMESTAMPS or TENSORS, count=N, triton,file=FILE, triton,log-frequency=N, mode=opentelemetry or opentelemetry,url=URL. May be given several times."`
	BackendConfig     []string `name:"backend-config" sep:"none" placeholder:"BACKEND,KEY=VALUE" help:"Setting of a backend, for example default-max-batch-size=8."`
	BackendDirectory  string   `name:"backend-directory" placeholder:"FOLDER" help:"Folder of more backends that are Python programs, each a folder of its name with a program; default: backends in Conch's data folder."`
	CacheConfig       []string `name:"cache-config" sep:"none" placeholder:"CACHE,KEY=VALUE" help:"Response cache, for example local,size=1048576 (bytes), for models that ask for it."`
	CacheBytes        int64    `name:"response-cache-byte-size" placeholder:"BYTES" help:"The same as --cache-config=local,size=BYTES."`
	RequestMemory     int64    `name:"request-memory-limit" default:"0" help:"Maximum bytes of all requests, from their first byte on, and answers, until they are sent; further requests are refused. 0 for half of this process's memory, -1 for no limit."`
	MaxConnections    int      `name:"max-connections" default:"4096" help:"Maximum connections of a port at a time; further clients wait. 0 for no maximum, except the limit of open files."`
	RateLimit         string   `name:"rate-limit" default:"off" help:"off, or execution_count: instances wait for the resources that their configs ask for."`
	RateLimitResource []string `name:"rate-limit-resource" sep:"none" placeholder:"NAME:COUNT[:DEVICE]" help:"Number of units of a resource. May be given several times."`
	GPULimits         []string `name:"model-load-gpu-limit" sep:"none" placeholder:"DEVICE:FRACTION" help:"Share of a GPU's memory, from 0.0 to 1.0; a model that brings what is used above it is not loaded. May be given several times."`
	LeastCapability   float64  `name:"min-supported-compute-capability" default:"6.0" help:"CUDA compute capability that a GPU must have."`
	PinnedBytes       int64    `name:"pinned-memory-pool-byte-size" default:"268435456" help:"Maximum bytes of memory from which GPUs copy, and to which they copy, directly; 0 for none."`
	HostPolicies      []string `name:"host-policy" sep:"none" placeholder:"POLICY,SETTING=VALUE" help:"What instances run on: cpu-cores=0-3,8-11 are processors, numa-node=N is where their memory is. An instance group names its policy; the others are cpu, model, gpu_0, gpu_1 and so on. Linux only. May be given several times."`
	StrictGPU         bool     `name:"strict-gpu" negatable:"" help:"Refuse a model that asks for a GPU which is not there, as tritonserver does; otherwise it runs on what is there."`

	Tuning

	Reload        string `name:"reload" default:"off" enum:"on-save,ask,off" help:"In explicit mode, reload a model when its files change: on-save, ask (in the workbench) or off."`
	ExternalPaths bool   `name:"allow-external-paths" help:"Allow configs of load requests to name libraries and files outside of the model's folder, and warm-up and initial-state files with .. in their path, as tritonserver does."`
	AnyPort       bool   `name:"any-port" help:"Use a free port when a port is in use."`
}

// TLS are the options of a port with TLS (docs/triton/grpc.md, "TLS"). Triton has them for gRPC.
type TLS struct {
	Use    bool   `name:"use-ssl" negatable:"" help:"Use TLS on this port."`
	Mutual bool   `name:"use-ssl-mutual" negatable:"" help:"Use TLS on this port, and serve only clients with a certificate that the root certificate signs."`
	Cert   string `name:"server-cert" placeholder:"FILE" help:"The server's certificate, with those between it and its root; PEM. It is read again when it changes."`
	Key    string `name:"server-key" placeholder:"FILE" help:"The key of the server's certificate; PEM."`
	Root   string `name:"root-cert" placeholder:"FILE" help:"Certificates that sign those of clients; PEM."`
}

// Keepalive are the options of gRPC's connections (docs/triton/grpc.md, "Transport").
type Keepalive struct {
	KeepaliveMs       int64 `name:"grpc-keepalive-time" default:"7200000" help:"Milliseconds after which an idle client is pinged."`
	KeepaliveWaitMs   int64 `name:"grpc-keepalive-timeout" default:"20000" help:"Milliseconds that the client has to answer a ping."`
	KeepaliveIdle     bool  `name:"grpc-keepalive-permit-without-calls" help:"Let clients ping without a call."`
	MinPingMs         int64 `name:"grpc-http2-min-recv-ping-interval-without-data" default:"300000" help:"Minimum milliseconds between two pings of a client."`
	MaxConnectionMs   int64 `name:"grpc-max-connection-age" default:"0" help:"Milliseconds after which a connection is closed; 0 for never."`
	ConnectionGraceMs int64 `name:"grpc-max-connection-age-grace" default:"0" help:"Milliseconds that the calls of such a connection then have; 0 for no limit."`
}

// Tuning are options of tritonserver's internals. They are accepted so that its command lines work, but they have no
// effect.
type Tuning struct {
	CacheDirectory string   `name:"cache-directory" group:"Accepted as in tritonserver, without effect:" help:"The response cache is built in."`
	AgentDirectory string   `name:"repoagent-directory" group:"Accepted as in tritonserver, without effect:" help:"There are no repository agents."`
	HTTPThreads    int      `name:"http-thread-count" group:"Accepted as in tritonserver, without effect:" help:"Threads are managed automatically."`
	GRPCThreads    int      `name:"grpc-infer-thread-count" group:"Accepted as in tritonserver, without effect:" help:"Threads are managed automatically."`
	GRPCPool       int      `name:"grpc-infer-allocation-pool-size" group:"Accepted as in tritonserver, without effect:" help:"Memory for requests is allocated when it is needed."`
	GRPCResponses  int      `name:"grpc-max-response-pool-size" group:"Accepted as in tritonserver, without effect:" help:"A client that does not read its responses delays only its own stream."`
	BufferThreads  int      `name:"buffer-manager-thread-count" group:"Accepted as in tritonserver, without effect:" help:"Buffers are not copied."`
	CUDABytes      []string `name:"cuda-memory-pool-byte-size" group:"Accepted as in tritonserver, without effect:" help:"There is no such pool."`
	CUDAAddresses  []string `name:"cuda-virtual-address-size" sep:"none" group:"Accepted as in tritonserver, without effect:" help:"There is no such pool."`
	PeerAccess     bool     `name:"enable-peer-access" default:"true" negatable:"" group:"Accepted as in tritonserver, without effect:" help:"No model is spread over several GPUs."`
}
