// JUnit XML: the form of test results that CI servers show.

package finding

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// There is no standard for the form. What is written keeps to the schema by which
// Jenkins judges reports (junit-10.xsd of its plugin xunit), which has the least in
// it of those in use, and to what GitLab reads. Times are optional, and are left
// out: the same files give the same report.
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

// junitClass is the class of all cases: a path would not do, for Jenkins takes what
// is before the last dot for a package.
const junitClass = "weigh.check"

// JUnit writes the check as a report of tests. Each file is a suite. A rule that is
// broken in it is a test: one that failed if the check does for its sake, one that
// was skipped if it is allowed, and otherwise one that passed and has something to
// say. A file in which nothing is found is a test that passed, and one that could
// not be read a test with an error.
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
		suite(g.file).add(g.junit(c.FailOn))
	}
	for _, u := range c.Unread {
		suite(u.File).add(junitCase{Name: typeset.Label(u.File), Error: &junitOutcome{Type: "unread", Message: typeset.Line(u.Message)}})
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

// add adds a case, and counts it.
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

// junit returns the case that a group is.
func (g *findingGroup) junit(failOn safetensors.Severity) junitCase {
	one := junitCase{Name: string(g.rule) + " in " + typeset.Label(g.file)}
	text := g.lines()
	switch first, _, _ := strings.Cut(text, "\n"); {
	case g.allowed != "":
		one.Skipped = &junitOutcome{Message: "allowed: " + typeset.Line(g.allowed)}
		one.Out = text
	case g.severity() >= failOn:
		one.Failure = &junitOutcome{Type: g.severity().String(), Message: first, Text: text}
	default:
		one.Out = g.severity().String() + ":\n" + text
	}
	return one
}

// lines returns the findings of a group, a line each. Servers refuse reports of
// many megabytes, so there are not as many as a thousand.
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
