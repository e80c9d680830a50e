package grpcapi

import (
	"bytes"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/repeated"
)

// known is what was read from the text of a request without its ID and its raw tensors. Requests share it, and nobody changes it.
type known struct {
	request kservepb.ModelInferRequest
	weight  int64
}

// knownRequests reads requests whose text came before without decoding it again. Safe for concurrent use.
type knownRequests struct{ texts *repeated.Texts[known] }

func newKnownRequests() knownRequests { return knownRequests{repeated.NewTexts[known]()} }

// heaviestKnown is the most memory that what is kept of one text takes, as weight estimates it.
const heaviestKnown = 16 << 10

// read reads a request whose text is known, with the raw tensors as parts of whole. It returns how much memory the request takes, as
// weight estimates it; ok is false for one that is not read.
func (k knownRequests) read(whole []byte, m *kservepb.ModelInferRequest) (weighs int64, ok bool) {
	d, ok := divide(whole)
	if !ok || len(d.before)+len(d.behind) > repeated.Longest {
		return 0, false
	}
	text := d.before
	if len(d.behind) > 0 {
		var room [repeated.Longest]byte
		text = append(append(room[:0], d.before...), d.behind...)
	}
	of := k.texts.Find(text)
	if of == nil && k.texts.Again(text) {
		of = k.keep(bytes.Clone(text))
	}
	if of == nil {
		return 0, false
	}
	m.ModelName, m.ModelVersion, m.Id = of.request.ModelName, of.request.ModelVersion, string(d.id)
	m.Parameters, m.Inputs, m.Outputs = of.request.Parameters, of.request.Inputs, of.request.Outputs
	return of.weight + d.fill(m), true
}

// keep decodes a text, which nobody changes, for all requests that it belongs to; nil when it is heavy or no request's.
func (k knownRequests) keep(text []byte) *known {
	of := &known{weight: weight(text, (*kservepb.ModelInferRequest)(nil).ProtoReflect().Descriptor())}
	if of.weight > heaviestKnown || proto.Unmarshal(text, &of.request) != nil {
		return nil
	}
	k.texts.Keep(text, of)
	return of
}

// divided is a request of the usual form: fields in their order, the ID once at most, and raw tensors at the end.
type divided struct {
	before, behind []byte // the ID, without the tensors
	named          bool   // it has an ID
	id             []byte
	raw            []byte // the fields of the tensors
	count          int    // how many they are
}

// Numbers of fields of a request. The second is the highest one.
const (
	requestID        protowire.Number = 3
	rawInputContents protowire.Number = 7
)

// divide divides a request. ok is false for one of another form.
func divide(whole []byte) (d divided, ok bool) {
	begin, last := 0, protowire.Number(0)
	for at := 0; at < len(whole); {
		number, kind, tag := protowire.ConsumeTag(whole[at:])
		if tag < 0 || kind != protowire.BytesType || number < last || number > rawInputContents {
			return d, false
		}
		content, n := protowire.ConsumeBytes(whole[at+tag:])
		if n < 0 || number == requestID && (d.named || !utf8.Valid(content)) {
			return d, false
		}
		end := at + tag + n
		switch number {
		case requestID:
			d.named, d.id = true, content
			d.before, begin = whole[:at], end
		case rawInputContents:
			if d.count++; d.count == 1 {
				d.raw = whole[at:]
			}
		}
		last, at = number, end
	}
	d.behind = whole[begin : len(whole)-len(d.raw)]
	if !d.named {
		d.before, d.behind = d.behind, nil
	}
	return d, true
}

// fill gives a request its raw tensors. It returns what they and the ID weigh.
func (d *divided) fill(m *kservepb.ModelInferRequest) (weighs int64) {
	if d.named {
		weighs = textCost + int64(protowire.SizeBytes(len(d.id)))
	}
	if d.count == 0 {
		return weighs
	}
	m.RawInputContents = make([][]byte, 0, d.count)
	for rest := d.raw; len(rest) > 0; {
		_, _, tag := protowire.ConsumeTag(rest)
		content, n := protowire.ConsumeBytes(rest[tag:])
		m.RawInputContents = append(m.RawInputContents, content[:len(content):len(content)])
		weighs += textCost + int64(n)
		rest = rest[tag+n:]
	}
	return weighs
}
