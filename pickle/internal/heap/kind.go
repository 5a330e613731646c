// The kinds of values.

package heap

// A Kind is the type of a value.
type Kind uint8

// The kinds.
const (
	KindUnknown    Kind = iota // the result of an invalid program
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
	KindGlobal                 // an import, with a module and a name
	KindCall                   // the result of a call
	KindPersistent             // an object that the loader finds by its ID
	KindBuffer                 // an out-of-band buffer
)

var kindNames = [...]string{"unknown", "None", "bool", "int", "float", "str", "bytes", "bytearray", "tuple", "list",
	"dict", "set", "frozenset", "global", "call", "persistent", "buffer"}

// String returns the name of the Python type, or of the kind if there is none.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}
