// Facts, groups and keys.

package metadata

// A Fact is one thing that metadata says.
type Fact struct {
	Name  string // in words, as in "learning rate", or the key itself
	Value string // in words if the meaning is clear, or unchanged
	Key   string // the key in the metadata
}

// A Group is facts about one topic.
type Group struct {
	Title string
	Facts []Fact
}

// The titles of groups, in their order.
const (
	Model    = "Model"    // name, author, base model
	Adapter  = "Adapter"  // LoRA and similar
	Training = "Training" // settings of the training
	Dataset  = "Dataset"  // training data
	Digests  = "Digests"  // hashes of this and other files, as claimed
	Other    = "Other"    // unknown keys
)

// titles are the titles in order.
var titles = [...]string{Model, Adapter, Training, Dataset, Digests, Other}

// A form is how the value of a key is read.
type form int

const (
	text      form = iota // unchanged
	flag                  // "True" or "False", as Python writes them
	moment                // seconds since 1970
	dataURI               // a picture, shown by its type and size
	framework             // the framework that wrote the file
	members               // a JSON object, with a fact for each member
	object                // JSON in a special form, read by a function
)

// A knownKey is a key that a program is known to write.
type knownKey struct {
	key, group, name string
	form             form
	read             func(k *knownKey, value string) []Fact // for object; returns nil if the form is wrong
}
