package snippet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"conch/app/snippet"
	"conch/build/golden"
)

// TestGolden writes the request of every case of testdata in every language.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		var request snippet.Request
		if err := json.Unmarshal([]byte(c.Text(t, "request.json")), &request); err != nil {
			t.Fatal(err)
		}
		for _, language := range snippet.Languages() {
			text, err := snippet.Write(language, request)
			if err != nil {
				t.Fatalf("in %s: %v", language, err)
			}
			c.WantPart(language, text)
		}
	})
}

// A name that a URL would escape is reached by gRPC alone.
func TestNameInURL(t *testing.T) {
	for _, name := range []string{"my_model_数字", "a b", "q?x", "h#x", "p%41", "a+b"} {
		r := snippet.Request{Model: name, GRPCAddress: "127.0.0.1:8001"}
		if text, err := snippet.Write("curl", r); err == nil || !strings.Contains(err.Error(), "Copy the request as Python or grpcurl") {
			t.Errorf("%s: curl says %q, %v", name, text, err)
		}
		if text, err := snippet.Write("python", r); err != nil || !strings.Contains(text, "import tritonclient.grpc as triton") || !strings.Contains(text, `url="localhost:8001"`) && !strings.Contains(text, `url="127.0.0.1:8001"`) {
			t.Errorf("%s: Python says %q, %v", name, text, err)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	if _, err := snippet.Write("cobol", snippet.Request{}); err == nil || !strings.Contains(err.Error(), "curl, python, grpcurl") {
		t.Errorf("said %v", err)
	}
}

// generate_stream does not take every request. Then curl is refused with the reason, and the forms over gRPC are not.
func TestNoCurlForDecoupled(t *testing.T) {
	number := snippet.Input{Name: "N", Datatype: "FP32", Shape: []int64{1}, Raw: make([]byte, 4)}
	of := func(in snippet.Input, needsSequence bool, shape ...int64) snippet.Request {
		takes := snippet.Input{Name: in.Name, Datatype: in.Datatype, Shape: shape}
		return snippet.Request{Model: "m", Inputs: []snippet.Input{in}, Decoupled: &snippet.Decoupled{NeedsSequence: needsSequence, Inputs: []snippet.Input{takes}}}
	}
	half := snippet.Input{Name: "N", Datatype: "FP16", Shape: []int64{1}, Raw: make([]byte, 2)}
	nan := snippet.Input{Name: "N", Datatype: "FP32", Shape: []int64{1}, Raw: []byte{0, 0, 0xc0, 0x7f}}
	wide := snippet.Input{Name: "N", Datatype: "FP32", Shape: []int64{2, 2}, Raw: make([]byte, 16)}
	for _, c := range []struct {
		request     snippet.Request
		part        string
		always, can bool // no request of the model can be sent so; this one can
	}{
		{of(number, false, 1), "", false, true},
		{of(number, true, 1), "has no sequences", true, false},
		{of(half, false, 1), `takes no FP16, the type of the input "N"`, true, false},
		{of(nan, false, 1), `does not hold the values of the input "N"`, false, false},
		{of(wide, false, -1, -1), `does not give the input "N" the shape [2, 2]`, false, false},
		{of(wide, false, -1, 2), "", false, true},
		{of(wide, false, 2, 2), "", false, true},
	} {
		text, err := snippet.Write("curl", c.request)
		if c.can != (err == nil) || !c.can && (!strings.Contains(err.Error(), c.part) || !strings.Contains(err.Error(), "Python or grpcurl")) {
			t.Errorf("%v: curl says %q, %v; want %q", c.request, text, err, c.part)
		}
		if why := snippet.NoCurl("m", c.request.Decoupled); c.always != strings.Contains(why, "decoupled") {
			t.Errorf("%v: of the model it says %q", c.request, why)
		}
		for _, language := range []string{"python", "grpcurl"} {
			if _, err := snippet.Write(language, c.request); err != nil {
				t.Errorf("%v in %s: %v", c.request, language, err)
			}
		}
	}
}
