// Models in the text form of protocol buffers.

package onnx

import (
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/textproto"
)

type message = textproto.Message

// Encode returns the bytes of the model that a text describes.
func Encode(text []byte) ([][]byte, error) {
	b, err := textproto.Encode(text, description())
	return [][]byte{b}, err
}

// EncodeJSON returns the bytes of the model that a JSON object describes.
func EncodeJSON(v jsonscan.Value) ([]byte, error) { return textproto.EncodeJSON(v, description()) }

// IsJSON reports whether the object is a model.
func IsJSON(v jsonscan.Value) bool {
	found := v.Pick("graph", "ir_version", "irVersion", "opset_import", "opsetImport")
	const graph = 0
	return found[graph].Kind() == jsonscan.Object && len(found[graph].Text()) > 2 &&
		(found[1].Kind() != 0 || found[2].Kind() != 0 || found[3].Kind() != 0 || found[4].Kind() != 0)
}

// description describes the messages that matter. A graph contains nodes, and their attributes
// contain graphs.
func description() message {
	properties := message{"key": {Num: 1}, "value": {Num: 2}}
	tensor := message{"string_data": {Num: 6, JSON: textproto.Base64}, "doc_string": {Num: 12},
		"metadata_props": {Num: 16, Message: properties},
		"external_data":  {Num: 13, Message: message{"key": {Num: 1}, "value": {Num: 2}}}}
	sparse := message{"values": {Num: 1, Message: tensor}, "indices": {Num: 2, Message: tensor}}
	graph, attribute := message{}, message{}
	node := message{"doc_string": {Num: 6}, "metadata_props": {Num: 9, Message: properties}, "op_type": {Num: 4},
		"domain": {Num: 7}, "attribute": {Num: 5, Message: attribute}}
	graph["doc_string"] = textproto.Field{Num: 10}
	graph["metadata_props"] = textproto.Field{Num: 16, Message: properties}
	graph["node"] = textproto.Field{Num: 1, Message: node}
	graph["initializer"] = textproto.Field{Num: 5, Message: tensor}
	graph["sparse_initializer"] = textproto.Field{Num: 15, Message: sparse}
	for name, f := range (message{"name": {Num: 1}, "s": {Num: 4, JSON: textproto.Base64},
		"strings": {Num: 9, JSON: textproto.Base64}, "doc_string": {Num: 13},
		"t": {Num: 5, Message: tensor}, "i": {Num: 3, JSON: textproto.Number}, "g": {Num: 6, Message: graph},
		"tensors":       {Num: 10, Message: tensor},
		"graphs":        {Num: 11, Message: graph},
		"sparse_tensor": {Num: 22, Message: sparse}, "sparse_tensors": {Num: 23, Message: sparse}}) {
		attribute[name] = f
	}
	function := message{"doc_string": {Num: 8}, "metadata_props": {Num: 14, Message: properties}, "name": {Num: 1},
		"node": {Num: 7, Message: node}, "domain": {Num: 10}, "attribute_proto": {Num: 11, Message: attribute}}
	return message{"doc_string": {Num: 6}, "metadata_props": {Num: 14, Message: properties},
		"ir_version": {Num: 1, JSON: textproto.Number}, "graph": {Num: 7, Message: graph},
		"training_info": {Num: 20, Message: message{"initialization": {Num: 1, Message: graph},
			"algorithm": {Num: 2, Message: graph}}},
		"functions": {Num: 25, Message: function}}
}

// First are the fields with which such a text may begin: parsers refuse unknown fields.
var First = []string{"ir_version", "producer_name", "producer_version", "domain", "model_version", "doc_string",
	"graph", "opset_import", "metadata_props", "training_info", "functions"}
