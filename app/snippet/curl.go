package snippet

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"conch/engine/option"
)

// jsonRequest is a request in the HTTP protocol's JSON form (docs/triton/http.md, "Infer request").
type jsonRequest struct {
	ID         string                     `json:"id,omitempty"`
	Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	Inputs     []jsonInput                `json:"inputs"`
	Outputs    []jsonOutput               `json:"outputs,omitempty"`
}

type jsonInput struct {
	Name       string          `json:"name"`
	Shape      []int64         `json:"shape"`
	Datatype   string          `json:"datatype"`
	Data       json.RawMessage `json:"data,omitempty"`
	Parameters map[string]int  `json:"parameters,omitempty"`
}

type jsonOutput struct {
	Name string `json:"name"`
}

func curl(r Request) (string, error) {
	if why := NoCurl(r.Model, r.Decoupled); why != "" {
		return "", errors.New(why)
	}
	if r.Decoupled != nil {
		return curlStream(r)
	}
	body, binary := jsonBody(r)
	head, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("write the request: %w", err)
	}
	target := modelURL(r) + "/infer"
	if len(binary) == 0 {
		return fmt.Sprintf("curl -sS %s \\\n  -H 'Content-Type: application/json' \\\n  -d %s\n", Quote(target), Quote(string(head))), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The tensors are binary: a JSON header of %d bytes, then their bytes. Here both are base64.\n", len(head))
	fmt.Fprintf(&b, "base64 -d <<'END' | curl -sS %s \\\n", Quote(target))
	fmt.Fprintf(&b, "  -H 'Content-Type: application/octet-stream' \\\n  -H 'Inference-Header-Content-Length: %d' \\\n  --data-binary @-\n", len(head))
	writeBase64(&b, append(head, binary...))
	b.WriteString("END\n")
	return b.String(), nil
}

// curlStream asks a decoupled model. curl shows each answer when it comes.
func curlStream(r Request) (string, error) {
	body, short, err := generated(r)
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("# The model is decoupled: generate_stream gives each of its answers as an event.\n"+
		"curl -sSN %s \\\n  -H 'Content-Type: application/json' \\\n", Quote(modelURL(r)+"/generate_stream"))
	if short {
		return head + "  -d " + Quote(body) + "\n", nil
	}
	return head + "  --data-binary @- <<'END'\n" + body + "\nEND\n", nil
}

// jsonBody writes every input as values when all of them can be written so. Otherwise it writes all as
// binary.
func jsonBody(r Request) (body jsonRequest, binary []byte) {
	allReadable := true
	body.ID, body.Parameters = r.ID, r.Parameters
	for _, in := range r.Inputs {
		_, ok := in.values()
		allReadable = allReadable && ok
	}
	for _, in := range r.Inputs {
		out := jsonInput{Name: in.Name, Shape: in.Shape, Datatype: in.Datatype}
		if out.Shape == nil {
			out.Shape = []int64{}
		}
		if allReadable {
			list, _ := in.values()
			out.Data = json.RawMessage("[" + strings.Join(list, ",") + "]")
		} else {
			out.Parameters = map[string]int{"binary_data_size": len(in.Raw)}
			binary = append(binary, in.Raw...)
		}
		body.Inputs = append(body.Inputs, out)
	}
	for _, name := range r.Outputs {
		body.Outputs = append(body.Outputs, jsonOutput{name})
	}
	return body, binary
}

// plainInURL reports whether every client sends a name in a path as it is. Triton matches what was sent and decodes
// nothing (docs/triton/http.md, "Paths"); tritonclient escapes all but these characters.
func plainInURL(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.-~", r)
	})
}

func modelURL(r Request) string {
	scheme := "http"
	if r.Secure {
		scheme = "https"
	}
	url := fmt.Sprintf("%s://%s/v2/models/%s", scheme, client(r.HTTPAddress, option.Default().HTTPPort), r.Model)
	if r.Version > 0 {
		url += fmt.Sprintf("/versions/%d", r.Version)
	}
	return url
}

// Quote makes one word of a POSIX shell from any text.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// writeBase64 writes lines of 76 characters.
func writeBase64(b *strings.Builder, raw []byte) {
	text := base64.StdEncoding.EncodeToString(raw)
	for len(text) > 0 {
		n := min(76, len(text))
		b.WriteString(text[:n] + "\n")
		text = text[n:]
	}
}
