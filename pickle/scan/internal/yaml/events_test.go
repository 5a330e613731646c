package yaml

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
)

type events struct{ strings.Builder }

func (e *events) Open(mapping bool, n Node) {
	fmt.Fprintf(e, "open %v %q %q\n", mapping, n.Tag, n.Anchor)
}
func (e *events) Close() { e.WriteString("close\n") }
func (e *events) Scalar(n Node) {
	fmt.Fprintf(e, "scalar %x %q %q %v\n", n.Value, n.Tag, n.Anchor, n.Plain)
}
func (e *events) Alias(n Node) { fmt.Fprintf(e, "alias %s\n", n.Value) }
func (e *events) End()         { e.WriteString("end\n") }

func TestDump(t *testing.T) {
	in, err := os.Open(os.Getenv("YAML_IN"))
	if err != nil {
		t.Skip()
	}
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	for sc.Scan() {
		text, _ := base64.StdEncoding.DecodeString(sc.Text())
		var e events
		if err := Parse(text, &e); err != nil {
			e.WriteString("error\n")
		}
		fmt.Fprintf(out, "=%s\n", base64.StdEncoding.EncodeToString([]byte(e.String())))
	}
	out.Flush()
}
