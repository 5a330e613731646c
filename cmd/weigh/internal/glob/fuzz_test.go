package glob

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// asRegexp returns what the parts of a pattern mean as a regular expression.
func asRegexp(parts []part, sep string) string {
	var b strings.Builder
	for _, p := range parts {
		switch p.kind {
		case literal:
			b.WriteString(regexp.QuoteMeta(p.text))
		case word:
			b.WriteString("[^" + sep + "]*")
		case all:
			b.WriteString(".*")
		case folders:
			b.WriteString("(?:.*/)?")
		case one:
			b.WriteString("[^" + sep + "]")
		case class:
			b.WriteString("[")
			if p.not {
				b.WriteString("^" + sep)
			}
			for _, s := range p.in {
				b.WriteString(regexp.QuoteMeta(string(rune(s.lo))) + "-" + regexp.QuoteMeta(string(rune(s.hi))))
			}
			b.WriteString("]")
		}
	}
	return "(?s)^(?:" + b.String() + ")$"
}

// FuzzMatch compares matching with package regexp.
func FuzzMatch(f *testing.F) {
	f.Add("model.layers.*.[a-c!]?", "model.layers.7.ax", false)
	f.Add("**/a**[^b]\\*", "x/y/aac*", true)
	f.Add("*a*a*b", "aaaaab", false)
	f.Fuzz(func(t *testing.T, pattern, name string, path bool) {
		if len(pattern) > 60 || len(name) > 100 || !utf8.ValidString(pattern+name) || strings.Contains(pattern, "-") &&
			strings.ContainsAny(pattern, `\"#&'()*+,./`) && strings.Contains(pattern, "[") {
			return // a range of punctuation is hard to quote in a class
		}
		compile, sep := Compile, `.`
		if path {
			compile, sep = CompilePath, `/`
		}
		p, err := compile(pattern)
		if err != nil {
			return
		}
		for _, part := range p.parts {
			if part.kind == number {
				return // matching depends on the digits around it: see TestMatch
			}
		}
		re, err := regexp.Compile(asRegexp(p.parts, sep))
		if err != nil {
			t.Skip(err)
		}
		if got, want := p.Match(name), re.MatchString(name); got != want {
			t.Errorf("%q matches %q: %v, and %s: %v", pattern, name, got, re, want)
		}
		// What a pattern matches, it also matches in a longer name if it has ** around it.
		if p.Match(name) {
			if wide, err := Compile("**" + pattern + "**"); err == nil && !path && !wide.Match("x."+name+".y") {
				t.Errorf("%q does not match in the middle of %q", pattern, name)
			}
		}
	})
}
