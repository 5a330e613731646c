// From what package header reads to a Report.

package safetensors

import (
	"unsafe"

	"github.com/weightools/safetensors/internal/header"
)

// ruleOf are the rules of package header.
var ruleOf = [header.NumRules]Rule{
	header.UTF8:             RuleUTF8,
	header.JSON:             RuleJSON,
	header.Limit:            RuleLimit,
	header.HeaderStart:      RuleHeaderStart,
	header.HeaderPadding:    RuleHeaderPadding,
	header.DuplicateName:    RuleDuplicateName,
	header.Metadata:         RuleMetadata,
	header.ReservedName:     RuleReservedName,
	header.Member:           RuleMember,
	header.MemberForm:       RuleMemberForm,
	header.UnknownMember:    RuleUnknownMember,
	header.Dtype:            RuleDtype,
	header.Shape:            RuleShape,
	header.Offsets:          RuleOffsets,
	header.Overflow:         RuleOverflow,
	header.WholeBytes:       RuleWholeBytes,
	header.TensorSize:       RuleTensorSize,
	header.Overlap:          RuleOverlap,
	header.Hole:             RuleHole,
	header.Truncated:        RuleTruncated,
	header.Trailing:         RuleTrailing,
	header.DataAlignment:    RuleDataAlignment,
	header.ElementAlignment: RuleElementAlignment,
	header.NameControl:      RuleNameControl,
	header.MetadataFormat:   RuleMetadataFormat,
	header.EntryOrder:       RuleEntryOrder,
}

// parser returns a parser with o's limits. If all, it looks for warnings and notes
// too; otherwise it may stop at the first violation that o does not accept.
func (o *Opener) parser(all bool) *header.Parser {
	p := &header.Parser{Options: header.Options{
		MaxTensors: o.MaxTensors, MaxRank: o.MaxRank, MaxMetadata: o.MaxMetadata, All: all,
	}}
	switch {
	case all:
	case o.Lenient:
		p.Fatal = func(r header.Rule) bool { return ruleOf[r].info().Severity >= Invalid }
	default:
		p.Fatal = func(r header.Rule) bool { return ruleOf[r].info().Severity >= Nonconforming }
	}
	return p
}

// newReport returns the report of a header of the given size, with room for the
// File in the same allocation.
func newReport(result *header.Result, size int64) *Report {
	var all struct {
		header Header
		report Report
		file   File
	}
	all.header = Header{
		Metadata: result.Metadata, Tensors: tensorInfos(result.Tensors), Size: size,
		byName: result.ByName, indexed: true,
	}
	all.report = Report{Header: &all.header, file: &all.file}
	for _, f := range result.Faults {
		v := violation(ruleOf[f.Rule], f.Tensor, Span(f.Span), "%s", f.Detail)
		all.report.Violations = append(all.report.Violations, v)
	}
	if result.Omitted != nil {
		all.report.Omitted = make(map[Rule]int)
		for rule, n := range result.Omitted {
			all.report.Omitted[ruleOf[rule]] = n
		}
	}
	return &all.report
}

// tensorInfos returns entries of package header without copying them: there may be
// a million.
//
// The conversion is safe because TensorInfo and header.Info have the same fields in
// the same order, of the same underlying types. TestTensorInfoLayout holds that.
func tensorInfos(entries []header.Info) []TensorInfo {
	return unsafe.Slice((*TensorInfo)(unsafe.Pointer(unsafe.SliceData(entries))), len(entries))
}
