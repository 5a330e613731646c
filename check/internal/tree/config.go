// Reading configuration files.

package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// A ConfigFile is a configuration file and its text.
type ConfigFile struct {
	config.File
	Path string
	Text []byte
}

// A ConfigReader reads configuration files, each once.
type ConfigReader struct {
	*Tree
	files map[string]*ConfigFile // by path
}

// NewConfigReader returns a reader of the configurations in a tree.
func NewConfigReader(of *Tree) *ConfigReader { return &ConfigReader{of, make(map[string]*ConfigFile)} }

// Read returns a configuration file. A file that is not valid is reported, and counts as missing.
func (r *ConfigReader) Read(ctx context.Context, folder, name string) *ConfigFile {
	file := path.Join(folder, name)
	if c := r.files[file]; c != nil {
		return c
	}
	c := &ConfigFile{Path: file}
	r.files[file] = c
	if r.Unlinked(file) || r.Sizes != nil && !r.Has(file) && !r.Odd[file] {
		return c // which saves a request to a server
	}
	text, err := r.text(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c
	case errors.Is(err, store.ErrNotRegular):
		r.Found(file).Add(rule.ConfigJSON, "", safetensors.Span{}, "%s cannot be read: %v", wording.Quote(name), err)
		return c
	case err != nil:
		r.Failed(file, err)
		return c
	case text == nil:
		return c
	}
	if t := filetype.DetectHead(text[:min(len(text), filetype.HeadSize)]); t.Kind.StandIn() {
		if !r.Has(file) { // otherwise judgeFetched reports it
			r.Found(file).Add(rule.NotFetched, "", safetensors.Span{End: int64(len(text))}, "%s is %s", wording.Quote(name), t)
			r.Found(file).Fix(t.Advice())
		}
		return c
	}
	c.Text, c.File = text, config.Parse(name, text)
	r.judgeNumbers(file, text)
	if c.Err != nil {
		at := safetensors.Span{}
		var syntax *jsonscan.SyntaxError
		if errors.As(c.Err, &syntax) {
			at = safetensors.Span{Begin: int64(syntax.Offset), End: min(int64(syntax.Offset)+1, int64(len(text)))}
		}
		r.Found(file).Add(rule.ConfigJSON, "", at, "%s is not a JSON object: %v", wording.Quote(name), c.Err)
		c.Err = nil
	}
	return c
}

// Forget frees the memory of a file.
func (r *ConfigReader) Forget(c *ConfigFile) { delete(r.files, c.Path) }

// nameBefore matches the name of a member.
var nameBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^"\\\n]{1,100})"\s*:`) })

// judgeNumbers reports the first number of a file that is not JSON.
func (r *ConfigReader) judgeNumbers(file string, text []byte) {
	at := -1
	for i, c := range jsonscan.WithoutNaN(text) {
		if c != text[i] {
			at = i
			break
		}
	}
	if at < 0 {
		return
	}
	word, before := "Infinity", text[:at]
	if text[at] == 'N' {
		word = "NaN"
	}
	of := ""
	if names := nameBefore().FindAllSubmatch(before, -1); len(names) > 0 {
		of = " of " + wording.Quote(string(names[len(names)-1][1]))
	}
	r.Found(file).Add(rule.ConfigNumber, "", safetensors.Span{Begin: int64(at), End: int64(at + len(word))},
		"line %d of %s has %s as the value%s, which is not JSON: Python reads it, and other programs refuse the file",
		bytes.Count(before, []byte("\n"))+1, wording.Quote(path.Base(file)), word, of)
}

// text reads a file. It returns nil for a file that is larger than a configuration may be, which it reports.
// Memory is allocated as bytes arrive.
func (r *ConfigReader) text(ctx context.Context, file string) ([]byte, error) {
	object, err := r.From.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if size := object.Size(); size > config.MaxSize {
		r.Found(file).Add(rule.ConfigJSON, "", safetensors.Span{End: size},
			"%s is larger than the limit for configurations: %s of at most %v",
			wording.Quote(path.Base(file)), wording.Count(size, "byte"), wording.Grouped(config.MaxSize))
		return nil, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", file, err)
	}
	return text, nil
}
