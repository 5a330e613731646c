// The text of maps.

package remap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/weightools/safetensors/internal/wording"
)

// assignment matches a line that defines a parameter.
var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_]\w*)\s*=\s*(\d+)$`) })

// Parse reads a map: lines as the package comment shows them, or a JSON object of names before and after, where null
// drops a tensor. Name is the name of the file, for errors. Empty lines, and lines that begin with #, are skipped.
func Parse(name string, text []byte) (*Map, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed) {
		return parseJSON(name, trimmed)
	}
	var rules []Rule
	params := make(map[string]int64)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, number)
		if m := assignment().FindStringSubmatch(line); m != nil {
			n, err := strconv.ParseInt(m[2], 10, 40)
			if err != nil {
				return nil, fmt.Errorf("%s: %s is too large", where, m[2])
			}
			params[m[1]] = n
			continue
		}
		r, err := parseRule(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		r.Where = where
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s has no rules; each is a line FROM => TO, or a member \"FROM\": \"TO\" of a JSON object", name)
	}
	return New(rules, params)
}

// parseRule parses "FROM + FROM => TO + TO : STEPS".
func parseRule(line string) (Rule, error) {
	from, to, ok := strings.Cut(line, " => ")
	if !ok {
		return Rule{}, fmt.Errorf("%s is not of the form FROM => TO, with spaces around the arrow", wording.Quote(line))
	}
	to, steps, _ := strings.Cut(to, " : ")
	r := Rule{From: fields(from), To: fields(to), Steps: strings.TrimSpace(steps)}
	if len(r.To) == 1 && r.To[0] == "-" {
		r.To = nil
	}
	return r, nil
}

// fields splits names that " + " separates.
func fields(text string) []string {
	list := strings.Split(text, " + ")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// parseJSON reads an object of names.
func parseJSON(name string, text []byte) (*Map, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var rules []Rule
	seen := make(map[string]bool)
	for d.More() {
		key, err := d.Token()
		var value *string
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: expected an object of names, as {\"old\": \"new\"}: %w", name, err)
		}
		from := key.(string)
		if seen[from] {
			return nil, fmt.Errorf("%s: %q occurs twice", name, from)
		}
		seen[from] = true
		r := Rule{From: []string{from}, Where: fmt.Sprintf("%s: %q", name, from)}
		if value != nil {
			r.To = []string{*value}
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s has no names", name)
	}
	return New(rules, nil)
}
