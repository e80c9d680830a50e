package serve

// Flags are the command line of `conch serve`. Those that tritonserver has are called and mean the same
// (triton-runtime G), except that the addresses are loopback unless told otherwise.
type Flags struct {
	ModelRepository  []string `name:"model-repository" aliases:"model-store" required:"" placeholder:"DIR" help:"Model repository; may be given several times."`
	ModelControlMode string   `name:"model-control-mode" default:"none" enum:"none,poll,explicit" help:"none: load all models at start; poll: follow the repository; explicit: load on request."`
	LoadModel        []string `name:"load-model" placeholder:"NAME" help:"Model to load at start in explicit mode; * for all. May be given several times."`
	PollSecs         int      `name:"repository-poll-secs" default:"15" help:"Seconds between looks at the repository in poll mode, beside watching it."`
	ModelConfigName  string   `name:"model-config-name" placeholder:"NAME" help:"Use configs/NAME.pbtxt of each model that has it."`
	Namespacing      bool     `name:"model-namespacing" help:"Tell models of one name apart by their repository."`
	LoadThreads      int      `name:"model-load-thread-count" default:"4" help:"Versions that are loaded side by side."`
	NoAutoComplete   bool     `name:"disable-auto-complete-config" help:"Do not fill in configs from model files."`
	StrictReadiness  bool     `name:"strict-readiness" default:"true" negatable:"" help:"Ready only when every model that should serve does."`
	ExitOnError      bool     `name:"exit-on-error" default:"true" negatable:"" help:"End when a model does not load at start."`
	ExitTimeoutSecs  int      `name:"exit-timeout-secs" default:"30" help:"How long running requests may take at the end."`
	ID               string   `name:"id" default:"triton" help:"Name of this server in its metadata."`

	AllowHTTP      bool   `name:"allow-http" default:"true" negatable:"" help:"Serve HTTP."`
	HTTPAddress    string `name:"http-address" default:"127.0.0.1" help:"Address for HTTP."`
	HTTPPort       int    `name:"http-port" default:"8000" help:"Port for HTTP; 0 takes a free one."`
	HTTPMaxInput   int64  `name:"http-max-input-size" default:"67108864" help:"Largest JSON part of a request, in bytes."`
	HTTPForward    string `name:"http-header-forward-pattern" placeholder:"REGEXP" help:"Request headers to hand to models as parameters."`
	AllowGRPC      bool   `name:"allow-grpc" default:"true" negatable:"" help:"Serve gRPC."`
	GRPCAddress    string `name:"grpc-address" default:"127.0.0.1" help:"Address for gRPC."`
	GRPCPort       int    `name:"grpc-port" default:"8001" help:"Port for gRPC; 0 takes a free one."`
	AllowMetrics   bool   `name:"allow-metrics" default:"true" negatable:"" help:"Serve metrics."`
	MetricsAddress string `name:"metrics-address" placeholder:"ADDRESS" help:"Address for metrics; as for HTTP when empty."`
	MetricsPort    int    `name:"metrics-port" default:"8002" help:"Port for metrics; 0 takes a free one."`

	LogVerbose        int      `name:"log-verbose" default:"0" help:"Above 0, log what is done in detail."`
	BackendConfig     []string `name:"backend-config" sep:"none" placeholder:"BACKEND,KEY=VALUE" help:"Setting of a backend, such as default-max-batch-size=8."`
	CacheConfig       []string `name:"cache-config" sep:"none" placeholder:"CACHE,KEY=VALUE" help:"Response cache, such as local,size=1048576 (bytes), for models that ask for it."`
	CacheBytes        int64    `name:"response-cache-byte-size" placeholder:"BYTES" help:"The same as --cache-config=local,size=BYTES."`
	RateLimit         string   `name:"rate-limit" default:"off" help:"off, or execution_count: instances wait for the resources that their configs ask for."`
	RateLimitResource []string `name:"rate-limit-resource" sep:"none" placeholder:"NAME:COUNT[:DEVICE]" help:"Units of a resource that there are. May be given several times."`
	Backends          string   `name:"backend-directory" hidden:"" help:"Taken for tritonserver's sake; the backends are built in."`

	Reload        string `name:"reload" default:"off" enum:"on-save,ask,off" help:"In explicit mode, load a loaded model again when its files change: on-save, ask (the workbench does) or off."`
	AnyPort       bool   `name:"any-port" help:"Take a free port where one is taken."`
	PrivateSocket string `name:"private-socket" hidden:"" placeholder:"PATH" help:"Unix socket for the workbench."`
	ParentPipe    bool   `name:"parent-pipe" hidden:"" help:"End when standard input is closed."`
}
