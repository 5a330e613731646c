// Kinds: what sorts of values there are.

package heap

// A Kind is what kind of thing a value is.
type Kind uint8

// The kinds.
const (
	KindUnknown    Kind = iota // what a broken program would have had
	KindNone                   // None
	KindBool                   // False or True
	KindInt                    // an int of any size
	KindFloat                  // a float
	KindStr                    // a str
	KindBytes                  // bytes
	KindByteArray              // a bytearray
	KindTuple                  // a tuple
	KindList                   // a list
	KindDict                   // a dict
	KindSet                    // a set
	KindFrozenSet              // a frozenset
	KindGlobal                 // an import: a module and a name, and nothing more
	KindCall                   // the result of a call that was not made
	KindPersistent             // an object that the loader is to find by its id
	KindBuffer                 // a buffer that comes with the pickle, outside of it
)

var kindNames = [...]string{"unknown", "None", "bool", "int", "float", "str", "bytes", "bytearray", "tuple", "list",
	"dict", "set", "frozenset", "global", "call", "persistent", "buffer"}

// String returns the kind's name, that of the type in Python if there is one.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}
