// Policies: what a user adds to the built-in lists.

package pickle

import (
	"io"
	"iter"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/names"
)

// A Policy adds to the built-in lists. The zero value adds nothing. It must not be
// changed while an analysis uses it.
type Policy struct {
	// Profiles are names of built-in lists that are otherwise off: see Profiles.
	Profiles []string

	// Allow and Deny are dotted names, as in "mymodel.Net", or trees of them, as
	// in "mymodel.*". Deny wins over Allow, and Allow over the built-in lists:
	// ParsePolicy has the limits of it.
	Allow, Deny []string

	// Files are SHA-256 digests, in lower-case hexadecimal, of files that have
	// been looked at and are accepted as they are. This package knows no files,
	// so it is whoever opens them that compares.
	Files []string
}

// Profiles yields the names of the built-in profiles, and what each is for.
func Profiles() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, p := range names.Profiles() {
			if !yield(p.Name, p.Text) {
				return
			}
		}
	}
}

// ParsePolicy reads a policy. A line is a word and what it is about:
//
//	# what our models are made of
//	allow ourmodel.Net ourmodel.layers.*
//	deny  numpy.core.multiarray.scalar
//	profile sklearn
//	file  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//
// It is an error to allow what the built-in lists call dangerous: by a tree at
// all, and by name if it is dangerous in itself and not by where it stands.
func ParsePolicy(r io.Reader) (*Policy, error) {
	lists, err := names.Parse(r)
	if err != nil {
		return nil, err
	}
	return &Policy{Profiles: lists.Profiles, Allow: lists.Allow, Deny: lists.Deny, Files: lists.Files}, nil
}

// compile makes the policy ready for judging.
func (p *Policy) compile() *names.Policy {
	if p == nil {
		p = &Policy{}
	}
	return names.New(p.Profiles, p.Allow, p.Deny)
}

// Why says why the import has its verdict, and what decided.
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

// Allow returns the line that a user who trusts the name would add to a policy,
// "" if none would do.
func (im *Import) Allow() string {
	name := names.Join(im.ResolvedModule, im.ResolvedName)
	if im.Verdict != Suspicious || im.Module == "" || strings.ContainsAny(name, "# \t\r\n*") || names.MayAllow(name) != nil {
		return ""
	}
	return "allow " + name
}
