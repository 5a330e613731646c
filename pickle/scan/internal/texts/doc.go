// Package texts judges texts: configurations in JSON and YAML, templates, and source code.
//
// Texts are data, except where they name code that a program imports. A [Reader] finds these
// names in a file of any name. Source code is not judged, but it is never called safe.
package texts

import (
	"fmt"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
)

// The rules of this package.
const (
	RuleYAMLCall   pickle.Rule = "yaml-python-call"
	RuleYAMLTag    pickle.Rule = "yaml-python-tag"
	RuleConfigCall pickle.Rule = "config-call"
	RuleRemoteCode pickle.Rule = "remote-code"
	RuleTemplate   pickle.Rule = "template-escape"
	RuleOddLookup  pickle.Rule = "template-lookup"
	RuleLoop       pickle.Rule = "template-loop"
	RuleSource     pickle.Rule = "python-source"
	RuleSitePath   pickle.Rule = "site-path"
	RuleUnsafeName pickle.Rule = "unsafe-name"
	RuleBadConfig  pickle.Rule = evidence.RuleBadConfig
	RuleLambda     pickle.Rule = keras.RuleLambda
)

// An Import is a name that a text makes a program import.
type Import struct {
	Name    string // with its module
	How     string // the key or tag under which it was found
	At      int64  // offset in bytes
	Verdict pickle.Verdict
	Rule    pickle.Rule
}

// A Visitor receives what is found, and what it costs.
type Visitor interface {
	// Add is called for each finding.
	Add(f pickle.Finding)
	// Imports is called for each name.
	Imports(im Import)
	// Gap is called where a fixed limit was exceeded, and OverWork where the budget is spent.
	Gap(at int64, what string)
	OverWork(at int64)
	// Unread is called if the text is source code, or alike.
	Unread(what string)
	// Verdict returns the policy's verdict on importing a name.
	Verdict(module, name string) pickle.Verdict
	// Spend takes work from the budget and reports whether any is left.
	Spend(n int64) bool
}

// A Reader judges one text.
type Reader struct {
	Visitor
	Name   string // of the file, without its folder
	Within bool   // it is a member of an archive, where all source code is suspicious
	Model  bool   // JSON found a key of a model of Keras, or did not read all of the text

	verdicts map[string]pickle.Verdict
	inYAML   bool
	named    bool // a key that names a function was found
}

// Costs, in cheap pickle instructions of about twenty nanoseconds, for each byte.
const (
	costYAML     = 2
	costTemplate = 3  // of an expression
	perByte      = 16 // bytes around expressions that cost as much as one instruction
	costJSON     = 1
	costValue    = 64 // of a text that is a value in another format, besides its bytes
)

// find reports a finding.
func (r *Reader) find(rule pickle.Rule, s pickle.Severity, at int64, format string, args ...any) {
	r.Add(pickle.Finding{Rule: rule, Severity: s, Offset: at, Message: fmt.Sprintf(format, args...)})
}

// severity returns the severity of a finding about a name.
func severity(v pickle.Verdict) pickle.Severity {
	switch {
	case v >= pickle.Dangerous:
		return pickle.Error
	case v >= pickle.Suspicious:
		return pickle.Warning
	}
	return pickle.Note
}
