// Side effects of Caffe networks.

// Package caffe finds the layers of Caffe networks that import Python code.
package caffe

import (
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/textproto"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// The fields of the messages of Caffe that matter.
const (
	netLayer    = 100
	layerName   = 1
	layerType   = 2
	layerPython = 130
	pythonPart  = 1 // the module
	pythonClass = 2
)

// Analyze parses a file as a network. The format of the report is "" if it is none. Errors are evidence.ErrBudget and
// read errors.
func Analyze(file *wire.File) (*evidence.Report, error) {
	r := new(evidence.Report)
	err := file.EachOf(file.All(), netLayer, func(layer wire.Field) error {
		kind, err := file.Text(layer.Span, layerType)
		if err != nil || !isType(kind) {
			return err
		}
		r.Format = "caffe"
		return file.EachOf(layer.Span, layerPython, func(python wire.Field) error {
			module, err := file.Text(python.Span, pythonPart)
			if err != nil {
				return err
			}
			class, err := file.Text(python.Span, pythonClass)
			r.Keep("_target_", []byte(module+"."+class), python.At)
			return err
		})
	})
	return r, err
}

// isType reports whether a text can be the type of a layer.
func isType(s string) bool {
	for _, c := range s {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

// First are the fields with which the text form may begin.
var First = []string{"name", "input", "input_shape", "input_dim", "force_backward", "state", "debug_info", "layer",
	"layers"}

// Encode returns the bytes of the network that a text describes.
func Encode(text []byte) ([][]byte, error) {
	python := textproto.Message{"module": {Num: pythonPart}, "layer": {Num: pythonClass}}
	layer := textproto.Message{"name": {Num: layerName}, "type": {Num: layerType},
		"python_param": {Num: layerPython, Message: python}}
	b, err := textproto.Encode(text, textproto.Message{"layer": {Num: netLayer, Message: layer}})
	return [][]byte{b}, err
}
