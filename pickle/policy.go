// Policies: what a user adds to the built-in lists.

package pickle

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
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
	p := new(Policy)
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := p.add(words[0], words[1:]); err != nil {
			return nil, fmt.Errorf("policy: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return p, nil
}

// add adds a line's words.
func (p *Policy) add(verb string, words []string) error {
	list, check := &p.Allow, names.MayAllow
	switch verb {
	case "allow":
	case "deny":
		list, check = &p.Deny, names.Check
	case "profile":
		list, check = &p.Profiles, isProfile
	case "file":
		list, check = &p.Files, isDigest
	default:
		return fmt.Errorf("expected allow, deny, profile or file, found %s", wording.Quote(verb))
	}
	if len(words) == 0 {
		return fmt.Errorf("%s what? A name has to follow", verb)
	}
	for _, word := range words {
		if err := check(word); err != nil {
			return err
		}
	}
	*list = append(*list, words...)
	return nil
}

// isProfile returns an error if word is no profile.
func isProfile(word string) error {
	var known []string
	for name := range Profiles() {
		known = append(known, name)
	}
	if !slices.Contains(known, word) {
		return fmt.Errorf("there is no profile %s: there are %s", wording.Quote(word), strings.Join(known, ", "))
	}
	return nil
}

// isDigest returns an error if word is no SHA-256.
func isDigest(word string) error {
	if len(word) != 64 || strings.Trim(word, "0123456789abcdef") != "" {
		return fmt.Errorf("%s is no SHA-256: 64 hexadecimal digits in lower case are", wording.Quote(word))
	}
	return nil
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
