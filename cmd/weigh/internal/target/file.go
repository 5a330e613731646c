// One safetensors file, for verbs that show its bytes.

package target

import (
	"context"
	"fmt"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/store"
)

// A File is one open file with the text of its header.
type File struct {
	listing.File
	Report     *safetensors.Report
	Length     uint64      // the number with which the file begins
	HeaderText []byte      // the header, or as much of it as the file has
	Data       io.ReaderAt // the file's bytes; nil for a stream
	object     io.Closer   // nil for a stream
}

// OpenFile opens a target that has to be one safetensors file, or the folder of one.
// Standard input is "-". The verb is named in errors.
func OpenFile(ctx context.Context, sess *cli.Session, verb, name string) (*File, error) {
	if name == "-" {
		sess.AddInputs(name)
		return openStream(sess)
	}
	at, sets, err := Find(ctx, sess, name, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	var files []string
	for _, set := range sets {
		files = append(files, set.Shards...)
	}
	if len(files) != 1 {
		return nil, cli.Usagef("%q has %d files: name one of them, such as %q", Printable(name), len(files),
			at.Path(append(files, "")[0]))
	}
	if err := at.onlySafetensors(ctx, verb, sets[0]); err != nil {
		return nil, err
	}
	object, err := at.Store.Open(ctx, files[0])
	if err != nil {
		return nil, err
	}
	f := &File{File: listing.File{Path: at.Path(files[0]), Size: object.Size()}, Data: object.ReaderAt(ctx),
		object: object}
	if err := f.read(); err != nil {
		object.Close()
		return nil, err
	}
	return f, nil
}

// onlySafetensors returns an error if a set has files of another format.
func (t *Target) onlySafetensors(ctx context.Context, verb string, set *checkpoint.Set) error {
	cp := set.Open()
	defer cp.Close()
	for _, shard := range cp.Shards() {
		if format := Format(ctx, cp, shard); format != "" {
			return cli.Usagef("%s needs a safetensors file, and %q is in another format (%s): weigh convert writes it as safetensors", verb, t.Path(shard), format)
		}
	}
	return nil
}

// openStream opens standard input and reads its header.
func openStream(sess *cli.Session) (*File, error) {
	in, err := ReadStream(sess.Stdin)
	if err != nil {
		return nil, err
	}
	f := &File{File: listing.File{Path: "-", Size: in.Size}}
	if f.Report, err = in.Validate(new(safetensors.Opener)); err != nil {
		return nil, err
	}
	f.Header = f.Report.Header
	f.take(in.Head)
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.object == nil {
		return nil
	}
	return f.object.Close()
}

// Refused returns cli.ErrFound if the file breaks a rule for which it is refused.
func (f *File) Refused(lenient bool) error {
	if f.Report.First(LeastRefused(lenient)) != nil {
		return cli.ErrFound
	}
	return nil
}

// LeastRefused returns the lowest severity for which files are refused.
func LeastRefused(lenient bool) safetensors.Severity {
	if lenient {
		return safetensors.Invalid
	}
	return safetensors.Nonconforming
}

// read judges the file and reads the text of its header.
func (f *File) read() (err error) {
	head := make([]byte, min(f.Size, lengthSize))
	if _, err := f.Data.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	// The file claims any length; the limit and the file's size bound what is read.
	n := min(lengthOf(head), safetensors.MaxHeaderSize)
	if ahead, ok := f.Data.(store.Prefetcher); ok {
		ahead.Prefetch(lengthSize, int64(n))
	}
	if f.Report, err = safetensors.Validate(f.Data, f.Size); err != nil {
		return err
	}
	f.Header = f.Report.Header
	head = make([]byte, min(f.Size, lengthSize+int64(n)))
	if n, err := f.Data.ReadAt(head, 0); n < len(head) {
		return fmt.Errorf("read %d bytes of %q, which had %d: %w", n, f.Path, f.Size, err)
	}
	f.take(head)
	return nil
}

// take sets the length and the text of the header from the beginning of the file. If the
// length is above the limit for headers, there is no text.
func (f *File) take(head []byte) {
	f.Length = lengthOf(head)
	if f.Length <= safetensors.MaxHeaderSize && len(head) > lengthSize {
		f.HeaderText = head[lengthSize:min(uint64(len(head)), lengthSize+f.Length)]
	}
}
