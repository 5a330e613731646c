// Reading configuration files.

package check

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
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// A configFile is a configuration file and its text.
type configFile struct {
	config.File
	path string
	text []byte
}

// A configReader reads configuration files, each once.
type configReader struct {
	*folder
	files map[string]*configFile // by path
}

// read returns a configuration file. A file that is not valid is reported, and counts as missing.
func (r *configReader) read(ctx context.Context, folder, name string) *configFile {
	file := path.Join(folder, name)
	if c := r.files[file]; c != nil {
		return c
	}
	c := &configFile{path: file}
	r.files[file] = c
	if r.Unlinked(file) || r.Sizes != nil && !r.has(file) && !r.Odd[file] {
		return c // which saves a request to a server
	}
	text, err := r.text(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c
	case errors.Is(err, store.ErrNotRegular):
		r.found(file).Add(RuleConfigJSON, "", safetensors.Span{}, "%s cannot be read: %v", quote(name), err)
		return c
	case err != nil:
		r.failed(file, err)
		return c
	case text == nil:
		return c
	}
	if t := filetype.DetectHead(text[:min(len(text), filetype.HeadSize)]); t.Kind.StandIn() {
		if !r.has(file) { // otherwise judgeFetched reports it
			r.found(file).Add(RuleNotFetched, "", safetensors.Span{End: int64(len(text))}, "%s is %s", quote(name), t)
			r.found(file).Fix(t.Advice())
		}
		return c
	}
	c.text, c.File = text, config.Parse(name, text)
	r.judgeNumbers(file, text)
	if c.Err != nil {
		at := safetensors.Span{}
		var syntax *jsonscan.SyntaxError
		if errors.As(c.Err, &syntax) {
			at = safetensors.Span{Begin: int64(syntax.Offset), End: min(int64(syntax.Offset)+1, int64(len(text)))}
		}
		r.found(file).Add(RuleConfigJSON, "", at, "%s is not a JSON object: %v", quote(name), c.Err)
		c.Err = nil
	}
	return c
}

// nameBefore matches the name of a member.
var nameBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^"\\\n]{1,100})"\s*:`) })

// judgeNumbers reports the first number of a file that is not JSON.
func (r *configReader) judgeNumbers(file string, text []byte) {
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
		of = " of " + quote(string(names[len(names)-1][1]))
	}
	r.found(file).Add(RuleConfigNumber, "", safetensors.Span{Begin: int64(at), End: int64(at + len(word))},
		"line %d of %s has %s as the value%s, which is not JSON: Python reads it, and other programs refuse the file",
		bytes.Count(before, []byte("\n"))+1, quote(path.Base(file)), word, of)
}

// text reads a file. It returns nil for a file that is larger than a configuration may be, which it reports.
// Memory is allocated as bytes arrive.
func (r *configReader) text(ctx context.Context, file string) ([]byte, error) {
	object, err := r.From.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if size := object.Size(); size > config.MaxSize {
		r.found(file).Add(RuleConfigJSON, "", safetensors.Span{End: size},
			"%s is larger than the limit for configurations: %s of at most %v",
			quote(path.Base(file)), count(size, "byte"), wording.Grouped(config.MaxSize))
		return nil, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", file, err)
	}
	return text, nil
}

// spanOf returns where a value is in its file.
func spanOf(v config.Value) safetensors.Span {
	begin, end := v.Span()
	return safetensors.Span{Begin: int64(begin), End: int64(end)}
}
