package grpcapi

import (
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registers the codec that is wrapped
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"conch/configedit/folder"
)

// codec is gRPC's own for protobuf. A message that quotes a name that is not UTF-8, in the reason of a failed load for
// instance, is sent with that name escaped: without it the whole answer would be lost.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	out, err := c.CodecV2.Marshal(v)
	if m, ok := v.(proto.Message); ok && err != nil {
		return c.CodecV2.Marshal(folder.Message(m))
	}
	return out, err
}
