package kserve_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"conch/engine/infer"
	"conch/engine/kserve"
)

// Each of Triton's codes has the statuses of the documentation.
func TestStatusesAreTheDocuments(t *testing.T) {
	text, err := os.ReadFile("../../docs/triton/http.md")
	if err != nil {
		t.Fatal(err)
	}
	wire := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z_, ]+) \| (\d{3}) \|`).FindAllStringSubmatch(string(text), -1) {
		for _, name := range strings.Split(row[1], ", ") {
			wire[name] = number(row[2])
		}
	}
	names := map[infer.Code]string{
		infer.Unknown: "UNKNOWN", infer.Internal: "INTERNAL", infer.NotFound: "NOT_FOUND", infer.InvalidArg: "INVALID_ARG",
		infer.Unavailable: "UNAVAILABLE", infer.Unsupported: "UNSUPPORTED", infer.AlreadyExists: "ALREADY_EXISTS",
		infer.Cancelled: "CANCELLED",
	}
	// gRPC has the same names, except for these (docs/triton/grpc.md, "Status codes").
	renamed := map[string]string{"INVALID_ARG": "INVALID_ARGUMENT", "UNSUPPORTED": "UNIMPLEMENTED"}
	for code := infer.Unknown; code <= infer.Cancelled; code++ {
		err, name := infer.Errorf(code, "x"), names[code]
		if got := kserve.HTTPStatus(err); got != wire[name] {
			t.Errorf("%s: HTTP status %d, in the document %d", name, got, wire[name])
		}
		if other, is := renamed[name]; is {
			name = other
		}
		var want codes.Code
		if err := want.UnmarshalJSON([]byte(`"` + name + `"`)); err != nil {
			t.Fatal(err)
		}
		if got := kserve.GRPCCode(err); got != want {
			t.Errorf("%s: gRPC code %s, want %s", name, got, want)
		}
	}
}

func number(text string) (n int) {
	_, _ = fmt.Sscan(text, &n)
	return n
}
