// Graphs in the text form of protocol buffers.

package tfgraph

import (
	"bytes"
	"sync"

	"github.com/weightools/safetensors/pickle/scan/internal/textproto"
)

// A message is the description of a message.
type message = textproto.Message

// A description describes a message that a file can consist of, with a field that only files of
// the kind have.
type description struct {
	field   string
	message message
}

// texts are the descriptions of the messages that matter. Strings and numbers have only a number.
var texts = sync.OnceValue(func() []description {
	tensorText := message{
		"dtype": {Num: 1, Values: map[string]uint64{"DT_STRING": 7}}, "tensor_content": {Num: 4}, "string_val": {Num: 8}}
	funcText := message{"name": {Num: 1}}
	listText := message{"s": {Num: 2}, "func": {Num: 9, Message: funcText}}
	attrText := message{"list": {Num: 1, Message: listText}, "s": {Num: 2}, "tensor": {Num: 8, Message: tensorText},
		"placeholder": {Num: 9}, "func": {Num: 10, Message: funcText}}
	nodeText := message{"name": {Num: 1}, "op": {Num: 2}, "input": {Num: 3},
		"attr": {Num: 5, Message: message{"key": {Num: 1}, "value": {Num: 2, Message: attrText}}}}
	argText := message{"name": {Num: 1}}
	functionText := message{
		"signature": {Num: 1, Message: message{"name": {Num: 1}, "input_arg": {Num: 2, Message: argText}}},
		"node_def":  {Num: 3, Message: nodeText}}
	graphText := message{"node": {Num: 1, Message: nodeText},
		"library": {Num: 2, Message: message{"function": {Num: 1, Message: functionText}}}}
	objectText := message{
		"user_object": {Num: 4, Message: message{"identifier": {Num: 1}, "metadata": {Num: 3}}},
		"asset":       {Num: 5, Message: message{"asset_file_def_index": {Num: 1}}}}
	concreteText := message{"key": {Num: 1}, "value": {Num: 2, Message: message{"bound_inputs": {Num: 2}}}}
	metaText := message{"graph_def": {Num: 2, Message: graphText},
		"saver_def":      {Num: 3, Message: message{"filename_tensor_name": {Num: 1}}},
		"asset_file_def": {Num: 6, Message: message{"tensor_info": {Num: 1, Message: argText}}},
		"object_graph_def": {Num: 7, Message: message{"nodes": {Num: 1, Message: objectText},
			"concrete_functions": {Num: 2, Message: concreteText}}}}
	savedText := message{"saved_model_schema_version": {Num: 1}, "meta_graphs": {Num: 2, Message: metaText}}
	kerasText := message{"nodes": {Num: 1, Message: message{"node_id": {Num: 2}, "node_path": {Num: 3},
		"identifier": {Num: 4}, "metadata": {Num: 5}}}}
	return []description{{"meta_graphs", savedText}, {"graph_def", metaText}, {"node", graphText},
		{"nodes", kerasText}}
})

// First are the fields with which such a text may begin: parsers refuse unknown fields.
var First = []string{"saved_model_schema_version", "meta_graphs", "meta_info_def", "graph_def", "saver_def",
	"collection_def", "signature_def", "asset_file_def", "object_graph_def", "node", "versions", "version", "library",
	"debug_info", "nodes"}

// Encode returns the bytes of the messages that a text can be, and an error if it is none.
func Encode(text []byte) (messages [][]byte, err error) {
	for _, t := range texts() {
		if !bytes.Contains(text, []byte(t.field)) {
			continue
		}
		var b []byte
		if b, err = textproto.Encode(text, t.message); err != nil {
			return nil, err
		}
		if len(b) > 0 {
			messages = append(messages, b)
		}
	}
	return messages, nil
}
