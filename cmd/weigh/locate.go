// Targets: where what the user named is, and what its parts are called.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/store"
)

// A place is where a target is.
type place struct {
	store  store.Store
	within string // the target's path in the store; "" for all of it
	ref    store.Ref
	opts   *checkpoint.Options

	// What is there, if it is a checkpoint of PyTorch, and which file or index of a folder
	// that is; see look.
	foreign *foreignStore
	chosen  string
}

// locate returns the place of a target.
func locate(ctx context.Context, sess *cli.Session, target string, opts checkpoint.Options) (*place, error) {
	ref, err := store.Parse(target)
	if err != nil {
		return nil, cli.Usage(err)
	}
	opts.Resolve = sess.Resolve
	if ref.Scheme != "file" {
		// A round trip is long, and headers are short. To compare values would be to
		// download them.
		opts.Parallel, opts.HeadersOnly = requestsAtOnce, true
	}
	from, within, err := checkpoint.Locate(ctx, target, &opts)
	if err != nil {
		return nil, err
	}
	return &place{store: from, within: within, ref: ref, opts: &opts}, nil
}

// printable returns a target as it may be printed: a URL without its user name, password and
// query, which are secrets as a rule. Reports are kept and shown to others.
func printable(target string) string {
	ref, err := store.Parse(target)
	if err != nil || ref.Scheme != "http" && ref.Scheme != "https" {
		return target
	}
	return ref.String()
}

// allPrintable is printable for several.
func allPrintable(targets []string) []string {
	list := make([]string, len(targets))
	for i, target := range targets {
		list[i] = printable(target)
	}
	return list
}

// path returns the name by which the user can open what is at the given path in
// the store: with slashes, as all systems know them.
func (p *place) path(name string) string {
	ref := p.ref
	if p.foreign != nil {
		name = p.foreign.real(name)
	}
	switch {
	case ref.Scheme != "file":
		ref.Path = name
		return ref.String()
	case p.within == "" && ref.Path != "": // a folder is a store of its own
		return path.Join(filepath.ToSlash(ref.String()), name)
	}
	return path.Join(filepath.ToSlash(ref.Root), name)
}

// sets returns the sets at the place.
func (p *place) sets(ctx context.Context) ([]*checkpoint.Set, error) {
	sets, err := checkpoint.Discover(ctx, p.store, cmp.Or(p.chosen, p.within), p.opts)
	var none *checkpoint.NoWeightsError
	if errors.As(err, &none) && none.Path == "" {
		named := *none
		named.Path = p.path("")
		return nil, &named
	}
	return sets, err
}

// addInputsOf takes note of the files of sets, which output must not go to.
func addInputsOf(sess *cli.Session, at *place, sets []*checkpoint.Set) {
	for _, set := range sets {
		if set.Index != "" {
			sess.AddInputs(at.path(set.Index))
		}
		for _, shard := range set.Shards {
			sess.AddInputs(at.path(shard))
		}
	}
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
func openOneFile(ctx context.Context, sess *cli.Session, target string) (*openFile, error) {
	if target == "-" {
		sess.AddInputs(target)
		return openStream(sess)
	}
	at, err := locate(ctx, sess, target, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	sets, err := at.sets(ctx)
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
		return nil, cli.Usagef("%q has %d files: name one of them, such as %q", printable(target), len(files), at.path(append(files, "")[0]))
	}
	object, err := at.store.Open(ctx, files[0])
	if err != nil {
		return nil, err
	}
	f := &openFile{File: listing.File{Path: at.path(files[0]), Size: object.Size()}, data: object.ReaderAt(ctx), close: object.Close}
	if err := f.read(); err != nil {
		object.Close()
		return nil, err
	}
	return f, nil
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
