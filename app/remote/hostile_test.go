package remote

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	"conch/app/enginehost"
	"conch/engine/kserve/kservepb"
)

// follow follows a server and returns its updates.
func follow(t *testing.T, address string) <-chan enginehost.Update {
	t.Helper()
	updates := make(chan enginehost.Update, 1000)
	s, err := Start(Options{Name: "peer", Address: address, Metrics: NoMetrics}, func(u enginehost.Update) { updates <- u })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return updates
}

// await returns the first update that fits.
func await(t *testing.T, updates <-chan enginehost.Update, what string, fits func(u enginehost.Update) bool) enginehost.Update {
	t.Helper()
	late := time.After(time.Minute)
	var seen []string
	for {
		select {
		case u := <-updates:
			if fits(u) {
				return u
			}
			seen = append(seen, fmt.Sprintf("%v %v", u.Status, u.Event))
		case <-late:
			t.Fatalf("waited in vain until %s; seen: %.2000q", what, seen)
		}
	}
}

// told waits until a server is said to be away for a reason.
func told(t *testing.T, address, reason string) {
	t.Helper()
	await(t, follow(t, address), reason, func(u enginehost.Update) bool {
		return u.Status != nil && u.Status.State == enginehost.Silent && strings.Contains(u.Status.Reason, reason)
	})
}

// listen serves each connection with a function.
func listen(t *testing.T, serve func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				serve(c)
			}()
		}
	}()
	return l.Addr().String()
}

// peer is a gRPC server of which a test says what it can do.
type peer struct {
	kservepb.UnimplementedGRPCInferenceServiceServer
	index func() (*kservepb.RepositoryIndexResponse, error)
	name  string // "" for "old"
}

func (p *peer) ServerMetadata(context.Context, *kservepb.ServerMetadataRequest) (*kservepb.ServerMetadataResponse, error) {
	return &kservepb.ServerMetadataResponse{Name: cmp.Or(p.name, "old"), Version: "1.0"}, nil
}

func (p *peer) RepositoryIndex(ctx context.Context, r *kservepb.RepositoryIndexRequest) (*kservepb.RepositoryIndexResponse, error) {
	if p.index == nil {
		return p.UnimplementedGRPCInferenceServiceServer.RepositoryIndex(ctx, r)
	}
	return p.index()
}

func serveGRPC(t *testing.T, p *peer) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.MaxSendMsgSize(1 << 30))
	kservepb.RegisterGRPCInferenceServiceServer(s, p)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// TestHostileServers: whatever answers there, a clear word says what is wrong, and nothing hangs.
func TestHostileServers(t *testing.T) {
	silent := listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	garbage := listen(t, func(c net.Conn) { _, _ = c.Write([]byte(strings.Repeat("\x07garbage\n", 100))) })
	closing := listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 1<<10)) })
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html><img src=x onerror=alert(1)></html>")
	}))
	elsewhere := httptest.NewServer(http.RedirectHandler("http://192.0.2.1/", http.StatusFound))
	away := httptest.NewServer(http.NotFoundHandler())
	for _, s := range []*httptest.Server{encrypted, endless, page, elsewhere, away} {
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		t.Cleanup(s.Close)
	}
	kserve := serveGRPC(t, &peer{})
	huge := serveGRPC(t, &peer{index: func() (*kservepb.RepositoryIndexResponse, error) {
		long := strings.Repeat("x", 130<<20)
		return &kservepb.RepositoryIndexResponse{Models: []*kservepb.RepositoryIndexResponse_ModelIndex{{Name: "m", Reason: long}}}, nil
	}})
	for address, want := range map[string]string{
		"grpc://" + silent: "no answer came within 3 s",
		"http://" + silent: "no answer came within 3 s",
		// Triton's HTTP port closes a connection that speaks gRPC.
		"grpc://" + closing:                             "write the address with http://",
		"grpc://" + garbage:                             "does not speak gRPC",
		"http://" + garbage:                             "does not speak HTTP",
		"http://" + encrypted.Listener.Addr().String():  "Write the address with https://",
		"https://" + encrypted.Listener.Addr().String(): "certificate",
		"grpcs://" + page.Listener.Addr().String():      "has no TLS",
		"https://" + page.Listener.Addr().String():      "Write the address with http://",
		"http://" + endless.Listener.Addr().String():    "sends more than can be meant",
		"http://" + page.Listener.Addr().String():       "is not what Triton answers",
		"http://" + elsewhere.Listener.Addr().String():  "it redirects to another address",
		"http://" + away.Listener.Addr().String():       "is no Triton: POST /v2/repository/index is answered with 404 Not Found",
		"grpc://" + page.Listener.Addr().String():       "does not speak gRPC",
		"grpc://" + kserve:                              "old 1.0 answers, but it does not list its models",
		"http://" + kserve:                              "speaks gRPC",
		"grpc://" + huge:                                "sends more than can be meant",
		"grpc://127.0.0.1:1":                            "connection refused",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			told(t, address, want)
		})
	}
}

