// Policies: the user's additions to the built-in lists.

package pickle

import (
	"io"
	"iter"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/names"
)

// A Policy adds to the built-in lists. The zero value adds nothing. A Policy must not be changed while an analysis uses
// it.
type Policy struct {
	// Profiles enables built-in profiles; see the function Profiles.
	Profiles []string

	// Allow and Deny are dotted names such as "mymodel.Net", or trees such as "mymodel.*". Deny has priority over
	// Allow, and Allow over the built-in lists, within the limits that ParsePolicy enforces.
	Allow, Deny []string

	// Files are SHA-256 digests, in lower-case hexadecimal, of files that were reviewed and accepted. This package does
	// not open files; its callers compare the digests.
	Files []string
}

// Profiles yields the names and descriptions of the built-in profiles.
func Profiles() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, p := range names.Profiles() {
			if !yield(p.Name, p.Text) {
				return
			}
		}
	}
}

// ParsePolicy parses a policy file. Each line is a keyword and its arguments:
//
//	# the classes of our models
//	allow ourmodel.Net ourmodel.layers.*
//	deny  numpy.core.multiarray.scalar
//	profile sklearn
//	file  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//
// Names that the built-in lists deny individually, or because of their family, cannot be allowed; a tree cannot be
// allowed if it contains a denied name.
func ParsePolicy(r io.Reader) (*Policy, error) {
	lists, err := names.Parse(r)
	if err != nil {
		return nil, err
	}
	return &Policy{Profiles: lists.Profiles, Allow: lists.Allow, Deny: lists.Deny, Files: lists.Files}, nil
}

// compile prepares the policy for an analysis.
func (p *Policy) compile() *names.Policy {
	if p == nil {
		p = &Policy{}
	}
	return names.New(p.Profiles, p.Allow, p.Deny)
}

// Why explains the verdict on the import, with the entry that decided.
func (im *Import) Why() string {
	s := im.Rule.Text()
	if family := names.Why(string(im.Rule), im.Entry); family != "" {
		s = family
	}
	if im.Entry != "" {
		s += " (" + im.Entry + ")"
	}
	return s
}

// Allow returns the policy line that allows the name, or "" if a policy cannot allow it.
func (im *Import) Allow() string {
	name := names.Join(im.ResolvedModule, im.ResolvedName)
	invalid := im.Module == "" || strings.ContainsAny(name, "# \t\r\n*")
	if im.Verdict != Suspicious || invalid || names.MayAllow(name) != nil {
		return ""
	}
	return "allow " + name
}

// Profile returns the built-in profile that allows a suspicious import, "" if none does.
func (im *Import) Profile() string {
	if im.Verdict != Suspicious {
		return ""
	}
	for _, p := range names.Profiles() {
		if names.New([]string{p.Name}, nil, nil).Judge(names.Import{Module: im.Module, Name: im.Name,
			ResolvedModule: im.ResolvedModule, ResolvedName: im.ResolvedName}).Level == names.Safe {
			return p.Name
		}
	}
	return ""
}
