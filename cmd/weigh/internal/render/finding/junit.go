// JUnit XML.

package finding

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// JUnit XML has no standard. The output satisfies the schema that Jenkins uses (junit-10.xsd of
// its plugin xunit), the strictest in use, and GitLab. It omits times, which are optional, so that
// reports are reproducible.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitOutcome `xml:"failure"`
		Error   *junitOutcome `xml:"error"`
		Skipped *junitOutcome `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitOutcome struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junitClass is the class of all test cases. It is not a path, because Jenkins takes everything
// before the last dot for a package.
const junitClass = "weigh.check"

// JUnit writes the check as a test report. Each file is a suite, and each broken rule a test case:
// failed if the check fails because of it, skipped if it is allowed, and otherwise passed with
// output. A file without findings is a passed test case; a file that could not be read is an
// error.
func (c *Check) JUnit(w io.Writer, _ typeset.Style) error {
	report := junitReport{Name: "weigh check"}
	byFile := make(map[string]*junitSuite)
	var order []string
	suite := func(file string) *junitSuite {
		if byFile[file] == nil {
			byFile[file] = &junitSuite{Name: typeset.Label(file)}
			order = append(order, file)
		}
		return byFile[file]
	}
	for _, g := range groupFindings(c.Findings, c.Omitted) {
		suite(g.file).add(g.junit(&c.FailOn))
	}
	for _, u := range c.Unread {
		suite(u.File).add(junitCase{Name: typeset.Label(u.File),
			Error: &junitOutcome{Type: "unread", Message: typeset.Line(u.Message)}})
	}
	for _, file := range c.Files {
		if byFile[file] == nil {
			suite(file).add(junitCase{Name: typeset.Label(file)})
		}
	}
	slices.SortStableFunc(order, typeset.CompareNames)
	for _, file := range order {
		one := byFile[file]
		report.Tests += one.Tests
		report.Failures += one.Failures
		report.Errors += one.Errors
		report.Suites = append(report.Suites, *one)
	}
	_, err := io.WriteString(w, xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	err = errors.Join(err, e.Encode(report))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// add adds and counts a test case.
func (s *junitSuite) add(one junitCase) {
	one.Class = junitClass
	s.Tests++
	switch {
	case one.Failure != nil:
		s.Failures++
	case one.Error != nil:
		s.Errors++
	case one.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, one)
}

// junit returns the group as a test case.
func (g *findingGroup) junit(failOn *Threshold) junitCase {
	one := junitCase{Name: string(g.rule) + " in " + typeset.Label(g.file)}
	text := g.lines()
	switch first, _, _ := strings.Cut(text, "\n"); {
	case g.allowed != "":
		one.Skipped = &junitOutcome{Message: "allowed: " + typeset.Line(g.allowed)}
		one.Out = text
	case failOn.Fails(g.rule, g.severity):
		one.Failure = &junitOutcome{Type: g.severity.String(), Message: first, Text: text}
	default:
		one.Out = g.severity.String() + ":\n" + text
	}
	return one
}

// lines returns the findings of the group, one on each line. Servers reject reports of many
// megabytes, so it returns at most a hundred.
func (g *findingGroup) lines() string {
	const most = 100
	var b strings.Builder
	shown := g.kept[:min(most, len(g.kept))]
	for i := range shown {
		b.WriteString(typeset.Line(shown[i].Detail) + shown[i].where() + "\n")
	}
	if more := len(g.kept) - len(shown) + g.omitted; more > 0 {
		fmt.Fprintf(&b, "… and %s more like it\n", typeset.Count(int64(more)))
	}
	if fix := g.fix(); fix != "" {
		b.WriteString("→ " + fix + "\n")
	}
	return b.String()
}
