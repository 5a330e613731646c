// The classes of a handmade stream (section 6.4.2 of the specification).

package java

import (
	"slices"
	"testing"
)

func TestIn(t *testing.T) {
	stream := "\xac\xed\x00\x05sr\x00\x11java.util.HashMap12345678\x03\x00\x02xp" + // TC_OBJECT, TC_CLASSDESC: name, version, flags, fields
		"s}\x00\x00\x00\x01\x00\x12java.util.Iteratorxp" + // TC_PROXYCLASSDESC of one interface
		"sr\x00\x11java.util.HashMap12345678\x03\x00\x02xp" +
		"sr\x00\x11java.lang.Runtime12345678\x02\x00\x00xp"
	var got []string
	var bare string
	s := &Search{Size: int64(len(stream)), Class: func(name string, at int64) { got = append(got, name) }, Bare: func(name string) { bare = name }}
	s.In([]byte(stream), 0)
	want := []string{"java.util.HashMap", "java.lang.reflect.Proxy", "java.util.Iterator", "java.lang.Runtime"}
	if !Is([]byte(stream)) || !slices.Equal(got, want) || bare != "java.lang.Runtime" {
		t.Errorf("classes %q, want %q; bare is %q", got, want, bare)
	}
}

func TestOf(t *testing.T) {
	for class, want := range map[string]Class{
		"java.util.HashMap": Plain, "[J": Plain, "[Ljava.lang.Runtime;": Gadget, "java.lang.Runtime": Gadget, "java.rmi.server.ObjID": Gadget,
		"java.lang.RuntimeException": Plain, "ours.Model": Unknown,
	} {
		if got := Of(class); got != want {
			t.Errorf("%s is %d, want %d", class, got, want)
		}
	}
}
