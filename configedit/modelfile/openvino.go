package modelfile

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"conch/configedit/modelconfig"
)

// OpenVINO is what an OpenVINO model, a model.xml, says of its inputs and outputs. One without dims is a scalar; where the
// file may also mean any number of dimensions, it is not Shaped.
type OpenVINO struct {
	Inputs, Outputs []Tensor
	// Batches reports whether the file gives each of them a layout with the dimension N.
	Batches bool
}

// maxOpenVINO bounds the file: it holds no weights, and those of the largest models have some 10 MB.
const maxOpenVINO = 32 << 20

// openVINOTypes are the names of element types: those of ports, which are written in small letters elsewhere.
var openVINOTypes = map[string]modelconfig.DataType{
	"BOOL": modelconfig.DataType_TYPE_BOOL, "BOOLEAN": modelconfig.DataType_TYPE_BOOL,
	"U8": modelconfig.DataType_TYPE_UINT8, "U16": modelconfig.DataType_TYPE_UINT16, "U32": modelconfig.DataType_TYPE_UINT32, "U64": modelconfig.DataType_TYPE_UINT64,
	"I8": modelconfig.DataType_TYPE_INT8, "I16": modelconfig.DataType_TYPE_INT16, "I32": modelconfig.DataType_TYPE_INT32, "I64": modelconfig.DataType_TYPE_INT64,
	"FP16": modelconfig.DataType_TYPE_FP16, "FP32": modelconfig.DataType_TYPE_FP32, "FP64": modelconfig.DataType_TYPE_FP64,
	"F16": modelconfig.DataType_TYPE_FP16, "F32": modelconfig.DataType_TYPE_FP32, "F64": modelconfig.DataType_TYPE_FP64,
}

// xmlLayer is an operation of the model. Graphs inside of it, as of a loop, are left out.
type xmlLayer struct {
	ID    string           `xml:"id,attr"`
	Name  string           `xml:"name,attr"`
	Type  string           `xml:"type,attr"`
	Names string           `xml:"output_names,attr"` // of an output, since 2024
	Data  xmlData          `xml:"data"`
	In    xmlList[xmlPort] `xml:"input>port"`
	Out   xmlList[xmlPort] `xml:"output>port"`
}

type xmlData struct {
	Shape   string `xml:"shape,attr"`
	Element string `xml:"element_type,attr"`
}

type xmlPort struct {
	ID        string                `xml:"id,attr"`
	Precision string                `xml:"precision,attr"`
	Names     string                `xml:"names,attr"`
	Dims      xmlList[string]       `xml:"dim"`
	Notes     xmlList[xmlAttribute] `xml:"rt_info>attribute"`
}

// xmlAttribute is what else the file says of a port, such as its layout.
type xmlAttribute struct {
	Name   string `xml:"name,attr"`
	Layout string `xml:"layout,attr"`
}

type xmlEdge struct {
	From string `xml:"from-layer,attr"`
	Port string `xml:"from-port,attr"`
	To   string `xml:"to-layer,attr"`
}

// ReadOpenVINO reads the inputs and outputs of a model.xml. It never panics; an error is an *Error, or the error of r.
func ReadOpenVINO(r io.ReaderAt, size int64) (*OpenVINO, error) {
	switch {
	case size <= 0:
		return nil, &Error{Truncated: true, Message: "the file is empty"}
	case size > maxOpenVINO:
		return nil, &Error{Unjudged: true, Message: fmt.Sprintf("the file has %d MiB, and Conch reads %d MiB of such a file", size>>20, maxOpenVINO>>20)}
	}
	if err := cmp.Or(lfsPointer(r), noXML(r)); err != nil {
		return nil, err
	}
	tokens := newXMLTokens(io.NewSectionReader(r, 0, size))
	v := &openVINOFile{d: xml.NewTokenDecoder(tokens), names: map[string]string{}, batches: map[string]bool{}, from: map[string]string{}}
	err := v.read()
	var syntax *xml.SyntaxError
	var own *Error
	switch {
	case errors.As(err, &own):
		return nil, own
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"), errors.Is(err, io.EOF):
		return nil, &Error{Offset: size, Truncated: true, Message: "the file ends inside the model: it was cut off or is still being copied"}
	case errors.As(err, &syntax):
		return nil, &Error{Offset: tokens.InputOffset(), Message: fmt.Sprintf("line %d is no XML: %s", syntax.Line, syntax.Msg)}
	case err != nil && strings.HasPrefix(err.Error(), "xml: "): // such as a later version of XML
		return nil, &Error{Offset: tokens.InputOffset(), Unjudged: true, Message: "Conch does not read such XML: " + strings.TrimPrefix(err.Error(), "xml: ")}
	case err != nil:
		return nil, err
	}
	return v.model(), nil
}

