// JSON objects, whose members are parsed when they are needed.

package config

import (
	"fmt"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// An Object holds the members of a JSON object. If two members have the same name, the last one
// counts, as in Python. A nil Object has no members.
type Object map[string]Value

// A Value is a member of an Object. The zero Value represents a missing member.
type Value struct {
	Name string
	jsonscan.Value
}

// objectOf returns the members of v, or nil if v is not an object.
func objectOf(v jsonscan.Value) Object {
	if v.Kind() != jsonscan.Object {
		return nil
	}
	o := make(Object)
	for name, member := range v.Members() {
		o[name] = Value{name, member}
	}
	return o
}

// Object returns the members of v, or nil if v is not an object.
func (v Value) Object() Object { return objectOf(v.Value) }

// Sentence returns a number with its name for messages, as in "hidden_size 4096".
func (v Value) Sentence() string {
	n, _ := v.Int()
	return fmt.Sprintf("%s %v", v.Name, wording.Grouped(n))
}

// First returns the first of the named members that exists and is not null.
func (o Object) First(names ...string) Value {
	for _, name := range names {
		if v, ok := o[name]; ok && v.Kind() != jsonscan.Null {
			return v
		}
	}
	return Value{}
}

// Text returns the named member if it is a string, and "" otherwise.
func (o Object) Text(name string) string {
	s, _ := o.First(name).Str()
	return s
}

// firstObject returns the first of the named members that is an object.
func (o Object) firstObject(names ...string) Object {
	for _, name := range names {
		if member := o[name].Object(); member != nil {
			return member
		}
	}
	return nil
}

// Ints returns the elements of v if it is an array of at most max whole numbers, or nil.
func (v Value) Ints(max int) []int64 {
	var list []int64
	for e := range v.Elements() {
		n, ok := e.Int()
		if !ok || len(list) == max {
			return nil
		}
		list = append(list, n)
	}
	return list
}
