// Package gen writes the test vectors for sets of files, and checks that the folders
// in the repository are what it writes. In the folder of package vectors, run
//
//	go test ./sets/gen -update
package gen

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

var update = flag.Bool("update", false, "write the vectors and remove stale ones")

// vectors are all vectors by the names of their folders: the broken rule, and the
// case.
var vectors = []struct {
	name string
	make func(*vector)
}{
	{"healthy/one-file", oneFile},
	{"healthy/index", anIndex},
	{"healthy/numbers", numbers},
	{"healthy/six-digits", sixDigits},
	{"healthy/zero-based", zeroBased},
	{"healthy/zero-based-inclusive", zeroBasedInclusive},
	{"healthy/underscore", underscore},
	{"healthy/no-leading-zeros", noLeadingZeros},
	{"healthy/parts-of-one-model", partsOfOneModel},
	{"healthy/pipeline", pipeline},
	{"healthy/adapter", adapter},
	{"healthy/adapter-beside-model", adapterBesideModel},
	{"healthy/empty-tensor", emptyTensor},
	{"healthy/steps", steps},
	{"healthy/steps-in-folders", stepsInFolders},
	{"healthy/average", average},
	{"healthy/two-indexes", twoIndexes},

	{"index-json/cut-off", indexCutOff},
	{"index-json/no-map", indexNoMap},
	{"index-json/number", indexNumber},
	{"index-json/twice", indexTwice},
	{"index-json/pointer", indexPointer},
	{"index-path/dotdot", indexPath("../model-00002-of-00002.safetensors")},
	{"index-path/absolute", indexPath("/etc/model-00002-of-00002.safetensors")},
	{"index-path/drive", indexPath("C:model-00002-of-00002.safetensors")},
	{"index-path/url", indexPath("https://example.org/model-00002-of-00002.safetensors")},
	{"index-path/backslash", indexPath(`..\model-00002-of-00002.safetensors`)},
	{"index-path/hidden", indexPathOther(".cache/model-00002-of-00002.safetensors", "the name of a shard has an element that begins with a dot")},
	{"index-path/other-file", indexPathOther("id_rsa", "the name of a shard does not end in .safetensors")},
	{"shard-missing/of-index", shardMissing},
	{"shard-missing/by-number", shardMissingByNumber},
	{"shard-missing/zero-based", shardMissingZeroBased},
	{"shard-missing/stale-index", shardMissingStaleIndex},
	{"index-stale/of-the-original", indexStale},
	{"shard-extra/left-over", shardExtra},
	{"tensor-missing/of-index", tensorMissing},
	{"tensor-misplaced/other-shard", tensorMisplaced},
	{"tensor-unlisted/in-shard", tensorUnlisted},
	{"tensor-conflict/bytes", tensorConflictBytes},
	{"tensor-conflict/dtype", tensorConflictDtype},
	{"tensor-conflict/shape", tensorConflictShape},
	{"tensor-conflict/no-index", tensorConflictNoIndex},
	{"tensor-twice/equal", tensorTwice},
	{"total-size/elements", totalSize},
	{"two-copies/precision", twoCopiesPrecision},
	{"two-copies/precision-index", twoCopiesPrecisionIndex},
	{"two-copies/equal-bytes", twoCopiesEqualBytes},
	{"two-copies/whole", twoCopiesWhole},
	{"two-copies/consolidated", twoCopiesConsolidated},
	{"two-copies/original", twoCopiesOriginal},

	{"not-safetensors/pointer", shardIsPointer},
	{"not-safetensors/page", shardIsPage},
	{"truncated/in-last-tensor", shardIsCutOff},
}

// writeAll writes all vectors below root.
func writeAll(root string) error {
	for _, one := range vectors {
		v := &vector{files: make(map[string][]byte)}
		one.make(v)
		if err := v.write(filepath.Join(root, filepath.FromSlash(one.name))); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes the vectors that are below root, and nothing else.
func removeAll(root string) error {
	heads, err := filepath.Glob(filepath.Join(root, "*", "*", "vector.txt"))
	for _, head := range heads {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(head)))
	}
	return err
}

// A vector is a folder of files, and what is said of it.
type vector struct {
	files map[string][]byte

	rule    string // "" if none is broken
	file    string // the file at fault
	tensor  string // the tensor at fault
	at      string // the bytes of the index at fault
	sets    string // how many sets there are, and how many are counted
	comment string // one line: what the matter is
}

// severities are those of the rules, by hand: vectors are to be a second source.
var severities = map[string]string{
	"index-json":       "invalid",
	"index-path":       "invalid",
	"shard-missing":    "invalid",
	"index-stale":      "warning",
	"shard-extra":      "warning",
	"tensor-missing":   "invalid",
	"tensor-misplaced": "invalid",
	"tensor-unlisted":  "warning",
	"tensor-conflict":  "invalid",
	"tensor-twice":     "warning",
	"total-size":       "warning",
	"two-copies":       "note",
	"not-safetensors":  "invalid",
	"truncated":        "invalid",
}

// write writes the vector to a directory.
func (v *vector) write(dir string) error {
	v.files["vector.txt"] = v.head()
	for name, content := range v.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// head returns what is said of the vector, in the form of all vectors.
func (v *vector) head() []byte {
	var b bytes.Buffer
	say := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	severity := severities[v.rule]
	if severity == "invalid" {
		say("expect", "refuse")
	} else {
		say("expect", "accept")
	}
	say("rule", v.rule)
	say("severity", severity)
	say("file", v.file)
	if v.tensor != "" {
		say("tensor", fmt.Sprintf("%q", v.tensor))
	}
	say("bytes", v.at)
	say("sets", v.sets)
	say("comment", v.comment)
	return b.Bytes()
}

// breaks says that the vector breaks a rule, by a file and a tensor.
func (v *vector) breaks(rule, file, tensor, comment string) {
	v.rule, v.file, v.tensor, v.comment = rule, file, tensor, comment
}

// faultAt says that the fault is the given piece of the index, where it stands
// last; "" is the end of the index.
func (v *vector) faultAt(piece string) {
	i := bytes.LastIndex(v.files[index], []byte(piece))
	if i < 0 {
		log.Fatalf("the index has no %s", piece)
	}
	v.at = fmt.Sprintf("%d-%d", i, i+len(piece))
}
