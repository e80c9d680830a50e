package tensorjson_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"conch/app/tensorjson"
)

func TestEncode(t *testing.T) {
	for _, test := range []struct {
		datatype string
		shape    []int64
		json     string
		want     string // hex
	}{
		{"INT32", []int64{1, 2}, "[[1, -2]]", "01000000feffffff"},
		{"INT32", []int64{2}, " [1,\n-2] ", "01000000feffffff"},
		{"INT32", nil, "7", "07000000"},
		{"INT64", []int64{1}, "[9223372036854775807]", "ffffffffffffff7f"},
		{"UINT64", []int64{1}, "[18446744073709551615]", "ffffffffffffffff"},
		{"INT8", []int64{2}, "[-128, 127]", "807f"},
		{"FP32", []int64{4}, "[1.5, NaN, Infinity, -Infinity]", "0000c03f0000c07f0000807f000080ff"},
		{"FP64", []int64{1}, "[Infinity]", "000000000000f07f"},
		{"FP16", []int64{4}, "[1, 65504, Infinity, 6e-8]", "003cff7b007c0100"},
		{"BF16", []int64{2}, "[1, 3.14159]", "803f4940"},
		{"BOOL", []int64{3}, "[true, false, 1]", "010001"},
		{"BYTES", []int64{2}, `["añ", "\u0000\""]`, "0300000061c3b1" + "020000000022"},
		{"FP32", []int64{0}, "[]", ""},
		{"FP32", []int64{2, 0}, "[[],[]]", ""},
	} {
		got, err := tensorjson.Encode(tensorjson.Tensor{Datatype: test.datatype, Shape: test.shape, JSON: test.json})
		if err != nil || hex.EncodeToString(got) != test.want {
			t.Errorf("%s %s gives %x, %v; want %s", test.datatype, test.json, got, err, test.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, test := range []struct {
		datatype string
		shape    []int64
		json     string
		want     string
	}{
		{"FP32", []int64{1, 64}, "[1, 2, 3]", "the shape [1, 64] takes 64 elements, 3 were given"},
		{"INT32", []int64{2}, "[1, 2.5]", "element 2 is 2.5: INT32 takes whole numbers from -2147483648 to 2147483647"},
		{"UINT8", []int64{1}, "[256]", "element 1 is 256: UINT8 takes whole numbers from 0 to 255"},
		{"UINT8", []int64{1}, "[-1]", "from 0 to 255"},
		{"INT32", []int64{1}, "[true]", "INT32 takes numbers"},
		{"FP16", []int64{1}, "[70000]", "element 1 is 70000: FP16 ends at 65504; write Infinity to send an infinity"},
		{"FP16", []int64{2}, "[1, -65520]", "element 2 is -65520: FP16 ends at -65504; write -Infinity"},
		{"BF16", []int64{1}, "[3.4e38]", "BF16 ends at 3.39e38"},
		{"FP32", []int64{1}, "[1e39]", "FP32 ends at 3.4e38"},
		{"FP64", []int64{1}, "[1e400]", "FP64 ends at 1.8e308"},
		{"FP32", []int64{1}, `["1"]`, "FP32 takes numbers, NaN"},
		{"FP32", []int64{1}, "[0x10]", "element 1 is 0x10"},
		{"FP32", []int64{1}, "[null]", "element 1 is null"},
		{"BYTES", []int64{1}, "[1]", "BYTES takes strings in double quotes"},
		{"FP31", []int64{1}, "[1]", `"FP31" is not a data type`},
		{"FP32", []int64{-1}, "[1]", "dimension 1 of the shape is -1"},
		{"FP32", []int64{1 << 40, 1 << 40}, "[1]", "has more than"},
		{"FP32", []int64{1}, "[1", "closing bracket ] is missing"},
		{"FP32", []int64{1}, "[1]]", "nothing may follow"},
		{"FP32", []int64{1}, "[1,]", "a value is expected at line 1, column 4"},
		{"FP32", []int64{1}, "[1 2]", "a comma or ] is expected"},
		{"FP32", []int64{1}, "", "there are no values"},
		{"FP32", []int64{1}, `{"a": 1}`, "a value is expected"},
		{"FP32", []int64{1}, strings.Repeat("[", 1000), "nested too deeply"},
		{"BYTES", []int64{1}, `["a`, "closing quote is missing"},
	} {
		_, err := tensorjson.Encode(tensorjson.Tensor{Datatype: test.datatype, Shape: test.shape, JSON: test.json})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v %q gives %v; want %q", test.datatype, test.shape, test.json, err, test.want)
		}
	}
}

func TestHalvesSurviveTheRoundTrip(t *testing.T) {
	for _, typ := range []string{"FP16", "BF16"} {
		for v := range 1 << 16 {
			raw := []byte{byte(v), byte(v >> 8)}
			list, plain, err := tensorjson.Literals(typ, raw)
			if err != nil {
				t.Fatal(err)
			}
			back, err := tensorjson.Encode(tensorjson.Tensor{Datatype: typ, Shape: []int64{1}, JSON: "[" + list[0] + "]"})
			if err != nil {
				t.Fatalf("%s %04x is %s: %v", typ, v, list[0], err)
			}
			if list[0] != "NaN" && !bytes.Equal(back, raw) || plain != (list[0] != "NaN" && !strings.Contains(list[0], "Inf")) {
				t.Fatalf("%s %04x is %s, comes back as %x", typ, v, list[0], back)
			}
		}
	}
}

func TestLiteralsAreShort(t *testing.T) {
	for _, test := range []struct{ typ, raw, want string }{
		{"FP16", "ff7b", "65504"},
		{"FP16", "662e", "0.1"},
		{"BF16", "4940", "3.14"},
		{"FP32", "cdcccc3d", "0.1"},
		{"FP32", "0000803f", "1"},
		{"FP64", "333333333333d33f", "0.3"},
	} {
		raw, err := hex.DecodeString(test.raw)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := tensorjson.Literals(test.typ, raw)
		if err != nil || list[0] != test.want {
			t.Errorf("%s %s is written %v, %v; want %s", test.typ, test.raw, list, err, test.want)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("FP32", "[1.5, [NaN], -0]")
	f.Add("BYTES", `["a", "\ud800"]`)
	f.Add("INT64", "[[[1]],2]")
	f.Add("BOOL", "[true,false")
	f.Fuzz(func(t *testing.T, typ, json string) {
		for n := range int64(4) {
			raw, err := tensorjson.Encode(tensorjson.Tensor{Datatype: typ, Shape: []int64{n}, JSON: json})
			if err != nil {
				continue
			}
			list, _, err := tensorjson.Literals(typ, raw)
			if err != nil || int64(len(list)) != n {
				t.Fatalf("%q gives %x, which reads as %v, %v", json, raw, list, err)
			}
			again, err := tensorjson.Encode(tensorjson.Tensor{Datatype: typ, Shape: []int64{n}, JSON: "[" + strings.Join(list, ",") + "]"})
			if err != nil || len(again) != len(raw) {
				t.Fatalf("%v gives %x, %v; was %x", list, again, err, raw)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	values := make([]string, 3*224*224)
	for i := range values {
		values[i] = "0.12345678"
	}
	in := tensorjson.Tensor{Datatype: "FP32", Shape: []int64{int64(len(values))}, JSON: "[" + strings.Join(values, ",") + "]"}
	for b.Loop() {
		if _, err := tensorjson.Encode(in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(math.Round(float64(len(values))), "elements")
}
