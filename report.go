// The violations of one file.

package safetensors

// A Report is what Validate found.
type Report struct {
	// Header is what could be read of the header, or nil. It includes invalid
	// entries as far as they could be read.
	Header *Header

	// Violations are in the order of the bytes at fault, at most 1,000 of each
	// rule.
	Violations []*Violation

	// Omitted is the number of further violations of each rule, or nil.
	Omitted map[Rule]int

	file *File // memory for the File, allocated together with the report
}

// Err returns the first violation of severity Nonconforming or Invalid, or nil
// if the file is valid.
func (r *Report) Err() error {
	if v := r.First(Nonconforming); v != nil {
		return v
	}
	return nil
}

// First returns the first violation of at least the given severity, or nil.
func (r *Report) First(least Severity) *Violation {
	for _, v := range r.Violations {
		if v.Severity >= least {
			return v
		}
	}
	return nil
}

// reportOf returns a report of one violation.
func reportOf(v *Violation) *Report { return &Report{Violations: []*Violation{v}} }
