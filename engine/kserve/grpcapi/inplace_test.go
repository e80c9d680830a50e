package grpcapi

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
)

// encoded returns the parts of a request: its other fields, and each of its tensors.
func encoded(t testing.TB, tensors ...[]byte) [][]byte {
	t.Helper()
	m := &kservepb.ModelInferRequest{ModelName: "m", Id: "7", Inputs: []*kservepb.ModelInferRequest_InferInputTensor{
		{Name: "IN", Datatype: "UINT8", Shape: []int64{1, 3}},
	}}
	text, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	parts := [][]byte{text}
	for _, data := range tensors {
		tag := protowire.AppendTag(nil, rawInputContents, protowire.BytesType)
		parts = append(parts, protowire.AppendBytes(tag, data))
	}
	return parts
}

// Any bytes are read as the protobuf package reads them, whatever the order of their fields.
func FuzzUnmarshalInPlace(f *testing.F) {
	parts := encoded(f, []byte("abc"), nil, []byte("de"))
	f.Add(slices.Concat(parts...))
	f.Add(slices.Concat(parts[1], parts[0], parts[3], parts[0]))
	f.Add(slices.Concat(parts...)[:20])
	f.Add([]byte("\x38\x01\x3d1234"))
	f.Fuzz(func(t *testing.T, text []byte) {
		want, got := new(kservepb.ModelInferRequest), new(kservepb.ModelInferRequest)
		wrong, err := proto.Unmarshal(text, want), unmarshalInPlace(text, got)
		if (wrong == nil) != (err == nil) {
			t.Fatalf("%v, want %v", err, wrong)
		}
		if err == nil && !proto.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// in16KB returns a message in the pieces in which gRPC has received it.
func in16KB(message []byte) (pieces mem.BufferSlice) {
	for part := range slices.Chunk(message, 16<<10) {
		pieces = append(pieces, mem.Copy(part, &shared))
	}
	return pieces
}

// allocated returns how many bytes a call of f allocates, on average of many calls.
func allocated(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would empty the pool
	const runs = 100
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}

// A request with a large tensor is read into memory of the request before it, and its tensor is a part of this memory.
func TestLargeTensorsAreNotCopiedAgain(t *testing.T) {
	const size = 1 << 20
	tensor := bytes.Repeat([]byte("12345678"), size/8)
	message := slices.Concat(encoded(t, tensor)...)
	c := newCodec()
	bytesOf := allocated(func() {
		pieces := in16KB(message)
		in := &received{message: new(kservepb.ModelInferRequest)}
		if err := c.Unmarshal(pieces, in); err != nil || in.err != nil {
			t.Fatal(err, in.err)
		}
		pieces.Free()
		if got := in.message.(*kservepb.ModelInferRequest).RawInputContents; len(got) != 1 || !bytes.Equal(got[0], tensor) {
			t.Fatal("another tensor was read")
		}
		in.close()
		in.close() // changes nothing
	})
	if bytesOf >= size { // the race detector has a pool lose a quarter of what it gets
		t.Errorf("a request of %d bytes allocates %d bytes", size, bytesOf)
	}
}

// An answer with a large tensor is written into memory of the answer before it.
func TestLargeAnswersReuseMemory(t *testing.T) {
	const size = 3 << 20
	answer := &kservepb.ModelInferResponse{ModelName: "m", RawOutputContents: [][]byte{bytes.Repeat([]byte("1"), size)}}
	want, err := proto.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := allocated(func() {
		out, err := new(call).write(answer, nil)
		if err != nil || !bytes.Equal(out.data[0].ReadOnlyData(), want) {
			t.Fatal("another answer was written", err)
		}
		out.free()
	})
	if bytesOf > size/2 {
		t.Errorf("an answer of %d bytes allocates %d bytes", size, bytesOf)
	}
}

// A buffer is used again for a size near its own, and has at most twice the size that was asked for. Very large ones are not kept.
func TestBuffers(t *testing.T) {
	var pool buffers
	for _, size := range []int{0, 1, smallestKept, 5000, 16 << 10, evenSize, evenSize + 1, 4<<20 + 100, 16<<20 + 100, largestKept, largestKept + 1} {
		b := pool.Get(size)
		if len(*b) != size || cap(*b) > max(2*size, 2*smallestKept) {
			t.Errorf("for %d bytes, a buffer of %d with room for %d", size, len(*b), cap(*b))
		}
		pool.Put(b)
		if again := pool.Get(max(size-1, 0)); size > largestKept && again == b {
			t.Errorf("a buffer of %d bytes is kept", size)
		}
		if again := pool.Get(size); len(*again) != size {
			t.Errorf("for %d bytes, a buffer of %d", size, len(*again))
		}
	}
}
