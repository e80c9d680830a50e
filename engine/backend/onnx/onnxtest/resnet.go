package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// ResNet50 is a convolutional net of the layers and the size of ResNet-50 (25.6 million weights, 102 MB), with weights
// drawn at random: X [batch, 3, 224, 224] becomes Y [batch, 1000]. The weights are the same every time.
func ResNet50() Model {
	n := &net{random: rand.New(rand.NewPCG(50, 50))}
	at := n.convolution("X", layer{channels: 3, filters: 64, kernel: 7, stride: 2, relu: true})
	at = n.node("MaxPool", map[string]any{"kernel_shape": []int64{3, 3}, "strides": []int64{2, 2}, "pads": []int64{1, 1, 1, 1}}, at)
	channels := int64(64)
	for stage, blocks := range []int{3, 4, 6, 3} {
		width, stride := int64(64)<<stage, int64(2)
		if stage == 0 {
			stride = 1
		}
		for range blocks {
			at = n.bottleneck(at, channels, width, stride)
			channels, stride = 4*width, 1
		}
	}
	at = n.node("GlobalAveragePool", nil, at)
	at = n.node("Flatten", nil, at)
	const classes = 1000
	at = n.node("Gemm", map[string]any{"transB": int64(1)}, at, n.weights(classes, channels), n.constants(0, classes))
	n.model.Nodes = append(n.model.Nodes, Node{Op: "Identity", Inputs: []string{at}, Outputs: []string{"Y"}})
	n.model.Inputs = []Value{{Name: "X", Type: Float, Dims: Dims("batch", 3, 224, 224)}}
	n.model.Outputs = []Value{{Name: "Y", Type: Float, Dims: Dims("batch", classes)}}
	return n.model
}

// Convolution is one layer of such a net: X [batch, channels, 8, 8] becomes Y [batch, filters, 8, 8].
func Convolution(channels, filters int64) Model {
	n := &net{random: rand.New(rand.NewPCG(1, 1))}
	at := n.convolution("X", layer{channels: channels, filters: filters, kernel: 3, stride: 1, relu: true})
	n.model.Nodes = append(n.model.Nodes, Node{Op: "Identity", Inputs: []string{at}, Outputs: []string{"Y"}})
	n.model.Inputs = []Value{{Name: "X", Type: Float, Dims: Dims("batch", int(channels), 8, 8)}}
	n.model.Outputs = []Value{{Name: "Y", Type: Float, Dims: Dims("batch", int(filters), 8, 8)}}
	return n.model
}

// net is a model that grows.
type net struct {
	model  Model
	random *rand.Rand
	names  int
}

// layer is a convolution with what usually follows it.
type layer struct {
	channels, filters, kernel, stride int64
	relu                              bool
}

// bottleneck is ResNet's block of three convolutions beside a shortcut.
func (n *net) bottleneck(at string, channels, width, stride int64) string {
	shortcut := at
	if channels != 4*width {
		shortcut = n.convolution(at, layer{channels: channels, filters: 4 * width, kernel: 1, stride: stride})
	}
	at = n.convolution(at, layer{channels: channels, filters: width, kernel: 1, stride: 1, relu: true})
	at = n.convolution(at, layer{channels: width, filters: width, kernel: 3, stride: stride, relu: true})
	at = n.convolution(at, layer{channels: width, filters: 4 * width, kernel: 1, stride: 1})
	return n.node("Relu", nil, n.node("Add", nil, at, shortcut))
}

func (n *net) convolution(at string, l layer) string {
	pad := l.kernel / 2
	at = n.node("Conv", map[string]any{
		"kernel_shape": []int64{l.kernel, l.kernel}, "strides": []int64{l.stride, l.stride}, "pads": []int64{pad, pad, pad, pad},
	}, at, n.weights(l.filters, l.channels, l.kernel, l.kernel))
	at = n.node("BatchNormalization", nil, at, n.constants(1, l.filters), n.constants(0, l.filters), n.constants(0, l.filters), n.constants(1, l.filters))
	if l.relu {
		at = n.node("Relu", nil, at)
	}
	return at
}

func (n *net) node(op string, attributes map[string]any, inputs ...string) string {
	out := n.name()
	n.model.Nodes = append(n.model.Nodes, Node{Op: op, Inputs: inputs, Outputs: []string{out}, Attributes: attributes})
	return out
}

func (n *net) name() string {
	n.names++
	return fmt.Sprint("t", n.names)
}

// weights are drawn so that what flows through the net keeps its size.
func (n *net) weights(dims ...int64) string {
	inputs := int64(1)
	for _, d := range dims[1:] {
		inputs *= d
	}
	scale := math.Sqrt(1 / float64(inputs))
	return n.initializer(dims, func() float32 { return float32((n.random.Float64()*2 - 1) * scale) })
}

func (n *net) constants(value float32, size int64) string {
	return n.initializer([]int64{size}, func() float32 { return value })
}

func (n *net) initializer(dims []int64, next func() float32) string {
	size := int64(1)
	for _, d := range dims {
		size *= d
	}
	raw := make([]byte, 0, 4*size)
	for range size {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(next()))
	}
	name := n.name()
	n.model.Initializers = append(n.model.Initializers, Initializer{Name: name, Type: Float, Dims: dims, Raw: raw})
	return name
}
