package grpcapi

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
)

// unmarshalInPlace reads a request whose raw tensors are parts of whole. The protobuf package would copy them.
func unmarshalInPlace(whole []byte, m *kservepb.ModelInferRequest) error {
	rest := whole // what comes before the next tensor, and all that follows it
	for at := 0; at < len(rest); {
		number, kind, tag := protowire.ConsumeTag(rest[at:])
		if tag < 0 {
			break // the error is found below
		}
		n := protowire.ConsumeFieldValue(number, kind, rest[at+tag:])
		if n < 0 {
			break
		}
		end := at + tag + n
		if number != rawInputContents || kind != protowire.BytesType {
			at = end
			continue
		}
		if err := merge(rest[:at], m); err != nil {
			return err
		}
		content, _ := protowire.ConsumeBytes(rest[at+tag : end])
		m.RawInputContents = append(m.RawInputContents, content[:len(content):len(content)])
		rest, at = rest[end:], 0
	}
	return merge(rest, m)
}

// merge adds the fields of a part of a message.
func merge(part []byte, m proto.Message) error {
	if len(part) == 0 {
		return nil
	}
	return proto.UnmarshalOptions{Merge: true}.Unmarshal(part, m)
}
