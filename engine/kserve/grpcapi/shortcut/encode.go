package shortcut

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/metadata"
)

// noTable is the beginning of a block that sets the size of HPACK's table to 0.
const noTable = 0x20

// blockOf returns a block that depends on no table.
func blockOf(fields ...hpack.HeaderField) []byte {
	var text bytes.Buffer
	e := hpack.NewEncoder(&text)
	e.SetMaxDynamicTableSizeLimit(0)
	for _, f := range fields {
		_ = e.WriteField(f) // a buffer never fails
	}
	return withoutSizes(text.Bytes())
}

// withoutSizes drops the changes of the table's size that begin a block.
func withoutSizes(block []byte) []byte {
	for len(block) > 0 && block[0]&0xe0 == noTable {
		long := block[0]&0x1f == 0x1f
		block = block[1:]
		for long && len(block) > 0 {
			long = block[0]&0x80 != 0
			block = block[1:]
		}
	}
	return block
}

func field(name, value string) hpack.HeaderField { return hpack.HeaderField{Name: name, Value: value} }

// headerFields are the headers of an answer. typed tells that the request's content type names protobuf.
func headerFields(typed bool) []hpack.HeaderField {
	kind := grpcType
	if typed {
		kind = protobufType
	}
	return []hpack.HeaderField{field(":status", "200"), field("content-type", kind)}
}

// sizeOf returns the size of headers as HTTP/2 counts it.
func sizeOf(fields []hpack.HeaderField) (size int64) {
	for _, f := range fields {
		size += int64(f.Size())
	}
	return size
}

var (
	headerBlocks = map[bool][]byte{false: blockOf(headerFields(false)...), true: blockOf(headerFields(true)...)}
	okTrailers   = blockOf(field("grpc-status", "0"), field("grpc-message", ""))
)

func metadataFields(md metadata.MD) []hpack.HeaderField {
	var fields []hpack.HeaderField
	for name, values := range md {
		for _, value := range values {
			if strings.HasSuffix(name, "-bin") {
				value = base64.RawStdEncoding.EncodeToString([]byte(value))
			}
			fields = append(fields, field(name, value))
		}
	}
	return fields
}

// percentEncoded returns a message as gRPC's trailers have it.
func percentEncoded(message string) string {
	var b strings.Builder
	for _, r := range message {
		if r >= ' ' && r <= '~' && r != '%' {
			b.WriteRune(r)
			continue
		}
		for _, c := range utf8.AppendRune(nil, r) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
