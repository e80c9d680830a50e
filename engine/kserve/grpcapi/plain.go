package grpcapi

import (
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// plain is an answer that is encoded without a message of the protobuf package: one without parameters, whose names are UTF-8. The bytes are
// those that the package writes.
type plain struct {
	f       *inference
	r       *infer.Response
	version string
}

// Numbers of fields of ModelInferResponse, and of its InferOutputTensor.
const (
	answerModel    protowire.Number = 1
	answerVersion  protowire.Number = 2
	answerID       protowire.Number = 3
	answerOutput   protowire.Number = 5
	answerRaw      protowire.Number = 6
	outputName     protowire.Number = 1
	outputDatatype protowire.Number = 2
	outputShape    protowire.Number = 3
)

// plainly returns an answer that can be encoded so.
func (f *inference) plainly(r *infer.Response) (p plain, ok bool) {
	if len(r.Parameters) > 0 || !utf8.ValidString(r.Model) || !utf8.ValidString(f.ID) {
		return p, false
	}
	for i := range r.Outputs {
		if !utf8.ValidString(r.Outputs[i].Name) {
			return p, false
		}
	}
	return plain{f, r, strconv.FormatInt(r.Version, 10)}, true
}

// content returns what an answer has of an output: one in shared memory has nothing here.
func (p *plain) content(t *tensor.Tensor) []byte {
	if p.f.InRegion(t.Name) {
		return nil
	}
	return t.Data
}

func (p *plain) size() int {
	n := sizeOfText(p.r.Model) + sizeOfText(p.version) + sizeOfText(p.f.ID)
	for i := range p.r.Outputs {
		t := &p.r.Outputs[i]
		n += fieldSize(sizeOfOutput(t)) + fieldSize(len(p.content(t)))
	}
	return n
}

func (p *plain) appendTo(b []byte) []byte {
	b = appendText(b, answerModel, p.r.Model)
	b = appendText(b, answerVersion, p.version)
	b = appendText(b, answerID, p.f.ID)
	for i := range p.r.Outputs {
		t := &p.r.Outputs[i]
		b = appendLength(b, answerOutput, sizeOfOutput(t))
		b = appendText(b, outputName, t.Name)
		b = appendText(b, outputDatatype, t.Type.String())
		if len(t.Shape) > 0 {
			b = appendLength(b, outputShape, sizeOfShape(t.Shape))
			for _, d := range t.Shape {
				b = protowire.AppendVarint(b, uint64(d))
			}
		}
	}
	for i := range p.r.Outputs {
		content := p.content(&p.r.Outputs[i])
		b = append(appendLength(b, answerRaw, len(content)), content...)
	}
	return b
}

func sizeOfOutput(t *tensor.Tensor) int {
	n := sizeOfText(t.Name) + sizeOfText(t.Type.String())
	if len(t.Shape) > 0 {
		n += fieldSize(sizeOfShape(t.Shape))
	}
	return n
}

func sizeOfShape(shape tensor.Shape) (n int) {
	for _, d := range shape {
		n += protowire.SizeVarint(uint64(d))
	}
	return n
}

// sizeOfText is the size of a field with a text, which is left out when it is empty.
func sizeOfText(text string) int {
	if text == "" {
		return 0
	}
	return fieldSize(len(text))
}

func appendText(b []byte, number protowire.Number, text string) []byte {
	if text == "" {
		return b
	}
	return append(appendLength(b, number, len(text)), text...)
}

// fieldSize is the size of a field with so many bytes. The numbers of all fields here take one byte.
func fieldSize(content int) int { return 1 + protowire.SizeBytes(content) }

// appendLength begins a field with so many bytes.
func appendLength(b []byte, number protowire.Number, content int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.BytesType), uint64(content))
}
