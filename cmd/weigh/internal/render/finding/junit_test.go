// JUnit XML: the schema, the counts, and hostile names.

package finding

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// junitSchema is junit-10.xsd of the Jenkins plugin xunit, as far as it is about the
// elements that are written here: which attributes each may have, those that it
// must have in capitals, and what it may have in it.
var junitSchema = map[string]struct{ attributes, children []string }{
	"testsuites": {[]string{"name", "time", "tests", "failures", "errors"}, []string{"testsuite"}},
	"testsuite": {[]string{"NAME", "TESTS", "FAILURES", "ERRORS", "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
		[]string{"testsuite", "properties", "testcase", "system-out", "system-err"}},
	"testcase":   {[]string{"NAME", "time", "classname", "group"}, []string{"skipped", "error", "failure", "system-out", "system-err"}},
	"failure":    {[]string{"type", "message"}, nil},
	"error":      {[]string{"type", "message"}, nil},
	"skipped":    {[]string{"type", "message"}, nil},
	"system-out": {nil, nil},
}

// checkJUnit holds a report against the schema.
func checkJUnit(t *testing.T, report []byte) {
	t.Helper()
	var open []string
	d := xml.NewDecoder(bytes.NewReader(report))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, report)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			schema, known := junitSchema[name]
			if !known || len(open) == 0 && name != "testsuites" || len(open) > 0 && !slices.Contains(junitSchema[open[len(open)-1]].children, name) {
				t.Errorf("<%s> stands in %v", name, open)
			}
			var has []string
			for _, a := range token.Attr {
				has = append(has, a.Name.Local)
				if !slices.ContainsFunc(schema.attributes, func(s string) bool { return strings.EqualFold(s, a.Name.Local) }) {
					t.Errorf("<%s> has the attribute %s", name, a.Name.Local)
				}
			}
			for _, a := range schema.attributes {
				if lower := strings.ToLower(a); a != lower && !slices.Contains(has, lower) {
					t.Errorf("<%s> lacks the attribute %s", name, lower)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func TestJUnit(t *testing.T) {
	mild := finding(safetensors.RuleEntryOrder, "b", "x", 8, 16)
	mild.Allowed = "the writer does so"
	c := &Check{
		FailOn: Threshold{Least: safetensors.Nonconforming}, Files: []string{"c", "a", "b"}, Unread: []Unread{{"d", "gone"}},
		Omitted: []Omission{{Rule: safetensors.RuleOverlap, File: "b", N: 1_469}},
		Findings: []Finding{
			finding(safetensors.RuleOverlap, "b", "x", 8, 16), finding(safetensors.RuleOverlap, "b", "y", 16, 24),
			mild, finding(safetensors.RuleMetadataFormat, "a", "", 8, 8),
		},
	}
	var b bytes.Buffer
	if err := c.JUnit(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	checkJUnit(t, b.Bytes())
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="weigh check" tests="5" failures="1" errors="1">
  <testsuite name="a" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="metadata-format in a" classname="weigh.check">
      <system-out>note:&#xA;a fault&#xA;→ Set format to &#34;pt&#34;: ` + "`weigh edit --in-place --fix a`" + `. For another framework, set its name.&#xA;</system-out>
    </testcase>
  </testsuite>
  <testsuite name="b" tests="2" failures="1" errors="0" skipped="1">
    <testcase name="overlap in b" classname="weigh.check">
      <failure type="invalid" message="a fault (bytes 8-16)">a fault (bytes 8-16)&#xA;a fault (bytes 16-24)&#xA;… and 1,469 more like it&#xA;→ Do not trust the file; write it again from its source.&#xA;</failure>
    </testcase>
    <testcase name="entry-order in b" classname="weigh.check">
      <skipped message="allowed: the writer does so"></skipped>
      <system-out>a fault (bytes 8-16)&#xA;→ No action is needed; ` + "`weigh edit --in-place --fix b`" + ` sorts the entries.&#xA;</system-out>
    </testcase>
  </testsuite>
  <testsuite name="c" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="c" classname="weigh.check"></testcase>
  </testsuite>
  <testsuite name="d" tests="1" failures="0" errors="1" skipped="0">
    <testcase name="d" classname="weigh.check">
      <error type="unread" message="gone"></error>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Most control characters cannot stand in XML 1.0 at all, not even escaped: section
// 2.2. Names with them, and with markup, come out as text.
func TestJUnitOfHostileNames(t *testing.T) {
	evil := "a\x00\x01\x1b[31m\x7f\u202e\ufffe]]><b>&\"'\xff"
	f := finding(safetensors.RuleNameControl, evil, evil, 8, 16)
	f.Detail, f.Allowed = evil, evil
	g := finding(safetensors.RuleOverlap, evil, evil, 8, 16)
	g.Detail = evil
	c := &Check{FailOn: Threshold{Least: safetensors.Note}, Findings: []Finding{f, g}, Unread: []Unread{{evil, evil}}, Files: []string{evil, "fine"}}
	var b bytes.Buffer
	if err := c.JUnit(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	checkJUnit(t, b.Bytes())
	for _, r := range b.String() {
		legal := r == '\n' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
		if !legal || r == '\x7f' || r == '\u202e' {
			t.Errorf("the report has the character %U", r)
		}
	}
	if strings.Contains(b.String(), "<b>") {
		t.Error("a name became markup")
	}
}
