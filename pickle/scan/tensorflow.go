// TensorFlow graphs with operations that access files or call Python.

package scan

import (
	"bytes"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
)

// A graphOp is an operation that does more than compute.
type graphOp struct {
	name     string
	severity pickle.Severity
	what     string
}

// graphOps are the operations that access files, libraries or Python.
var graphOps = []graphOp{
	{"PyFunc", pickle.Error, "calls Python"},
	{"PyFuncStateless", pickle.Error, "calls Python"},
	{"EagerPyFunc", pickle.Error, "calls Python"},
	{"WriteFile", pickle.Error, "writes files"},
	{"ReadFile", pickle.Warning, "reads files"},
	{"LoadLibrary", pickle.Error, "loads libraries"},
}

// graphNodes searches for these operations. A graph is a protocol buffer and has no magic
// number; a node (NodeDef) begins with its name (tag 0x0a) and its operation (tag 0x12), each
// a string after its length.
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
					p.add(pickle.Finding{Rule: RuleGraphOp, Severity: op.severity, Offset: at + int64(from),
						Message: "a TensorFlow graph contains the operation " + op.name + ", which " + op.what})
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

// isNode reports whether b ends with the name of a node.
func isNode(b []byte) bool {
	const most = 127 // the longest name whose length has one byte
	for n := range min(len(b)-1, most+1) {
		if n > 0 && b[len(b)-n-2] == 0x0a && int(b[len(b)-n-1]) == n && filetype.IsText(b[len(b)-n:]) {
			return true
		}
	}
	return false
}
