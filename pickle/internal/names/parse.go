// Files of policies: lines of a word and what it is about.

package names

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// A File is what stands in the file of a policy.
type File struct {
	Profiles    []string
	Allow, Deny []string // names, and trees with their ".*"
	Files       []string // SHA-256 digests, in lower-case hexadecimal
}

// Parse reads a policy. It returns an error for a line that says nothing, or allows what
// may not be allowed.
func Parse(r io.Reader) (*File, error) {
	p := new(File)
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
func (p *File) add(verb string, words []string) error {
	list, judge := &p.Allow, MayAllow
	switch verb {
	case "allow":
	case "deny":
		list, judge = &p.Deny, check
	case "profile":
		list, judge = &p.Profiles, isProfile
	case "file":
		list, judge = &p.Files, isDigest
	default:
		return fmt.Errorf("expected allow, deny, profile or file, found %s", wording.Quote(verb))
	}
	if len(words) == 0 {
		return fmt.Errorf("%s what? A name has to follow", verb)
	}
	for _, word := range words {
		if err := judge(word); err != nil {
			return err
		}
	}
	*list = append(*list, words...)
	return nil
}

// isProfile returns an error if word is no profile.
func isProfile(word string) error {
	var known []string
	for _, p := range Profiles() {
		known = append(known, p.Name)
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
