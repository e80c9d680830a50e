package grpcapi

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"conch/engine/kserve/kservepb"
)

// named is the field of an ID.
func named(id string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, requestID, protowire.BytesType), id)
}

// message returns a request with a name, an ID and one tensor.
func message(t testing.TB, name, id, data string) []byte {
	t.Helper()
	in := &kservepb.ModelInferRequest_InferInputTensor{Name: "IN", Datatype: "UINT8", Shape: []int64{1, int64(len(data))}}
	text, err := proto.Marshal(&kservepb.ModelInferRequest{
		ModelName: name, Id: id, Inputs: []*kservepb.ModelInferRequest_InferInputTensor{in}, RawInputContents: [][]byte{[]byte(data)},
		Parameters: map[string]*kservepb.InferParameter{"p": parameter(int64(len(name)))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Any bytes are read as the protobuf package reads them, also when they come again.
func FuzzKnown(f *testing.F) {
	parts := encoded(f, []byte("abc"), nil, []byte("de"))
	f.Add(slices.Concat(parts...), "a", "b")
	f.Add(slices.Concat(parts[1], parts[0]), "a", "a")
	f.Add(message(f, "m", "", "abc"), "", "\xff")
	f.Add(message(f, "m", "7", "abc"), "", "")
	f.Add([]byte("\x0a\x01m\x38\x01\x3d1234"), "x", "y")
	f.Fuzz(func(t *testing.T, text []byte, first, second string) {
		known := newKnownRequests()
		for _, id := range []string{first, first, second, first} {
			for _, whole := range [][]byte{text, append(named(id), text...), append(slices.Clone(text), named(id)...)} {
				checkKnown(t, known, whole)
			}
		}
	})
}

// checkKnown reads a message, and compares it with what the protobuf package reads. It reports whether its text was known.
func checkKnown(t *testing.T, known knownRequests, whole []byte) (read bool) {
	t.Helper()
	want, got := new(kservepb.ModelInferRequest), new(kservepb.ModelInferRequest)
	err := proto.Unmarshal(whole, want)
	weighs, read := known.read(whole, got)
	switch {
	case !read:
		return false
	case err != nil:
		t.Fatalf("%q was read, want %v", whole, err)
	case !proto.Equal(got, want):
		t.Fatalf("%q: %v, want %v", whole, got, want)
	case weighs != weight(whole, want.ProtoReflect().Descriptor()):
		t.Fatalf("%q weighs %d, want %d", whole, weighs, weight(whole, want.ProtoReflect().Descriptor()))
	}
	return true
}

// From the third time on a request is not decoded that differs from earlier ones in its ID and its tensors alone. One that is long, heavy or
// of an unusual form is always decoded.
func TestKnownRequests(t *testing.T) {
	all := map[string]knownRequests{} // of their own, since one of them could take another's place
	for i := range 4 {
		for name, c := range map[string]struct {
			text  []byte
			known bool
		}{
			"no ID":           {message(t, "m", "", fmt.Sprint(i)), true},
			"an ID":           {message(t, "n", fmt.Sprint(i), "abc"), true},
			"another name":    {message(t, fmt.Sprint("m", i), "", "abc"), false},
			"long":            {message(t, strings.Repeat("m", 2000), "", "abc"), false},
			"heavy":           {slices.Repeat([]byte("\x2a\x00"), 400), false},
			"the ID at last":  {append(message(t, "o", "", "abc"), named("7")...), false},
			"two IDs":         {append(append(append([]byte(nil), "\x0a\x01p"...), named("7")...), named("8")...), false},
			"an ID not UTF-8": {append([]byte("\x0a\x01q"), named("\xff")...), false},
		} {
			if i == 0 {
				all[name] = newKnownRequests()
			}
			if read := checkKnown(t, all[name], c.text); read != (c.known && i > 0) {
				t.Errorf("%s, time %d: read without decoding: %v", name, i, read)
			}
		}
	}
}

// What was read stays what it was when the memory of its message belongs to another one.
func TestKnownRequestsStay(t *testing.T) {
	known := newKnownRequests()
	for i := range 3 {
		whole, m := message(t, "m", "7", "abc"), new(kservepb.ModelInferRequest)
		_, read := known.read(whole, m)
		m.RawInputContents = nil // which borrow it
		want := proto.Clone(m)
		clear(whole)
		if !proto.Equal(m, want) || read && m.GetInputs()[0].GetName() != "IN" {
			t.Errorf("time %d: %v, want %v", i, m, want)
		}
	}
}

// Several goroutines read the same requests.
func TestKnownRequestsByMany(t *testing.T) {
	known := newKnownRequests()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2000 {
				checkKnown(t, known, message(t, fmt.Sprint(i/3%100), fmt.Sprint(i), "abc"))
			}
		})
	}
	all.Wait()
}
