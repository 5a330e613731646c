// TensorFlow: graphs whose nodes reach files, or Python.

package scan

import (
	"bytes"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
)

// A graphOp is an operation that a graph of TensorFlow has no need of to compute.
type graphOp struct {
	name     string
	severity pickle.Severity
	what     string
}

// graphOps are those that reach out of the graph.
var graphOps = []graphOp{
	{"PyFunc", pickle.Error, "calls Python"},
	{"PyFuncStateless", pickle.Error, "calls Python"},
	{"EagerPyFunc", pickle.Error, "calls Python"},
	{"WriteFile", pickle.Error, "writes files"},
	{"ReadFile", pickle.Warning, "reads files"},
	{"LoadLibrary", pickle.Error, "loads libraries"},
}

// graphNodes looks for these in bytes that have no magic, as graphs do not: they are protocol
// buffers. The operation of a node is its second field (0x12 says so in NodeDef), a
// string after its length. Its first is its name (0x0a), without which it is chance.
func (p *part) graphNodes() error {
	const block, before = 1 << 20, 512
	end := min(p.size, p.mostSearch())
	found := make(map[string]bool)
	buf := make([]byte, min(block, end))
	for at := int64(0); at < end; at += int64(len(buf) - before) {
		b := buf[:min(int64(len(buf)), end-at)]
		if n, err := p.file.ReadAt(b, at); n < len(b) {
			return err
		}
		for i := range graphOps {
			op := &graphOps[i]
			field := append([]byte{0x12, byte(len(op.name))}, op.name...)
			for from := 0; !found[op.name]; {
				j := bytes.Index(b[from:], field)
				if j < 0 {
					break
				}
				if from += j; isNode(b[:from]) {
					found[op.name] = true
					p.format = "tensorflow-graph"
					p.add(pickle.Finding{Rule: RuleGraphOp, Severity: op.severity, Offset: at + int64(from), Message: "a node of a TensorFlow graph is " + op.name + ", which " + op.what})
				}
				from++
			}
		}
		if int64(len(b)) == end-at {
			break
		}
	}
	return nil
}

// isNode says whether b ends with the first field of a node: its name.
func isNode(b []byte) bool {
	const most = 127 // bytes of a name whose length takes one byte
	for n := range min(len(b)-1, most+1) {
		if n > 0 && b[len(b)-n-2] == 0x0a && int(b[len(b)-n-1]) == n && filetype.IsText(b[len(b)-n:]) {
			return true
		}
	}
	return false
}
