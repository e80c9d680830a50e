package grpcapi

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The memory of the parts of a decoded message, including their share of growing lists. Two bytes on the wire can be
// an empty input.
const (
	messageCost = 256
	textCost    = 48
	numberCost  = 16
)

// weight estimates from a message's bytes how much memory the decoded message takes. An invalid message is measured
// up to its first error.
func weight(b []byte, kind protoreflect.MessageDescriptor) int64 {
	total := int64(0)
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(number, wire, b); n < 0 {
			break
		}
		field := kind.Fields().ByNumber(number)
		switch {
		case wire != protowire.BytesType:
			total += numberCost
		case field == nil:
			total += int64(n)
		case field.Kind() == protoreflect.MessageKind:
			inside, _ := protowire.ConsumeBytes(b)
			total += messageCost + weight(inside, field.Message())
		case field.Kind() == protoreflect.BytesKind || field.Kind() == protoreflect.StringKind:
			total += textCost + int64(n)
		default: // packed numbers
			total += packedCost(field.Kind()) * int64(n)
		}
		b = b[n:]
	}
	return total
}

// packedCost returns the memory for a byte of packed numbers, including the list's growth.
func packedCost(kind protoreflect.Kind) int64 {
	switch kind {
	case protoreflect.FloatKind, protoreflect.DoubleKind, protoreflect.BoolKind,
		protoreflect.Fixed32Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed32Kind, protoreflect.Sfixed64Kind:
		return 2
	}
	return numberCost
}
