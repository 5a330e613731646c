// Rules and the faults that break them.

package header

// A Rule is one of the rules that a header can break. The root package has a
// Rule of the same name for each, prefixed by "Rule".
type Rule uint8

// The rules. None means that no rule is broken.
const (
	None Rule = iota
	UTF8
	JSON
	Limit
	HeaderStart
	HeaderPadding
	DuplicateName
	Metadata
	ReservedName
	Member
	MemberForm
	UnknownMember
	Dtype
	Shape
	Offsets
	Overflow
	WholeBytes
	TensorSize
	Overlap
	Hole
	Truncated
	Trailing
	DataAlignment
	ElementAlignment
	NameControl
	MetadataFormat
	EntryOrder
	NumRules // the number of rules
)

// A Fault is a broken rule.
type Fault struct {
	Rule   Rule
	Tensor string // the tensor's name, or ""
	Span   Span   // of the file
	Detail string // what is wrong, in words
}

// MaxOfRule is how many faults of one rule are kept. A hostile header can break a
// rule a million times, and must not cost a million reports.
const MaxOfRule = 1000
