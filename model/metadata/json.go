// JSON in strings: a fact for each member.

package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// mostMembers is the most members of an object that become facts. Published objects have a few dozen; a hostile
// one may have millions.
const mostMembers = 100

// A jsonMember is a member of an object. Its value is a string's content, or other JSON without white space.
type jsonMember struct{ name, value string }

// expand returns the facts in a value that may be JSON. Each member of an object is a fact. Nested values and
// other JSON are returned as JSON without white space. The name is the prefix of the members' names, or the name
// of the fact if the value is not an object.
func expand(key, name, value string) []Fact {
	list, ok := membersOf(value)
	if !ok || len(list) == 0 {
		return []Fact{{orKey(name, key), compact(value), key}}
	}
	var facts []Fact
	for i, m := range list {
		if i == mostMembers {
			facts = append(facts, Fact{prefixed(name, "more"), fmt.Sprintf("%d members", len(list)-mostMembers), key})
			break
		}
		facts = append(facts, Fact{prefixed(name, m.name), m.value, key})
	}
	return facts
}

func orKey(name, key string) string {
	if name == "" {
		return key
	}
	return name
}

func prefixed(name, member string) string {
	if name == "" {
		return member
	}
	return name + ": " + member
}

// membersOf returns the members of a JSON object in their order, or false if the text is something else.
func membersOf(value string) ([]jsonMember, bool) {
	text := []byte(strings.TrimSpace(value))
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		return nil, false
	}
	var list []jsonMember
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return nil, false
		}
		list = append(list, jsonMember{fmt.Sprint(name), textOf(raw)})
	}
	return list, true
}

// textOf returns a JSON value as text.
func textOf(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return compact(string(raw))
}

// compact returns JSON without white space, and other text unchanged.
func compact(value string) string {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return value
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(trimmed)) != nil {
		return value
	}
	return b.String()
}

// number returns a JSON number unchanged, or "?" if it is missing.
func number(n json.Number) string {
	if n == "" {
		return "?"
	}
	return n.String()
}

// count returns a JSON number for sorting, or 0 if it is not a whole number.
func count(n json.Number) int64 {
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		return 0
	}
	return i
}