// TestOldServer: one that tells neither configs nor statistics is shown with its models.
func TestOldServer(t *testing.T) {
	names := []string{"<img src=x onerror=alert(1)>", "a\x1b[31mb\u202e", strings.Repeat("long", longestName/4)}
	address := serveGRPC(t, &peer{index: func() (*kservepb.RepositoryIndexResponse, error) {
		out := &kservepb.RepositoryIndexResponse{}
		for _, name := range names {
			out.Models = append(out.Models, &kservepb.RepositoryIndexResponse_ModelIndex{Name: name, Version: "1", State: "READY"})
		}
		return out, nil
	}})
	updates := follow(t, "grpc://"+address)
	told := await(t, updates, "the models are told", func(u enginehost.Update) bool { return u.Event != nil }).Event
	if len(told.Models) != len(names) || told.Server.GetVersion() != "1.0" {
		t.Errorf("told are %v", told)
	}
	await(t, updates, "it is ready", func(u enginehost.Update) bool { return u.Status != nil && u.Status.State == enginehost.Ready })
}

// TestManyModels: thirty thousand models are told within seconds, and what changes later is told alone.
func TestManyModels(t *testing.T) {
	const many = 30_000
	asked := 0
	address := serveGRPC(t, &peer{index: func() (*kservepb.RepositoryIndexResponse, error) {
		asked++
		out := &kservepb.RepositoryIndexResponse{}
		for i := range many {
			state := "READY"
			if i == 7 && asked > 1 {
				state = "UNAVAILABLE"
			}
			out.Models = append(out.Models, &kservepb.RepositoryIndexResponse_ModelIndex{Name: fmt.Sprintf("model_%06d", i), Version: "1", State: state})
		}
		return out, nil
	}})
	begun := time.Now()
	updates := follow(t, "grpc://"+address)
	await(t, updates, "all models are told", func(u enginehost.Update) bool { return len(u.Event.GetModels()) == many })
	t.Logf("%d models are told after %v", many, time.Since(begun))
	await(t, updates, "one change is told", func(u enginehost.Update) bool {
		return len(u.Event.GetModels()) == 1 && u.Event.Models[0].Name == "model_000007"
	})
}

// TestRefusedConfigsKeepNobodyFromTheOthers: models whose config is refused do not keep others waiting.
func TestRefusedConfigsKeepNobodyFromTheOthers(t *testing.T) {
	m, now := newModels(), time.Unix(1000, 0)
	for i := range 500 {
		m.stale[fmt.Sprintf("m%03d", i)] = now
	}
	first := m.due(now)[:64]
	m.refuse(first, func() []error {
		errs := make([]error, 64)
		for i := range errs {
			errs[i] = io.ErrUnexpectedEOF
		}
		return errs
	}(), now)
	if next := m.due(now); len(next) != 500-64 || next[0] != "m064" {
		t.Errorf("next are %d, from %s", len(next), next[0])
	}
	if again := m.due(now.Add(configAgain)); len(again) != 500 {
		t.Errorf("later %d are asked for", len(again))
	}
}
