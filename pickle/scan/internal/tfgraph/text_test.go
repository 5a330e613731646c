// Graphs in the text form.

package tfgraph

import "testing"

// A text is one message, whatever words it contains: each message becomes a format of the file.
func TestEncode(t *testing.T) {
	const node = `node { name: "w" op: "WriteFile" }`
	const function = `library { function { signature { name: "f" } node_def { name: "n" op: "NoOp" } } }`
	for text, want := range map[string]int{
		node:            1,
		node + function: 1,
		function:        1,
		"meta_graphs { graph_def {" + node + "} }": 1,
		"graph_def {" + node + function + "}":      1,
		`nodes { identifier: "_tf_keras_layer" }`:  1,
		"versions { producer: 1 }":                 0,
	} {
		if got, err := Encode([]byte(text)); len(got) != want || err != nil {
			t.Errorf("%s is %d messages (%v), want %d", text, len(got), err, want)
		}
	}
	if _, err := Encode([]byte("node { name: ")); err == nil {
		t.Error("a text that ends in a node is valid")
	}
}
