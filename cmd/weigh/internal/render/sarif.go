// SARIF 2.1.0: the form of findings that code scanners exchange.

package render

import (
	"crypto/sha256"
	"encoding/hex"
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
		ID               string       `json:"id"`
		ShortDescription sarifText    `json:"shortDescription"`
		FullDescription  sarifText    `json:"fullDescription"`
		Help             sarifText    `json:"help"`
		HelpURI          string       `json:"helpUri"`
		Configuration    sarifDefault `json:"defaultConfiguration"`
		Properties       sarifTags    `json:"properties"`
	}
	sarifText struct { // 3.11 and 3.12
		Text string `json:"text"`
	}
	sarifDefault struct { // 3.50
		Level string `json:"level"`
	}
	sarifTags struct { // 3.8
		Tags []string `json:"tags"`
	}
	sarifInvocation struct { // 3.20
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct { // 3.58
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifResult struct { // 3.27
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct { // 3.28
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct { // 3.29
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct { // 3.4
		URI string `json:"uri"`
	}
	sarifRegion struct { // 3.30
		ByteOffset int64 `json:"byteOffset"`
		ByteLength int64 `json:"byteLength"`
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

// SARIF writes the findings as a SARIF log of one run. Version is that of the
// program. Results are written one by one: there may be a thousand for each rule
// and file.
func (c *Check) SARIF(w io.Writer, s typeset.Style, version string) error {
	rules := slices.Collect(safetensors.Rules())
	driver := sarifDriver{Name: "weigh", Version: version, InformationURI: "https://github.com/weightools/safetensors"}
	for _, r := range rules {
		driver.Rules = append(driver.Rules, sarifRuleOf(r))
	}
	invocation := sarifInvocation{Successful: len(c.Unread) == 0}
	for _, u := range c.Unread {
		invocation.Notifications = append(invocation.Notifications, sarifNotification{
			Level: "error", Message: sarifMessage(u.Message), Locations: []sarifLocation{{Physical: sarifPhysical{Artifact: artifact(u.File)}}},
		})
	}
	results := func(yield func(any) bool) {
		for i := range c.Findings {
			if !yield(c.Findings[i].sarif(rules)) {
				return
			}
		}
	}
	run := []member{ // 3.14
		{"tool", sarifTool{driver}},
		{"invocations", []sarifInvocation{invocation}},
		{"columnKind", "unicodeCodePoints"},
		{"results", elements(results)},
	}
	return writeObject(w, s, []member{ // 3.13
		{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
		{"version", "2.1.0"},
		{"runs", elements(func(yield func(any) bool) { yield(run) })},
	})
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
		Help:             sarifText{e.Fix + " For example, this breaks the rule: " + e.Example + "."},
		HelpURI:          e.Help,
		Configuration:    sarifDefault{levels[r.Severity()]},
		Properties:       sarifTags{[]string{"safetensors", e.Severity}},
	}
}

// sarif returns the finding as a result. The tensor is a logical location, since
// viewers can group by these.
func (f *Finding) sarif(rules []safetensors.Rule) sarifResult {
	at := sarifLocation{Physical: sarifPhysical{Artifact: artifact(f.File)}}
	if f.Span != (safetensors.Span{}) {
		at.Physical.Region = &sarifRegion{f.Span.Begin, max(f.Span.Len(), 0)}
	}
	if f.Tensor != "" {
		at.Logical = []sarifLogical{{shortened(f.Tensor), "object"}}
	}
	return sarifResult{
		RuleID: string(f.Rule), RuleIndex: slices.Index(rules, f.Rule), Level: levels[f.Severity()],
		Message: sarifMessage(f.Detail), Locations: []sarifLocation{at},
		Fingerprints: map[string]string{"weigh/v1": f.fingerprint()},
	}
}

// fingerprint tells the finding from others in the same file, and is the same
// in the next run: it does not depend on offsets, which shift, nor on where the
// folder is.
func (f *Finding) fingerprint() string {
	sum := sha256.Sum256([]byte(string(f.Rule) + "\x00" + path.Base(f.File) + "\x00" + shortened(f.Tensor)))
	return hex.EncodeToString(sum[:16])
}

// artifact returns the location of a file: a URI, or for a path that is not
// absolute a reference to be resolved against where the program was run.
func artifact(file string) sarifArtifact {
	switch {
	case strings.Contains(file, "://"):
		return sarifArtifact{file}
	case strings.HasPrefix(file, "/"):
		return sarifArtifact{(&url.URL{Scheme: "file", Path: file}).String()}
	case len(file) > 2 && file[1:3] == ":/": // a drive of Windows
		return sarifArtifact{(&url.URL{Scheme: "file", Path: "/" + file}).String()}
	}
	return sarifArtifact{(&url.URL{Path: file}).String()}
}
