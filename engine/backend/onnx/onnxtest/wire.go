package onnxtest

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

func number(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func text(b []byte, field protowire.Number, s string) []byte {
	return message(b, field, []byte(s))
}

func message(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}

func bits(f float32) uint32 { return math.Float32bits(f) }

func orDefault(v, otherwise int64) int64 {
	if v == 0 {
		return otherwise
	}
	return v
}
