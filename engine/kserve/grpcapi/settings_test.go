package grpcapi_test

import (
	"io"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"conch/engine/kserve"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// serveSettings serves the calls that can be set and restricted.
func serveSettings(t *testing.T) *grpc.ClientConn {
	t.Helper()
	restricted, err := kserve.ParseRestrictions("--grpc-restricted-protocol", grpcapi.RestrictedPrefix, []string{"health,inference:k=secret"})
	if err != nil {
		t.Fatal(err)
	}
	log := logging.New(io.Discard, logging.Setting{Info: true, Format: logging.Default})
	setting := tracing.Defaults
	setting.File = "trace.json"
	server := grpcapi.NewServer(kservetest.Identity(), grpcapi.Options{Compress: []string{grpcapi.Deflate, "gzip"}, Options: kserve.Options{
		Restricted: restricted, ForwardHeaders: regexp.MustCompile("^x-"), Log: log, Tracer: tracing.New(setting, slog.New(log.Handler()), func(string) bool { return true }),
	}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpcapi.NewCodec())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-done
	})
	return conn
}

func TestTraceSettings(t *testing.T) {
	c, ctx := kservepb.NewGRPCInferenceServiceClient(serveSettings(t)), background(t)
	set := func(model, key string, values ...string) (*kservepb.TraceSettingResponse, error) {
		return c.TraceSetting(ctx, &kservepb.TraceSettingRequest{
			ModelName: model, Settings: map[string]*kservepb.TraceSettingRequest_SettingValue{key: {Value: values}},
		})
	}
	got, err := set("m", "trace_level", "TIMESTAMPS", "TENSORS")
	if err != nil || len(got.Settings["trace_level"].Value) != 2 || got.Settings["trace_mode"].Value[0] != "triton" {
		t.Errorf("set = %v, %v", got, err)
	}
	if got, err = set("", "trace_rate"); err != nil || got.Settings["trace_level"].Value[0] != "OFF" {
		t.Errorf("all = %v, %v", got, err)
	}
	if got, err = set("m", "trace_level"); err != nil || got.Settings["trace_level"].Value[0] != "OFF" {
		t.Errorf("cleared = %v, %v", got, err)
	}
	_, err = set("", "trace_rate", "1", "2")
	expectStatus(t, "two values", err, "InvalidArgument expect only 1 value for 'trace_rate'")
	if _, err = set("", "trace_speed", "1", "2"); err != nil {
		t.Errorf("an unknown key: %v", err)
	}
	_, err = set("", "trace_file", "x", "y")
	expectStatus(t, "file", err, "Unimplemented trace file location can not be updated through network protocol")
	_, err = set("zz", "trace_rate", "1")
	expectStatus(t, "unknown model", err, "InvalidArgument Request for unknown model : zz")
}

func TestLogSettings(t *testing.T) {
	c, ctx := kservepb.NewGRPCInferenceServiceClient(serveSettings(t)), background(t)
	flag := func(on bool) *kservepb.LogSettingsRequest_SettingValue {
		return &kservepb.LogSettingsRequest_SettingValue{ParameterChoice: &kservepb.LogSettingsRequest_SettingValue_BoolParam{BoolParam: on}}
	}
	text := func(s string) *kservepb.LogSettingsRequest_SettingValue {
		return &kservepb.LogSettingsRequest_SettingValue{ParameterChoice: &kservepb.LogSettingsRequest_SettingValue_StringParam{StringParam: s}}
	}
	set := func(key string, value *kservepb.LogSettingsRequest_SettingValue) (*kservepb.LogSettingsResponse, error) {
		if value == nil {
			value = &kservepb.LogSettingsRequest_SettingValue{}
		}
		return c.LogSettings(ctx, &kservepb.LogSettingsRequest{Settings: map[string]*kservepb.LogSettingsRequest_SettingValue{key: value}})
	}
	if _, err := set("no_such_setting", nil); err != nil {
		t.Errorf("an unknown setting: %v", err)
	}
	got, err := set("log_error", flag(true))
	if err != nil || !got.Settings["log_error"].GetBoolParam() || got.Settings["log_format"].GetStringParam() != "default" {
		t.Errorf("set = %v, %v", got, err)
	}
	for _, refused := range []struct {
		key   string
		value *kservepb.LogSettingsRequest_SettingValue
		want  string
	}{
		{"log_info", text("x"), "InvalidArgument expect boolean for 'log_info'"},
		{"log_verbose_level", flag(true), "InvalidArgument expect int32 for 'log_verbose_level'"},
		{"log_verbose_level", nil, "InvalidArgument expect int32 for 'log_verbose_level'"},
		{"log_info", nil, "InvalidArgument expect boolean for 'log_info'"},
		{"log_format", nil, "InvalidArgument expect string for 'log_format'"},
		{"log_file", nil, "Unimplemented log file location can not be updated through network protocol"},
		{"log_format", flag(true), "InvalidArgument expect string for 'log_format'"},
		{"log_format", text("foo"), "InvalidArgument invalid argument for log_format, got: foo"},
		{"log_file", text("x"), "Unimplemented log file location can not be updated through network protocol"},
	} {
		_, err := set(refused.key, refused.value)
		expectStatus(t, refused.key, err, refused.want)
	}
}

func TestRestrictedProtocols(t *testing.T) {
	conn, ctx := serveSettings(t), background(t)
	c := kservepb.NewGRPCInferenceServiceClient(conn)
	const want = "Unavailable This protocol is restricted, expecting header 'triton-grpc-protocol-k'"
	_, err := c.ServerLive(ctx, &kservepb.ServerLiveRequest{})
	expectStatus(t, "live", err, want)
	_, err = grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	expectStatus(t, "health", err, want)
	_, err = c.ModelInfer(metadata.AppendToOutgoingContext(ctx, "triton-grpc-protocol-k", "guess"), request(""))
	expectStatus(t, "infer", err, want)
	if _, err := c.ModelInfer(metadata.AppendToOutgoingContext(ctx, "triton-grpc-protocol-k", "secret"), request("")); err != nil {
		t.Errorf("with the key: %v", err)
	}
	if _, err := c.ServerMetadata(ctx, &kservepb.ServerMetadataRequest{}); err != nil {
		t.Errorf("what is not restricted: %v", err)
	}
}

// Metadata that matches the pattern reaches the model.
func TestForwardedHeaders(t *testing.T) {
	c := kservepb.NewGRPCInferenceServiceClient(serveSettings(t))
	ctx := metadata.AppendToOutgoingContext(background(t), "triton-grpc-protocol-k", "secret", "x-who", "me", "y-who", "you")
	got, err := c.ModelInfer(ctx, request(""), grpc.UseCompressor("gzip"))
	if err != nil || got.Parameters["x-who"].GetStringParam() != "me" || got.Parameters["y-who"] != nil {
		t.Errorf("parameters = %v, %v", got.GetParameters(), err)
	}
}

// The metadata of a call is bounded. A usual token fits.
func TestMetadataIsBounded(t *testing.T) {
	c := client(t, kservetest.Identity())
	for size, want := range map[int]codes.Code{4 << 10: codes.OK, 48 << 10: codes.OK, 128 << 10: codes.Internal} {
		ctx := metadata.AppendToOutgoingContext(background(t), "authorization", strings.Repeat("x", size))
		if _, err := c.ModelInfer(ctx, request("")); status.Code(err) != want {
			t.Errorf("%d bytes of metadata: %v, want %v", size, err, want)
		}
	}
}
