// Safetensors files: only their metadata could contain code.

package scan

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle/scan/internal/known"
)

// isSafetensors reports whether the part begins with a plausible header length and a brace.
func (p *part) isSafetensors(head []byte) bool {
	const lengthSize = 8
	if len(head) <= lengthSize || head[lengthSize] != '{' {
		return false
	}
	n := binary.LittleEndian.Uint64(head)
	return n <= safetensors.MaxHeaderSize && int64(n) <= p.size-lengthSize
}

// safetensors analyzes a safetensors file.
func (p *part) safetensors(head []byte) error {
	most := p.MaxMemory / 3 * 2 // parsing takes about half as much again
	if n := int64(binary.LittleEndian.Uint64(head)); n > most {
		p.Is("safetensors")
		p.explain(0, 8+n)
		p.overBudget(0, "the header has %s; at most %s are read", bytesOf(n), bytesOf(most))
		return nil
	} else if !p.Spend(costJSON * n) {
		p.OverWork(0)
		return nil
	}
	report, err := safetensors.Validate(p.file, p.size)
	if err != nil {
		return err
	}
	if report.Header == nil {
		return nil // not a safetensors file
	}
	p.Is("safetensors")
	end := report.Header.DataStart()
	for i := range report.Header.Tensors {
		end = max(end, report.Header.FileSpan(&report.Header.Tensors[i]).End)
	}
	p.explain(0, min(end, p.size))
	if p.saysPickle() || extensionOf(p.name) == ".bin" {
		p.Find(RuleLookAlike, 0, "%s is a safetensors file, which contains no code", quoted(p.name))
	}
	if v := report.First(safetensors.Nonconforming); v != nil {
		p.Find(RuleNotSafeTensor, v.Span.Begin, "%s; `weigh check` lists all findings", v.Detail)
	}
	keys := make([]string, 0, len(report.Header.Metadata))
	for key := range report.Header.Metadata {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		for _, text := range [...]string{key, report.Header.Metadata[key]} {
			p.metadata(key, text)
		}
		p.texts().Value(key, report.Header.Metadata[key], 8)
	}
	return nil
}

// metadata searches a text of the metadata for code.
func (p *part) metadata(key, text string) {
	if mark, at := known.Mark(strings.ToLower(text)); mark != "" {
		const around = 30 // bytes
		// The lower-case text may have another length.
		excerpt := text[min(max(at-around, 0), len(text)):min(at+len(mark)+around, len(text))]
		p.Find(RuleMetadataCode, 0, "the metadata %s contains %s: %s", quoted(key), quoted(mark), quoted(excerpt))
		return
	}
	for _, magic := range [...]string{"\x80\x02", "\x80\x03", "\x80\x04", "gASV", "gAJ", "PK\x03\x04"} {
		if strings.HasPrefix(text, magic) {
			p.Find(RuleMetadataCode, 0, "the metadata %s begins like a pickle or an archive", quoted(key))
			return
		}
	}
}