// noXML refuses a file that does not begin as XML does. OpenVINO knows models of ONNX by their bytes, whatever the file is called.
func noXML(r io.ReaderAt) error {
	head := make([]byte, 64)
	n, _ := r.ReadAt(head, 0)
	text := bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) == 0 || text[0] == '<' {
		return nil
	}
	return &Error{Unjudged: text[0] < ' ', Message: "this is not an OpenVINO model: it is no XML"}
}

// openVINOFile is a model.xml while it is read.
type openVINOFile struct {
	d       *xml.Decoder
	inputs  []xmlLayer
	results []xmlLayer
	names   map[string]string // of an output port: the names that the file gives it, by layer and port
	batches map[string]bool   // of an output port: whether its layout has the dimension N
	from    map[string]string // of a layer: the port that its only input comes from
}

// read reads the file to the end of the model.
func (v *openVINOFile) read() error {
	for depth := 0; ; {
		token, err := v.d.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.EndElement:
			if depth--; depth == 0 {
				return nil
			}
		case xml.StartElement:
			inside, err := v.element(token, depth)
			if err != nil {
				return err
			}
			if inside {
				depth++
			}
		}
	}
}

// element reads an element whole, or reports that what is inside comes next.
func (v *openVINOFile) element(start xml.StartElement, depth int) (inside bool, err error) {
	name := start.Name.Local
	switch {
	case depth == 0 && name != "net":
		return false, &Error{Message: fmt.Sprintf("this is not an OpenVINO model: it begins with <%s>, not with <net>", name)}
	case depth == 0, depth == 1 && (name == "layers" || name == "edges"):
		return true, nil
	case depth == 2 && name == "layer":
		return false, v.layer(start)
	case depth == 2 && name == "edge":
		var e xmlEdge
		err := v.d.DecodeElement(&e, &start)
		v.from[e.To] = e.From + ":" + e.Port
		return false, err
	}
	return false, v.d.Skip()
}

func (v *openVINOFile) layer(start xml.StartElement) error {
	var l xmlLayer
	if err := v.d.DecodeElement(&l, &start); err != nil {
		return err
	}
	switch l.Type {
	case "Parameter":
		v.inputs = append(v.inputs, l)
	case "Result":
		v.results = append(v.results, l)
	}
	for _, port := range l.Out {
		if port.Names != "" {
			v.names[l.ID+":"+port.ID] = port.Names
		}
		for _, note := range port.Notes {
			if note.Name == "layout" && hasBatch(note.Layout) {
				v.batches[l.ID+":"+port.ID] = true
			}
		}
	}
	if max(len(v.inputs), len(v.results)) > maxTensors {
		return tooManyTensors(0)
	}
	return nil
}

func (v *openVINOFile) model() *OpenVINO {
	m := &OpenVINO{Batches: len(v.inputs)+len(v.results) > 0}
	for _, l := range v.inputs {
		t := Tensor{Kind: TensorKind, Name: l.Name, Type: openVINOTypes[strings.ToUpper(l.Data.Element)], Shaped: l.Data.Shape != "..."}
		for _, port := range l.Out {
			t.Name = firstName(port.Names, t.Name)
			m.Batches = m.Batches && v.batches[l.ID+":"+port.ID]
		}
		if l.Data.Shape != "" && t.Shaped {
			t.Dims = openVINODims(strings.Split(l.Data.Shape, ","))
		}
		m.Inputs = append(m.Inputs, t)
	}
	for _, l := range v.results {
		t := Tensor{Kind: TensorKind, Name: firstName(l.Names, firstName(v.names[v.from[l.ID]], l.Name))}
		for _, port := range l.In {
			t.Type, t.Dims = openVINOTypes[port.Precision], openVINODims(port.Dims)
			t.Shaped = len(t.Dims) > 0
		}
		m.Batches = m.Batches && v.batches[v.from[l.ID]]
		m.Outputs = append(m.Outputs, t)
	}
	return m
}

// hasBatch reports whether a layout names the batch, as "[N,C,H,W]" and "NCHW" do.
func hasBatch(layout string) bool {
	list, long := strings.CutPrefix(strings.TrimSuffix(strings.ToUpper(layout), "]"), "[")
	if !long {
		return strings.Contains(list, "N")
	}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "N" || name == "BATCH" {
			return true
		}
	}
	return false
}

// firstName is the first of several names in their order, which is the one that OpenVINO calls a tensor by.
func firstName(list, otherwise string) string {
	if list == "" {
		return otherwise
	}
	const comma = "\x00"
	names := strings.Split(strings.ReplaceAll(list, `\,`, comma), ",")
	return strings.ReplaceAll(slices.Min(names), comma, ",")
}

// openVINODims reads dimensions: a number, or what stands for an open one, such as -1, ? and 1..8.
func openVINODims(list []string) []Dim {
	var dims []Dim
	for _, text := range list {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < 0 {
			n = -1
		}
		dims = append(dims, Dim{Size: n})
	}
	return dims
}
