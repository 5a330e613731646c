// Finding the files of a source: one, or shards with an index.

package convert

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
)

// A located is the files of a source.
type located struct {
	names  []string // of files, those of shards in the order of their names
	folder bool     // whether a folder or an index was named
	index  *checkpoint.Index
	from   string // the name of the index
	stem   string // what names of new files begin with
}

// indexEnds are the ends of names of indexes of PyTorch's shards.
var indexEnds = []string{".bin.index.json", ".pt.index.json", ".pth.index.json", ".ckpt.index.json"}

// fileEnds are those of checkpoints, as far as names tell: in a folder, other files are
// not looked at.
var fileEnds = []string{".bin", ".pt", ".pth", ".ckpt", ".npz", ".pkl"}

// locate finds the files of a source.
func locate(src string) (*located, error) {
	info, err := os.Stat(src)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return inFolder(src)
	case strings.HasSuffix(src, ".index.json"):
		return byIndex(src)
	}
	return &located{names: []string{src}, stem: stemOf(src)}, nil
}

// stemOf returns what the name of a new file begins with. The libraries of Hugging Face
// call one model "pytorch_model.bin" and "model.safetensors".
func stemOf(name string) string {
	base := filepath.Base(name)
	for _, end := range slices.Concat(indexEnds, fileEnds) {
		base = strings.TrimSuffix(base, end)
	}
	if base = strings.TrimPrefix(base, "pytorch_"); base == "" || base[0] == '.' {
		return "model"
	}
	return base
}

// inFolder finds the index in a folder, or the one checkpoint that is in it.
func inFolder(dir string) (*located, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var indexes, files []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir() || strings.HasPrefix(name, "."):
		case endsWith(name, indexEnds):
			indexes = append(indexes, name)
		case endsWith(name, fileEnds):
			files = append(files, name)
		}
	}
	switch {
	case len(indexes) == 1:
		l, err := byIndex(filepath.Join(dir, indexes[0]))
		return l, err
	case len(indexes) > 1:
		return nil, refuse("%s has %s: name one of them, such as %s", wording.Quote(dir), wording.Count(len(indexes), "index"), wording.Quote(path.Join(filepath.ToSlash(dir), indexes[0])))
	case slices.Contains(files, "pytorch_model.bin"):
		files = []string{"pytorch_model.bin"}
	case len(files) == 0:
		text := fmt.Sprintf("there is no checkpoint of PyTorch or NumPy in %s: names of those end in %s", wording.Quote(dir), strings.Join(fileEnds, ", "))
		return nil, &fileError{text, fs.ErrNotExist}
	case len(files) > 1:
		return nil, refuse("%s has %s, and no index says which belong together: name one of them, such as %s",
			wording.Quote(dir), wording.Count(len(files), "checkpoint"), wording.Quote(path.Join(filepath.ToSlash(dir), files[0])))
	}
	return &located{names: []string{filepath.Join(dir, files[0])}, folder: true, stem: stemOf(files[0])}, nil
}

func endsWith(name string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

// byIndex finds the shards that an index names.
func byIndex(name string) (*located, error) {
	const most = 250_000_000 // bytes, as for checkpoint.Options
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	fault := func(format string, args ...any) error {
		return &SourceError{filepath.ToSlash(name), fmt.Errorf(format, args...)}
	}
	if len(text) > most {
		return nil, fault("the index has more than %s", wording.Count(int64(most), "byte"))
	}
	index, report := checkpoint.ParseIndex(text)
	for _, v := range report.Violations {
		// Names of shards are judged below: those of PyTorch end otherwise.
		if v.Rule == checkpoint.RuleIndexJSON {
			return nil, fault("%w", v)
		}
	}
	l := &located{folder: true, index: index, from: filepath.ToSlash(name), stem: stemOf(name)}
	seen := make(map[string]bool)
	for _, e := range index.Tensors {
		if seen[e.Shard] {
			continue
		}
		seen[e.Shard] = true
		if !safeShard(e.Shard) {
			return nil, fault("the shard %s is no name of a file beside the index", wording.Quote(e.Shard))
		}
		l.names = append(l.names, filepath.Join(filepath.Dir(name), filepath.FromSlash(e.Shard)))
	}
	if len(l.names) == 0 {
		return nil, fault("the index names no shards")
	}
	slices.Sort(l.names)
	return l, nil
}

// safeShard says whether the name of a shard stays in the folder of the index, on every
// system.
func safeShard(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, `\:`) && filepath.IsLocal(filepath.FromSlash(name)) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) && !strings.Contains("/"+name, "/.")
}

// aim settles where the new files go.
func (l *located) aim(dst string) (dir, stem string, err error) {
	info, err := os.Stat(dst)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	isFolder := err == nil && info.IsDir() || dst != "" && os.IsPathSeparator(dst[len(dst)-1])
	named := strings.HasSuffix(dst, weightsEnd) && !isFolder
	switch {
	case dst == "" || dst == "-":
		return "", "", refuse("the target %q is no file and no folder: what is written has to be read again", dst)
	case isFolder:
		return dst, l.stem, nil
	case named && len(l.names) > 1:
		return "", "", refuse("the target %q is a file, and %s are converted: name a folder", dst, wording.Count(len(l.names), "shard"))
	case named:
		dir = filepath.Dir(dst)
		if _, err := os.Stat(dir); err != nil {
			return "", "", fmt.Errorf("convert: there is no folder %q to write %q to: %w", dir, filepath.Base(dst), fs.ErrNotExist)
		}
		return dir, strings.TrimSuffix(filepath.Base(dst), weightsEnd), nil
	case !l.folder:
		return "", "", refuse("the target %q does not end in %q, by which readers find weights, and is no folder", dst, weightsEnd)
	case info != nil:
		return "", "", refuse("the target %q is a file, and a folder is due", dst)
	}
	return dst, l.stem, nil
}

// weightsEnd is what names of the new files end in.
const weightsEnd = ".safetensors"
