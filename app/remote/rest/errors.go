package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// unreached makes the status of a call that got no answer.
func unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if errors.Is(err, errLong) {
		return status.Error(codes.ResourceExhausted, err.Error())
	}
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err // without the address, which callers name
	}
	var at *net.OpError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &at) && at.Op == "read" {
		return status.Error(codes.Unavailable, "error reading from server: "+err.Error()) // the words of gRPC
	}
	return status.Error(codes.Unavailable, err.Error())
}

// codeOf has the gRPC code that Triton has for each status.
var codeOf = map[int]codes.Code{
	http.StatusBadRequest:            codes.InvalidArgument,
	http.StatusUnauthorized:          codes.Unauthenticated,
	http.StatusForbidden:             codes.PermissionDenied,
	http.StatusNotFound:              codes.NotFound,
	http.StatusInternalServerError:   codes.Internal,
	http.StatusNotImplemented:        codes.Unimplemented,
	http.StatusMethodNotAllowed:      codes.Unimplemented,
	http.StatusBadGateway:            codes.Unavailable,
	http.StatusServiceUnavailable:    codes.Unavailable,
	http.StatusGatewayTimeout:        codes.Unavailable,
	http.StatusTooManyRequests:       codes.ResourceExhausted,
	http.StatusRequestEntityTooLarge: codes.ResourceExhausted,
}

// mostWords is the most that is told of an error, in bytes. Over gRPC a server cannot send much more either.
const mostWords = 1 << 20

// failure returns the error that an answer tells; nil for a good one.
func (g got) failure() error {
	if g.code >= 200 && g.code < 300 {
		return nil
	}
	var told struct{ Error string }
	words := json.Unmarshal(g.body, &told) == nil && told.Error != ""
	code, known := codeOf[g.code]
	switch {
	case !known:
		code = codes.Unknown
	case code == codes.NotFound && (!words || !g.sent.model || told.Error == "Not Found"):
		code = codes.Unimplemented // not the model is unknown, but the path
	}
	if code == codes.Unimplemented && !(words && g.sent.model) {
		return status.Errorf(code, "%s /%s is answered with %s", g.verb, g.sent.path, g.status)
	}
	if words {
		return status.Error(code, strings.ToValidUTF8(told.Error[:min(len(told.Error), mostWords)], ""))
	}
	return status.Error(code, strings.TrimSpace(fmt.Sprintf("the answer is %s. %s", g.status, firstWords(g.body))))
}

// firstWords returns the beginning of a text; "" where it is none, such as a page.
func firstWords(body []byte) string {
	const most = 200
	text := string(body[:min(len(body), most)])
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' }) || strings.Contains(text, "<") {
		return ""
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
}
