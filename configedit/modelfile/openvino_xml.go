package modelfile

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
)

// What is read of a model.xml is bounded: a small file could have elements without an end in one another, or a list that takes a hundred
// times its size. Real models have far less.
const (
	maxXMLDepth = 100
	maxXMLToken = 1 << 20 // bytes of a tag with its attributes, or of the text between two
)

// xmlTokens are the tokens of an XML file, within these bounds.
type xmlTokens struct {
	*xml.Decoder
	depth int
	in    *xmlBytes
}

// xmlBytes are the bytes of the file. It counts those of one token.
type xmlBytes struct {
	*bufio.Reader
	spent int
}

func newXMLTokens(r io.Reader) *xmlTokens {
	in := &xmlBytes{Reader: bufio.NewReader(r)}
	d := xml.NewDecoder(in)
	d.CharsetReader = func(name string, _ io.Reader) (io.Reader, error) {
		return nil, &Error{Unjudged: true, Message: fmt.Sprintf("the file says that its encoding is %.40q, and Conch reads UTF-8 alone", name)}
	}
	return &xmlTokens{Decoder: d, in: in}
}

// ReadByte implements io.ByteReader, which the decoder reads by.
func (b *xmlBytes) ReadByte() (byte, error) {
	if b.spent++; b.spent > maxXMLToken {
		return 0, &Error{Unjudged: true, Message: fmt.Sprintf("the file has a tag or a text of more than %d MiB, which Conch does not read", maxXMLToken>>20)}
	}
	return b.Reader.ReadByte()
}

// Token implements xml.TokenReader.
func (t *xmlTokens) Token() (xml.Token, error) {
	t.in.spent = 0
	token, err := t.Decoder.Token()
	switch token.(type) {
	case xml.StartElement:
		if t.depth++; t.depth > maxXMLDepth {
			return nil, &Error{Offset: t.InputOffset(), Unjudged: true, Message: fmt.Sprintf("the file has more than %d elements in one another, which Conch does not read", maxXMLDepth)}
		}
	case xml.EndElement:
		t.depth--
	}
	return token, err
}

// xmlList are elements of one kind in another one.
type xmlList[T any] []T

// UnmarshalXML implements xml.Unmarshaler: it adds an element.
func (l *xmlList[T]) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	if len(*l) == maxTensors {
		return &Error{Unjudged: true, Message: fmt.Sprintf("the file has a list of more than %d <%s>, which Conch does not read", maxTensors, start.Name.Local)}
	}
	var one T
	if err := d.DecodeElement(&one, &start); err != nil {
		return err
	}
	*l = append(*l, one)
	return nil
}
