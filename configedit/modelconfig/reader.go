package modelconfig

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// reader takes values from a row of tokens exactly as the C++ TextFormat parser
// does (text_format.cc, ParserImpl), with its words where it refuses. Both the
// tolerant decoder and the verdict use it, so that they cannot disagree.
type reader struct {
	doc *text.Document
	pos int
}

// reason says why a value was refused.
type reason uint8

const (
	wrongToken    reason = iota // another kind of word was expected
	outOfRange                  // an integer too large or malformed
	unknownWord                 // no such enumerator
	unknownBool                 // a word that is neither true nor false
	hexFloat                    // a hexadecimal or octal float
	missingSymbol               // a bracket or colon was expected
)

// refusal is the place where the C++ parser stops, and its sentence.
type refusal struct {
	reason reason
	// index is the index of the token at which it stops.
	index    int
	sentence string
}

func (r *reader) current() text.Token { return r.doc.Tokens[r.pos] }

// word is the text of the current token as C++ has it: one slash where a
// comment of another language stands.
func (r *reader) word() string {
	if _, ok := r.doc.Foreign(r.pos); ok {
		return "/"
	}
	return r.doc.Text(r.current())
}

func (r *reader) looking(kind text.Kind) bool {
	if _, ok := r.doc.Foreign(r.pos); ok {
		return false
	}
	return r.current().Kind == kind
}

func (r *reader) lookingAt(symbol string) bool {
	return r.looking(text.Symbol) && r.word() == symbol
}

func (r *reader) tryConsume(symbol string) bool {
	if !r.lookingAt(symbol) {
		return false
	}
	r.pos++
	return true
}

func (r *reader) consume(symbol string) *refusal {
	if r.tryConsume(symbol) {
		return nil
	}
	return r.refuse(missingSymbol, "Expected \"%s\", found \"%s\".", symbol, r.word())
}

func (r *reader) refuse(why reason, format string, args ...any) *refusal {
	return &refusal{reason: why, index: r.pos, sentence: fmt.Sprintf(format, args...)}
}

func (r *reader) identifier() (string, *refusal) {
	if !r.looking(text.Identifier) {
		return "", r.refuse(wrongToken, "Expected identifier, got: %s", r.word())
	}
	word := r.word()
	r.pos++
	return word, nil
}

// scalar reads the value of a field that is not a message.
func (r *reader) scalar(fd protoreflect.FieldDescriptor) (protoreflect.Value, *refusal) {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return r.str()
	case protoreflect.BoolKind:
		return r.boolean(fd)
	case protoreflect.EnumKind:
		return r.enum(fd)
	case protoreflect.FloatKind:
		v, no := r.double()
		return protoreflect.ValueOfFloat32(float32(v)), no
	case protoreflect.DoubleKind:
		v, no := r.double()
		return protoreflect.ValueOfFloat64(v), no
	}
	return r.integer(fd)
}

func (r *reader) integer(fd protoreflect.FieldDescriptor) (protoreflect.Value, *refusal) {
	switch fd.Kind() {
	case protoreflect.Int32Kind:
		v, no := r.signed(math.MaxInt32)
		return protoreflect.ValueOfInt32(int32(v)), no
	case protoreflect.Int64Kind:
		v, no := r.signed(math.MaxInt64)
		return protoreflect.ValueOfInt64(v), no
	case protoreflect.Uint32Kind:
		v, no := r.unsigned(math.MaxUint32)
		return protoreflect.ValueOfUint32(uint32(v)), no
	}
	v, no := r.unsigned(math.MaxUint64)
	return protoreflect.ValueOfUint64(v), no
}

func (r *reader) signed(most uint64) (int64, *refusal) {
	negative := r.tryConsume("-")
	if negative {
		most++
	}
	v, no := r.unsigned(most)
	if negative {
		return -int64(v), no
	}
	return int64(v), no
}

