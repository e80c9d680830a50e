// Package snippet writes a request in a form that runs elsewhere: a curl command, a Python program for
// tritonclient, a grpcurl command. Small inputs are written as readable values. Large inputs, and
// inputs that JSON cannot hold, are written as base64. The package is pure.
package snippet

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"

	"conch/app/tensorjson"
)

// Request is what to send and where. Tensors are bytes.
type Request struct {
	Model       string
	Version     int64 // 0 means the newest
	Inputs      []Input
	Outputs     []string                   // none means all
	ID          string                     // "" for none
	Parameters  map[string]json.RawMessage // booleans, numbers and strings
	HTTPAddress string                     // "127.0.0.1:8000"
	GRPCAddress string
	Secure      bool       // both want TLS
	Decoupled   *Decoupled // nil for a model that answers once
}

// Input is one tensor.
type Input struct {
	Name     string
	Datatype string
	Shape    []int64
	Raw      []byte
}

// readable is how many values are written out at most: about a screenful.
const readable = 256

// Languages lists the languages that Write knows.
func Languages() []string { return []string{"curl", "python", "grpcurl"} }

// Write writes a request in one of the Languages.
func Write(language string, r Request) (string, error) {
	write := map[string]func(Request) (string, error){"curl": curl, "python": python, "grpcurl": grpcurl}[language]
	if write == nil {
		return "", fmt.Errorf("there is no %q; there are %s", language, strings.Join(Languages(), ", "))
	}
	text, err := write(r)
	if err != nil {
		return "", err
	}
	return sequenceNote(r) + text, nil
}

// values returns an input's elements when they can be written as JSON. Triton's JSON has no FP16 and
// BF16 (docs/triton/requests.md, "Data types"), and no JSON has NaN or bytes.
func (in Input) values() (list []string, ok bool) {
	if in.Datatype == "FP16" || in.Datatype == "BF16" {
		return nil, false
	}
	list, ok = in.literals()
	return list, ok && len(list) <= readable
}

// literals returns an input's elements when JSON holds them.
func (in Input) literals() (list []string, ok bool) {
	list, plain, err := tensorjson.Literals(in.Datatype, in.Raw)
	return list, err == nil && plain
}

// client returns the address for a client. It replaces an address that means all interfaces. usual is
// the port where there is no address.
func client(address string, usual int) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = "localhost", strconv.Itoa(usual)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func integers(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
