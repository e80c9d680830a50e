package remote

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Reason says for people why a server did not answer, which was given so long.
func Reason(err error, given time.Duration) string {
	st := status.Convert(err)
	text := shortened(plain(st.Message()))
	for _, w := range wrongRoads {
		if strings.Contains(text, w.sign) {
			return w.meaning
		}
	}
	if meaning := unreached(text); meaning != "" {
		return fmt.Sprintf("%s (%s).", meaning, text)
	}
	switch st.Code() {
	case codes.DeadlineExceeded:
		return fmt.Sprintf("no answer came within %g s.", given.Seconds())
	case codes.Unauthenticated, codes.PermissionDenied:
		return "it refuses this client: " + text + ". Check the headers and the client certificate."
	case codes.Unimplemented:
		return "what answers there is no Triton: " + text + "."
	case codes.ResourceExhausted:
		return "it sends more than can be meant: " + text + "."
	}
	return text + "."
}

// wrongRoads are the errors of an address whose scheme or port is not what answers there.
var wrongRoads = []struct{ sign, meaning string }{
	{"server gave HTTP response to HTTPS client", "what answers there has no TLS. Write the address with http://."},
	{"an HTTP request to an HTTPS server", "what answers there wants TLS. Write the address with https://."},
	{"first record does not look like a TLS handshake", "what answers there has no TLS. Write the address with grpc:// or http://."},
	{`malformed HTTP response "\x15`, "what answers there wants TLS. Write the address with https://."},
	{`malformed HTTP response "\x00\x00`, "what answers there speaks gRPC. Write the address with grpc://, or name the HTTP port."},
	{"looked like an HTTP/1.1 header", "what answers there does not speak gRPC. If it is Triton's HTTP port, write the address with http://."},
	{"remote error: tls: certificate required", "it wants a client certificate, and none is named."},
	{"remote error: tls: expired certificate", "it refuses the client certificate, because that has expired."},
	{"remote error: tls: bad certificate", "it refuses the client certificate."},
	{"remote error: tls: unknown certificate", "it refuses the client certificate: it does not know who signed it."},
	{"malformed HTTP response", "what answers there does not speak HTTP."},
	{"readLoopPeekFailLocked", "what answers there does not speak HTTP."},
	{"error reading server preface: EOF", closedPreface}, {"error reading server preface: connection reset", closedPreface},
	{"EOF", "it closed the connection without an answer."},
	{"frame too large", "what answers there does not speak gRPC. If it is Triton's HTTP port, write the address with http://."},
}

// unmade are the endings of what Go says of a connection that was not made.
var unmade = []struct{ sign, meaning string }{
	{"connection refused", "nothing listens at %s: see whether the server runs and has this port"},
	{"no such host", "no machine has the name %s"},
	{"no route to host", "the network has no route to %s"},
	{"network is unreachable", "the network has no route to %s"},
	{"i/o timeout", "nobody answers at %s"},
	{"connection timed out", "nobody answers at %s"}, // the system gave up before Conch did
}

// dialled finds the address in what Go says of a connection that was not made.
var dialled = regexp.MustCompile(`\bdial tcp(?: (\S+)|: lookup (\S+)(?: on \S+)?): `)

// unreached says in words why no connection was made; "" where it was, or where the system's words say no more.
func unreached(text string) string {
	found := dialled.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	for _, w := range unmade {
		if strings.HasSuffix(text, w.sign) {
			return fmt.Sprintf(w.meaning, found[1]+found[2])
		}
	}
	return ""
}

// closedPreface is what Triton's HTTP port does with a connection that speaks gRPC.
const closedPreface = "it closed the connection without an answer. If that is Triton's HTTP port, write the address with http:// or https://."

// wrapped are the words that gRPC puts around the error of a connection.
var wrapped = []string{"connection error: ", "desc = ", `"`, "transport: ", "Error while dialing: ", "authentication handshake failed: "}

// plain returns an error of gRPC without these words.
func plain(message string) string {
	text := message
	for _, words := range wrapped {
		text = strings.TrimPrefix(text, words)
	}
	if text != message {
		text = strings.TrimSuffix(text, `"`)
	}
	return text
}
