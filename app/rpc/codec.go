package rpc

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"conch/configedit/folder"
)

// codec converts messages to bytes. Where a message has a name that is not UTF-8, it sends the name
// escaped. Otherwise the answer, or the whole stream of the workspace, would be lost.
type codec struct {
	name      string
	marshal   func([]byte, proto.Message) ([]byte, error)
	unmarshal func([]byte, proto.Message) error
}

var (
	binaryCodec  = codec{"proto", proto.MarshalOptions{}.MarshalAppend, proto.Unmarshal}
	jsonCodec    = codec{"json", protojson.MarshalOptions{}.MarshalAppend, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal}
	charsetCodec = codec{"json; charset=utf-8", jsonCodec.marshal, jsonCodec.unmarshal}
)

// Name implements connect.Codec.
func (c codec) Name() string { return c.name }

// Marshal implements connect.Codec.
func (c codec) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend lets connect reuse its buffers.
func (c codec) MarshalAppend(to []byte, v any) ([]byte, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a message", v)
	}
	out, err := c.marshal(to, m)
	if err != nil {
		return c.marshal(to, folder.Message(m))
	}
	return out, nil
}

// Unmarshal implements connect.Codec.
func (c codec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a message", v)
	}
	if c.name != binaryCodec.name && len(data) == 0 {
		return errors.New("an empty text is not a JSON object")
	}
	return c.unmarshal(data, m)
}
