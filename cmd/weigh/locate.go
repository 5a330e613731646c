// Targets: where what the user named is, and what its parts are called.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// locate returns what the user named.
func locate(ctx context.Context, sess *cli.Session, name string, opts checkpoint.Options) (*target.Target, error) {
	opts.Resolve = sess.Resolve
	at, err := target.Locate(ctx, name, opts)
	var wrong *target.NameError
	if errors.As(err, &wrong) {
		return nil, cli.Usage(err)
	}
	return at, err
}

// printable returns a target as it may be printed: see [target.Printable].
func printable(name string) string { return target.Printable(name) }

// allPrintable is printable for several.
func allPrintable(names []string) []string { return target.AllPrintable(names) }

// addInputsOf takes note of the files of sets, which output must not go to.
func addInputsOf(sess *cli.Session, at *target.Target, sets []*checkpoint.Set) {
	sess.AddInputs(at.Files(sets...)...)
}

// An openFile is one file that is open, with the text of its header.
type openFile struct {
	listing.File
	report *safetensors.Report
	length uint64      // N, whatever it is
	text   []byte      // the header, or as much of it as the file has
	data   io.ReaderAt // the file's bytes; nil for a stream
	close  func() error
}

// openOneFile opens a target that has to be one file.
func openOneFile(ctx context.Context, sess *cli.Session, verb, name string) (*openFile, error) {
	if name == "-" {
		sess.AddInputs(name)
		return openStream(sess)
	}
	at, err := locate(ctx, sess, name, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	sets, err := at.Sets(ctx)
	if err != nil {
		return nil, err
	}
	addInputsOf(sess, at, sets)
	var files []string
	for _, set := range sets {
		files = append(files, set.Shards...)
	}
	// A folder with one file in it is as good as its name.
	if len(files) != 1 {
		return nil, cli.Usagef("%q has %d files: name one of them, such as %q", printable(name), len(files), at.Path(append(files, "")[0]))
	}
	if err := onlySafetensors(ctx, verb, at, sets[0]); err != nil {
		return nil, err
	}
	object, err := at.Store.Open(ctx, files[0])
	if err != nil {
		return nil, err
	}
	f := &openFile{File: listing.File{Path: at.Path(files[0]), Size: object.Size()}, data: object.ReaderAt(ctx), close: object.Close}
	if err := f.read(); err != nil {
		object.Close()
		return nil, err
	}
	return f, nil
}

// onlySafetensors returns the error of a verb that is about the bytes of safetensors files,
// if a set has files of another format.
func onlySafetensors(ctx context.Context, verb string, at *target.Target, set *checkpoint.Set) error {
	cp := set.Open()
	defer cp.Close()
	for _, shard := range cp.Shards() {
		if format := target.Format(ctx, cp, shard); format != "" {
			return cli.Usagef("%s needs a safetensors file, and %q is in another format (%s): weigh convert writes it as safetensors", verb, at.Path(shard), format)
		}
	}
	return nil
}

// openStream opens standard input, and reads its header.
func openStream(sess *cli.Session) (*openFile, error) {
	in, err := readStream(sess.Stdin)
	if err != nil {
		return nil, err
	}
	f := &openFile{File: listing.File{Path: "-", Size: in.size}, close: func() error { return nil }}
	if f.report, err = in.validate(new(safetensors.Opener)); err != nil {
		return nil, err
	}
	f.Header = f.report.Header
	f.take(in.head)
	return f, nil
}

// read judges the file and reads the text of its header.
func (f *openFile) read() (err error) {
	head := make([]byte, min(f.Size, lengthSize))
	if _, err := f.data.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	// N is what the file claims; the limit and the file's size bound what is read.
	n := min(lengthOf(head), safetensors.MaxHeaderSize)
	if ahead, ok := f.data.(store.Prefetcher); ok {
		ahead.Prefetch(lengthSize, int64(n))
	}
	if f.report, err = safetensors.Validate(f.data, f.Size); err != nil {
		return err
	}
	f.Header = f.report.Header
	head = make([]byte, min(f.Size, lengthSize+int64(n)))
	if n, err := f.data.ReadAt(head, 0); n < len(head) {
		return fmt.Errorf("read %d bytes of %q, which had %d: %w", n, f.Path, f.Size, err)
	}
	f.take(head)
	return nil
}

// take takes the length and the text of the header from the start of the file.
// If N is more than a header may take, there is none.
func (f *openFile) take(head []byte) {
	f.length = lengthOf(head)
	if f.length <= safetensors.MaxHeaderSize && len(head) > lengthSize {
		f.text = head[lengthSize:min(uint64(len(head)), lengthSize+f.length)]
	}
}

// findings returns the rules that the file breaks. None is allowed: who looks at one
// file wants to see all that is wrong with it.
func (f *openFile) findings() ([]finding.Finding, []finding.Omission) {
	var nobody *gatekeeper
	return nobody.findings(f.Path, f.report)
}

// verdict returns errFound if the file breaks a rule for which it is refused.
func (f *openFile) verdict(lenient bool) error {
	if f.report.First(refused(lenient)) != nil {
		return cli.ErrFound
	}
	return nil
}