func (r *reader) unsigned(most uint64) (uint64, *refusal) {
	if !r.looking(text.Integer) {
		return 0, r.refuse(wrongToken, "Expected integer, got: %s", r.word())
	}
	v, ok := parseInteger(r.word(), most)
	if !ok {
		return 0, r.refuse(outOfRange, "Integer out of range (%s)", r.word())
	}
	r.pos++
	return v, nil
}

// parseInteger is Tokenizer::ParseInteger: decimal, octal or hexadecimal.
func parseInteger(word string, most uint64) (uint64, bool) {
	base, digits := 10, word
	if strings.HasPrefix(word, "0x") || strings.HasPrefix(word, "0X") {
		base, digits = 16, word[2:]
	} else if word[0] == '0' {
		base = 8
	}
	if digits == "" {
		return 0, true // the tokenizer has refused a bare 0x, and C++ reads on
	}
	v, err := strconv.ParseUint(digits, base, 64)
	return v, err == nil && v <= most
}

func (r *reader) double() (float64, *refusal) {
	sign := 1.0
	if r.tryConsume("-") {
		sign = -1
	}
	word := r.word()
	switch {
	case r.looking(text.Integer):
		if len(word) > 1 && word[0] == '0' && strings.IndexByte("xX01234567", word[1]) >= 0 {
			return 0, r.refuse(hexFloat, "Expect a decimal number, got: %s", word)
		}
	case r.looking(text.Float):
	case r.looking(text.Identifier):
		word = strings.ToLower(word)
		if word != "inf" && word != "infinity" && word != "nan" {
			return 0, r.refuse(wrongToken, "Expected double, got: %s", word)
		}
	default:
		return 0, r.refuse(wrongToken, "Expected double, got: %s", word)
	}
	r.pos++
	if r.doc.Tokens[r.pos-1].Kind != text.Identifier {
		word = strings.TrimRight(word, "fF")
	}
	v, _ := strconv.ParseFloat(word, 64) // out of range gives infinity, as in C++
	return sign * v, nil
}

func (r *reader) boolean(fd protoreflect.FieldDescriptor) (protoreflect.Value, *refusal) {
	if r.looking(text.Integer) {
		v, no := r.unsigned(1)
		return protoreflect.ValueOfBool(v == 1), no
	}
	word, no := r.identifier()
	if no != nil {
		return protoreflect.ValueOfBool(false), no
	}
	switch word {
	case "true", "True", "t":
		return protoreflect.ValueOfBool(true), nil
	case "false", "False", "f":
		return protoreflect.ValueOfBool(false), nil
	}
	return protoreflect.ValueOfBool(false),
		r.refuse(unknownBool, "Invalid value for boolean field \"%s\". Value: \"%s\".", fd.Name(), word)
}

func (r *reader) enum(fd protoreflect.FieldDescriptor) (protoreflect.Value, *refusal) {
	none := protoreflect.ValueOfEnum(0)
	if r.looking(text.Identifier) {
		word, _ := r.identifier()
		if v := fd.Enum().Values().ByName(protoreflect.Name(word)); v != nil {
			return protoreflect.ValueOfEnum(v.Number()), nil
		}
		return none, r.refuse(unknownWord, "Unknown enumeration value of \"%s\" for field \"%s\".", word, fd.Name())
	}
	if !r.lookingAt("-") && !r.looking(text.Integer) {
		return none, r.refuse(wrongToken, "Expected integer or identifier, got: %s", r.word())
	}
	v, no := r.signed(math.MaxInt32)
	return protoreflect.ValueOfEnum(protoreflect.EnumNumber(v)), no
}

func (r *reader) str() (protoreflect.Value, *refusal) {
	if !r.looking(text.String) {
		return protoreflect.ValueOfString(""), r.refuse(wrongToken, "Expected string, got: %s", r.word())
	}
	first := text.Unquote(r.word())
	r.pos++
	if !r.looking(text.String) {
		return protoreflect.ValueOfString(first), nil
	}
	var b strings.Builder
	b.WriteString(first)
	for r.looking(text.String) {
		b.WriteString(text.Unquote(r.word()))
		r.pos++
	}
	return protoreflect.ValueOfString(b.String()), nil
}
