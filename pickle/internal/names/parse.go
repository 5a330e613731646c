// Policy files: lines of a keyword and its arguments.

package names

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// A File is a parsed policy file.
type File struct {
	Profiles    []string
	Allow, Deny []string // names, and trees that end in ".*"
	Files       []string // SHA-256 digests in lower-case hexadecimal
}

// Parse parses a policy. It returns an error for an invalid line, and for one that allows a dangerous name.
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

// add adds the arguments of one line.
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
		return fmt.Errorf("unknown keyword %s: expected allow, deny, profile or file", wording.Quote(verb))
	}
	if len(words) == 0 {
		return fmt.Errorf("%s needs an argument", verb)
	}
	for _, word := range words {
		if err := judge(word); err != nil {
			return err
		}
	}
	*list = append(*list, words...)
	return nil
}

// isProfile returns an error if word is not the name of a profile.
func isProfile(word string) error {
	var known []string
	for _, p := range Profiles() {
		known = append(known, p.Name)
	}
	if !slices.Contains(known, word) {
		return fmt.Errorf("unknown profile %s: the profiles are %s", wording.Quote(word), strings.Join(known, ", "))
	}
	return nil
}

// isDigest returns an error if word is not a SHA-256 digest.
func isDigest(word string) error {
	if len(word) != 64 || strings.Trim(word, "0123456789abcdef") != "" {
		return fmt.Errorf("%s is not a SHA-256 digest (64 lower-case hexadecimal digits)", wording.Quote(word))
	}
	return nil
}
