// Outputs: where new files are written, as users name them.

package shards

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// An Output is the folder that new files are written to and, if it was named, the name of the one file.
type Output struct{ Dir, File string }

// FindOutput returns the output with that name. Every command that writes weights uses it, so a name means the same to
// all of them: an existing folder, a name that ends in a slash, and a name that does not exist are folders, which are
// created if necessary, unless the name is that of weights. A name that ends in ext is a file. If there are several files to write, ext is "". The files
// are described for errors, as in "3 shards to convert".
//
// If the name of a file is a symbolic link, the output is the file that it leads to. The error wraps [ErrRefused] if
// the name makes no sense.
func FindOutput(name, ext, files string) (Output, error) {
	if name == "" || name == "-" {
		return Output{}, refuse("the output %q is neither a file nor a folder: the output is read again to verify it",
			name)
	}
	info, err := os.Stat(filepath.Clean(name))
	exists, slash := err == nil, os.IsPathSeparator(name[len(name)-1])
	isName := ext != "" && strings.HasSuffix(name, ext)
	switch {
	case exists && info.IsDir(), !exists && slash:
		return Output{Dir: name}, nil
	case slash:
		return Output{}, refuse("the output %q is a file, not a folder", filepath.Clean(name))
	case isName:
		return fileOutput(name)
	case !exists && filetype.WeightsFormat(name) == "" && !strings.HasSuffix(name, indexSuffix):
		return Output{Dir: name}, nil
	case ext != "":
		return Output{}, refuse("the output %q is a file that does not end in %q, by which readers find weights", name,
			ext)
	default:
		return Output{}, refuse("the output %q is a file, and there are %s: name a folder", name, files)
	}
}

// fileOutput returns the output that is one file, after following links. In a cache, links lead to files that are
// named after their content, which must not be replaced.
func fileOutput(name string) (Output, error) {
	path, err := atomicfile.Follow(name)
	if err != nil {
		return Output{}, err
	}
	if strings.HasSuffix(name, weightsSuffix) && !strings.HasSuffix(path, weightsSuffix) {
		return Output{}, refuse("the output %q is a link to %q, which does not end in %q and may be part of a cache: "+
			"remove the link, or write to another name", name, path, weightsSuffix)
	}
	dir, file := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	return Output{dir, file}, nil
}

// Rival returns the path of another model in a folder under the name of one of the files that are written there, and
// that name; "" if there is none. Such are model.safetensors and an index of the same name with its shards: loaders
// differ in which of them they read.
func Rival(dir string, files []string) (rival, file string) {
	ours := make(map[string]bool, len(files))
	for _, name := range files {
		ours[name] = true
	}
	for _, name := range files {
		other, isIndex := strings.CutSuffix(name, indexSuffix)
		if !isIndex {
			other = name + indexSuffix
		}
		if _, err := os.Stat(filepath.Join(dir, other)); err == nil && !ours[other] {
			return other, name
		}
	}
	return "", ""
}
