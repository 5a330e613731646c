// What bytes and reports tell about data that may be a pickle.

// Package guess tells pickles from data that only begins like one.
package guess

import (
	"bytes"
	"slices"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/codec"
)

// firstOpcodes are the opcodes with which pickles begin after the protocol.
const firstOpcodes = "\x95()]}FPgcijKJIMLNSTUVXGBC\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x96hrpq0t2\x80"

// MayBegin reports whether b begins with a protocol and an opcode that may follow it.
func MayBegin(b []byte) bool {
	return len(b) > 2 && b[0] == 0x80 && b[1] <= 5 && strings.IndexByte(firstOpcodes, b[2]) >= 0
}

// startOpcodes are the opcodes that do not fail if the stack is empty.
const startOpcodes = "(])}NIJKLMFGSTUVXBCPc\x80\x82\x83\x84\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x95\x96\x97"

// starts reports whether an unpickler can execute the opcode at the start of b: b is not empty, and the
// opcode needs no value on the stack.
func starts(b []byte) bool { return len(b) > 0 && strings.IndexByte(startOpcodes, b[0]) >= 0 }

// Fails reports whether executing data that begins with head fails within it, as nearly always if
// the data is not a pickle. It returns the work that it took.
func Fails(head []byte, opts *pickle.Options) (fails bool, spent int64, err error) {
	if !starts(head) {
		return true, 0, nil
	}
	o := *opts
	o.MaxStreams, o.NoSweep = 1, true
	r, err := pickle.Analyze(bytes.NewReader(head), int64(len(head)), &o)
	if err != nil {
		return false, 0, err
	}
	runs := len(r.Streams) > 0 && r.Streams[0].Stopped
	return !runs && !Acts(r) && !Has(r, pickle.RuleTruncated) && !Has(r, pickle.RuleFrame) && !Has(r, pickle.RuleBudget),
		r.Spent, nil
}

// Runs reports whether the first pickle of a report runs to its end. Python source often begins with
// "import ", which is an INST without a MARK.
func Runs(r *pickle.Report) bool { return len(r.Streams) > 0 && r.Streams[0].Stopped && !failed(r, 0) }

// Executes reports whether a pickle runs to its end or calls something. In tensor data that does not begin with a
// protocol, an import that an invalid instruction follows is chance.
func Executes(r *pickle.Report) bool {
	called := func(im pickle.Import) bool { return im.Called && !failed(r, im.Offset) }
	return Runs(r) || slices.ContainsFunc(r.Imports, called)
}

// Has reports whether a report has a finding of a rule.
func Has(r *pickle.Report, rule pickle.Rule) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == rule })
}

// Alien reports whether the bytes of a report are not a pickle at all, rather than a truncated
// one.
func Alien(r *pickle.Report) bool {
	return len(r.Imports) == 0 && Has(r, pickle.RuleNotPickle) && !Has(r, pickle.RuleTruncated)
}

// Acts reports whether a report has a dangerous import, or one that is called and not known
// to be safe.
func Acts(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Imports, func(im pickle.Import) bool {
		return im.Verdict == pickle.Dangerous || im.Verdict > pickle.Safe && im.Called && !failed(r, im.Offset)
	})
}

// failed reports whether an instruction at an offset finds too few values on the stack. An INST without a
// MARK, such as in a license that begins with "Mozilla", imports nothing.
func failed(r *pickle.Report, off int64) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool {
		return f.Rule == pickle.RuleUnderflow && f.Offset == off
	})
}

// Tells reports whether a report has more than plain values: imports, apart from codes that are not
// registered, or values that need much time or memory.
func Tells(r *pickle.Report) bool {
	return Has(r, pickle.RuleResource) || Has(r, pickle.RuleExpansion) ||
		slices.ContainsFunc(r.Imports, func(im pickle.Import) bool {
			return im.Verdict == pickle.Dangerous || im.Rule != pickle.RuleExtension && !failed(r, im.Offset)
		})
}

// Without returns a copy of a report without the findings of some rules, and with the verdict on the rest.
func Without(r *pickle.Report, rules ...pickle.Rule) *pickle.Report {
	rest := *r
	rest.Findings = slices.DeleteFunc(slices.Clone(r.Findings),
		func(f pickle.Finding) bool { return slices.Contains(rules, f.Rule) })
	if r.Omitted > 0 || !r.Complete {
		return &rest
	}
	rest.Verdict = pickle.Safe
	for i := range r.Imports {
		rest.Verdict = max(rest.Verdict, r.Imports[i].Verdict)
	}
	for i := range r.Calls {
		rest.Verdict = max(rest.Verdict, r.Calls[i].Verdict)
	}
	for i := range rest.Findings {
		rest.Verdict = max(rest.Verdict, rest.Findings[i].Severity.Verdict())
	}
	return &rest
}

// OnlyNumbers reports whether neither a format nor a pickle begins with head.
func OnlyNumbers(head []byte) bool {
	const enough = 16 // bytes, in which all magic numbers at the start of a file end
	if len(head) < enough || len(codec.Detect(head)) > 0 || starts(head) {
		return false
	}
	kind := filetype.DetectHead(head).Kind
	return kind == filetype.Unknown || kind == filetype.Zeros
}
