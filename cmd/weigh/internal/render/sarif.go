// SARIF 2.1.0: the form of findings that code scanners exchange.

package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
)

// The part of the Static Analysis Results Interchange Format, version 2.1.0
// (OASIS standard, 27 March 2020), that is in use here. The numbers are those
// of its sections.
type (
	sarifTool struct { // 3.18
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct { // 3.19
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct { // 3.49
		ID               string          `json:"id"`
		ShortDescription sarifText       `json:"shortDescription"`
		FullDescription  sarifText       `json:"fullDescription"`
		Help             sarifHelp       `json:"help"`
		HelpURI          string          `json:"helpUri"`
		Configuration    sarifDefault    `json:"defaultConfiguration"`
		Properties       sarifProperties `json:"properties"`
	}
	sarifHelp struct { // 3.49.13
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifText struct { // 3.11 and 3.12
		Text string `json:"text"`
	}
	sarifDefault struct { // 3.50
		Level string `json:"level"`
	}
	sarifProperties struct { // 3.8, with the names that GitHub gives them
		Tags      []string `json:"tags"`
		Precision string   `json:"precision"`
		Problem   string   `json:"problem.severity"`
	}
	sarifInvocation struct { // 3.20
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct { // 3.58
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct { // 3.27
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct { // 3.35
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct { // 3.28
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct { // 3.29
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct { // 3.4
		URI string `json:"uri"`
	}
	sarifRegion struct { // 3.30
		StartLine   int    `json:"startLine"`
		StartColumn int    `json:"startColumn"`
		EndLine     int    `json:"endLine"`
		EndColumn   int    `json:"endColumn"`
		ByteOffset  *int64 `json:"byteOffset,omitempty"`
		ByteLength  *int64 `json:"byteLength,omitempty"`
	}
	sarifLogical struct { // 3.33
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
)

// levels are the levels of 3.27.10 that severities become. What is
// nonconforming fails a check, so it is an error, too.
var levels = [...]string{
	safetensors.Invalid:       "error",
	safetensors.Nonconforming: "error",
	safetensors.Warning:       "warning",
	safetensors.Note:          "note",
}

// problems are what GitHub calls severities: the property "problem.severity".
var problems = [...]string{
	safetensors.Invalid:       "error",
	safetensors.Nonconforming: "error",
	safetensors.Warning:       "warning",
	safetensors.Note:          "recommendation",
}

// mostResults is how many results one run may have for GitHub to accept the log,
// by its documentation "SARIF support for code scanning". It shows 5,000 of them.
const mostResults = 25_000

// SARIF writes the findings as a SARIF log of one run. Version is that of the
// program. Results are written one by one: there may be a thousand for each rule
// and file. What is allowed is left out, since GitHub makes an alert of every
// result, suppressed or not; if verbose, it is there, as suppressed.
func (c *Check) SARIF(w io.Writer, s typeset.Style, version string, verbose bool) error {
	rules := slices.Collect(safetensors.Rules())
	log := sarifReport{version: version}
	for _, r := range rules {
		log.rules = append(log.rules, sarifRuleOf(r))
	}
	written, left := c.sarifResults(verbose)
	log.invocation = sarifInvocation{Successful: len(c.Unread) == 0, Notifications: c.sarifNotifications(verbose, left)}
	log.results = func(yield func(any) bool) {
		seen := make(map[string]int)
		for _, f := range written {
			if !yield(c.sarifResult(f, rules, seen)) {
				return
			}
		}
	}
	return log.write(w, s)
}

// A sarifReport is a log of one run.
type sarifReport struct {
	version    string // of the program
	rules      []sarifRule
	invocation sarifInvocation
	results    elements
}

// write writes the log, its results one by one.
func (l *sarifReport) write(w io.Writer, s typeset.Style) error {
	run := []member{ // 3.14
		{"tool", sarifTool{sarifDriver{Name: "weigh", Version: l.version, InformationURI: "https://github.com/weightools/safetensors", Rules: l.rules}}},
		{"invocations", []sarifInvocation{l.invocation}},
		{"columnKind", "unicodeCodePoints"},
		{"results", l.results},
	}
	return writeObject(w, s, []member{ // 3.13
		{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
		{"version", "2.1.0"},
		{"runs", elements(func(yield func(any) bool) { yield(run) })},
	})
}

// sarifResults returns the findings that become results, in their order, and how
// many have no room: of those, the most harmless.
func (c *Check) sarifResults(verbose bool) (written []*Finding, left int) {
	var room [len(severities)]int // of each severity, what the worse ones leave
	total := mostResults
	wanted := func(f *Finding) bool { return verbose || f.Allowed == "" }
	for _, s := range severities {
		n := 0
		for i := range c.Findings {
			if f := &c.Findings[i]; f.Severity() == s && wanted(f) {
				n++
			}
		}
		room[s] = min(n, total)
		total -= room[s]
		left += n - room[s]
	}
	for i := range c.Findings {
		if f := &c.Findings[i]; wanted(f) && room[f.Severity()] > 0 {
			room[f.Severity()]--
			written = append(written, f)
		}
	}
	return written, left
}

// sarifNotifications returns what there is to say of the run itself: what could
// not be read, and what is not in the log.
func (c *Check) sarifNotifications(verbose bool, left int) []sarifNotification {
	var list []sarifNotification
	for _, u := range c.Unread {
		list = append(list, unreadable(c.Root, u.File, u.Message))
	}
	note := func(format string, n int64) {
		if n > 0 {
			list = append(list, sarifNotification{Level: "note", Message: sarifMessage(fmt.Sprintf(format, typeset.Plural(n, "finding")))})
		}
	}
	note("%s more, of rules that are broken more than a thousand times in one file, not listed", int64(c.omitted()))
	note("%s left out, the most harmless: a log has room for 25,000, and weigh check --json lists all", int64(left))
	if allowed := countFindings(c.Findings, c.Omitted, true); !verbose {
		var n int64
		for _, k := range allowed {
			n += k
		}
		note("%s allowed, and left out: with --verbose, they are in the log as suppressed", n)
	}
	return list
}

// unreadable returns a notification that a file could not be read, or not completely.
func unreadable(root, file, message string) sarifNotification {
	at := sarifLocation{Physical: sarifPhysical{Artifact: artifact(root, file), Region: wholeFile}}
	return sarifNotification{Level: "error", Message: sarifMessage(message), Locations: []sarifLocation{at}}
}

// sarifMessage returns a text out of which nothing is made that it does not say:
// no link, which brackets begin by 3.11.6, and no placeholder, which braces do by
// 3.11.5. A file chooses the names in it.
func sarifMessage(text string) sarifText {
	return sarifText{strings.NewReplacer("[", `\[`, "]", `\]`, "{", "{{", "}", "}}").Replace(text)}
}

// sarifRuleOf returns a rule with all that a viewer may show of it. Every rule is
// in every log, so that indices are the same in all of them.
func sarifRuleOf(r safetensors.Rule) sarifRule {
	e := Explain(r)
	return sarifRule{
		ID:               string(r),
		ShortDescription: sarifText{e.Law},
		FullDescription:  sarifText{e.Law + " From: " + e.Clause + ". Reference implementation: " + e.Reference + "."},
		Help: sarifHelp{
			Text:     e.Fix + " For example, this breaks the rule: " + e.Example + ".",
			Markdown: e.Fix + "\n\nFor example, this breaks the rule: " + markdown(e.Example) + ".\n\n[More about it](" + e.Help + ")",
		},
		HelpURI:       e.Help,
		Configuration: sarifDefault{levels[r.Severity()]},
		Properties:    sarifProperties{[]string{"safetensors", e.Severity}, "very-high", problems[r.Severity()]},
	}
}

// wholeFile is the region of a finding. GitHub demands lines and columns, which a
// file of weights does not have; by 3.30.4 they are independent of the bytes that
// a region may have besides.
var wholeFile = sarifRegion{StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2}

// sarifResult returns the finding as a result. The tensor is a logical location,
// since viewers can group by these. Seen counts results that are alike.
func (c *Check) sarifResult(f *Finding, rules []safetensors.Rule, seen map[string]int) sarifResult {
	at := sarifLocation{Physical: sarifPhysical{artifact(c.Root, f.File), wholeFile}}
	if f.Span != (safetensors.Span{}) {
		length := max(f.Span.Len(), 0)
		at.Physical.Region.ByteOffset, at.Physical.Region.ByteLength = &f.Span.Begin, &length
	}
	if f.Tensor != "" {
		at.Logical = []sarifLogical{{typeset.Shortened(f.Tensor), "object"}}
	}
	print := f.fingerprint()
	r := sarifResult{
		RuleID: string(f.Rule), RuleIndex: slices.Index(rules, f.Rule), Level: levels[f.Severity()],
		Message: sarifMessage(f.Detail), Locations: []sarifLocation{at},
		Fingerprints: fingerprints(print, seen),
	}
	if f.Allowed != "" {
		r.Suppressions = []sarifSuppression{{"external", "accepted", f.Allowed}}
	}
	return r
}

// fingerprints returns those of a result, of which seen counts those that are alike. The
// second is the one that GitHub goes by. Its form is that of GitHub's own: hexadecimal
// digits, and which of several with the same it is.
func fingerprints(print string, seen map[string]int) map[string]string {
	seen[print]++
	return map[string]string{"weigh/v1": print, "primaryLocationLineHash": fmt.Sprintf("%.16s:%d", print, seen[print])}
}

// fingerprint tells the finding from others, and is the same in the next run: it
// is made of rule, file and tensor, and does not depend on offsets, which shift, nor
// on the message.
func (f *Finding) fingerprint() string {
	sum := sha256.Sum256([]byte(string(f.Rule) + "\x00" + cmp.Or(f.Key, f.File) + "\x00" + f.Tensor))
	return hex.EncodeToString(sum[:16])
}

// artifact returns the location of a file: a URI, or for a path that is not
// absolute, or lies in the folder in which the program was run, a reference to be
// resolved against that: root. GitHub takes it for the root of the repository.
func artifact(root, file string) sarifArtifact {
	if rest, ok := strings.CutPrefix(file, root+"/"); ok && root != "" {
		file = rest
	}
	switch {
	case strings.Contains(file, "://"):
		return sarifArtifact{file}
	case strings.HasPrefix(file, "/"):
		return sarifArtifact{(&url.URL{Scheme: "file", Path: file}).String()}
	case len(file) > 2 && file[1:3] == ":/": // a drive of Windows
		return sarifArtifact{(&url.URL{Scheme: "file", Path: "/" + file}).String()}
	}
	return sarifArtifact{(&url.URL{Path: path.Clean(file)}).String()}
}
