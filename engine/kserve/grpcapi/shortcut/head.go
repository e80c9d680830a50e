package shortcut

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/metadata"
)

// tableSize is the size of HPACK's table while nobody has announced another one.
const tableSize = 4 << 10

// head is what the headers of a call say.
type head struct {
	fields  []hpack.HeaderField
	large   bool // there were more fields than a call may have; the rest is lost
	plain   bool // a call with these headers may be served here
	ctx     context.Context
	timeout time.Duration // 0 for none
	typed   bool          // the content type names protobuf
}

// heads reads the headers of a connection's calls.
type heads struct {
	decoder *hpack.Decoder
	now     *head // which is read
	size    int
	most    int
	block   []byte // the newest one, when it changed nothing in the decoder's table
	newest  *head  // what it says
	encoder *hpack.Encoder
	text    bytes.Buffer
}

func (h *heads) init(most int) {
	h.most = most
	h.decoder = hpack.NewDecoder(tableSize, h.add)
	h.decoder.SetMaxStringLength(most)
	h.encoder = hpack.NewEncoder(&h.text)
	h.encoder.SetMaxDynamicTableSizeLimit(0)
}

func (h *heads) add(f hpack.HeaderField) {
	if h.size += int(f.Size()); h.size > h.most {
		h.now.large = true
		h.decoder.SetEmitEnabled(false)
		return
	}
	h.now.fields = append(h.now.fields, f)
}

// read reads a block. The headers of a client's calls are mostly the same, and its table holds all of them.
func (h *heads) read(ctx context.Context, path string, block []byte) (*head, error) {
	if h.newest != nil && bytes.Equal(block, h.block) {
		return h.newest, nil
	}
	h.now, h.size, h.newest = &head{}, 0, nil
	h.decoder.SetEmitEnabled(true)
	if _, err := h.decoder.Write(block); err != nil {
		return nil, err
	}
	if err := h.decoder.Close(); err != nil {
		return nil, err
	}
	now := h.now
	now.plain = !now.large && now.judge(path)
	if now.plain {
		now.ctx = metadata.NewIncomingContext(ctx, now.metadata())
	}
	if indexed(block) {
		h.block, h.newest = append(h.block[:0], block...), now
	}
	return now, nil
}

// indexed reports whether a block consists of references to the tables alone.
func indexed(block []byte) bool {
	for _, b := range block {
		if b < 0x80 {
			return false
		}
	}
	return true
}

// write returns the block of a call that is passed on. It does not depend on any table. left is what is left of the call's timeout; 0
// leaves that as it came.
func (h *heads) write(of *head, left time.Duration) []byte {
	h.text.Reset()
	for _, f := range of.fields {
		if f.Name == "grpc-timeout" && left > 0 {
			f.Value = timeoutText(left)
		}
		_ = h.encoder.WriteField(f) // a buffer never fails
	}
	return h.text.Bytes()
}

// judge reports whether the headers have the usual form.
func (h *head) judge(path string) bool {
	var pseudo, regular, kinds int
	for _, f := range h.fields {
		if strings.HasPrefix(f.Name, ":") {
			if regular > 0 || !plainPseudo(f, path) {
				return false
			}
			pseudo++
			continue
		}
		regular++
		if f.Name == "content-type" {
			kinds++
		}
		if !h.judgeField(f) {
			return false
		}
	}
	return pseudo == 4 && kinds == 1 && h.once(":method", ":path", ":scheme", ":authority")
}

func (h *head) once(names ...string) bool {
	for _, name := range names {
		n := 0
		for _, f := range h.fields {
			if f.Name == name {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	return true
}

func plainPseudo(f hpack.HeaderField, path string) bool {
	switch f.Name {
	case ":method":
		return f.Value == "POST"
	case ":path":
		return f.Value == path
	case ":scheme":
		return f.Value == "http" || f.Value == "https"
	case ":authority":
		return f.Value != "" && httpguts.ValidHeaderFieldValue(f.Value)
	}
	return false
}

func (h *head) judgeField(f hpack.HeaderField) bool {
	switch f.Name {
	case "content-type":
		h.typed = f.Value == protobufType
		return h.typed || f.Value == grpcType
	case "te":
		return f.Value == "trailers"
	case "grpc-encoding":
		return f.Value == "identity"
	case "grpc-timeout":
		var ok bool
		known := h.timeout != 0
		h.timeout, ok = timeout(f.Value)
		return ok && !known
	case "connection", "host":
		return false
	}
	return !strings.HasSuffix(f.Name, "-bin") && lower(f.Name) && httpguts.ValidHeaderFieldValue(f.Value)
}

const (
	grpcType     = "application/grpc"
	protobufType = "application/grpc+proto"
)

func lower(name string) bool {
	return httpguts.ValidHeaderFieldName(name) && strings.ToLower(name) == name
}

// units are those of gRPC's timeouts.
var units = map[byte]time.Duration{
	'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
}

// timeout reads a timeout of gRPC's usual form.
func timeout(text string) (time.Duration, bool) {
	if len(text) < 2 || len(text) > mostDigits+1 {
		return 0, false
	}
	unit, ok := units[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 64)
	if !ok || err != nil || n == 0 || n > uint64(math.MaxInt64)/uint64(unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// mostDigits is the length of the number in a timeout.
const mostDigits = 8

// timeoutText writes a timeout, with the smallest unit that has room for it.
func timeoutText(t time.Duration) string {
	for _, unit := range "numSM" {
		if text := strconv.FormatInt(int64(t/units[byte(unit)]), 10); len(text) <= mostDigits {
			return text + string(unit)
		}
	}
	return strconv.FormatInt(int64(t/time.Hour), 10) + "H"
}

// metadata returns the headers as gRPC's server gives them to handlers.
func (h *head) metadata() metadata.MD {
	md := make(metadata.MD, len(h.fields))
	for _, f := range h.fields {
		switch f.Name {
		case ":method", ":path", ":scheme", "te", "grpc-encoding", "grpc-timeout", "grpc-message-type", "grpc-message", "grpc-status":
		default:
			md[f.Name] = append(md[f.Name], f.Value)
		}
	}
	return md
}
