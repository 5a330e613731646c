// One safetensors file, for verbs that show its bytes.

package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/gguf"
	"github.com/weightools/safetensors/store"
)

// A File is one open file with the text of its header.
type File struct {
	listing.File
	Report     *safetensors.Report
	Length     uint64      // the number with which the file begins
	HeaderText []byte      // the header, or as much of it as the file has
	Data       io.ReaderAt // the file's bytes; nil for a stream
	GGUF       *gguf.File  // what could be read of a GGUF file; nil if nothing, or for a safetensors file
	object     io.Closer   // nil for a stream
}

// OpenFile opens a target that has to be one safetensors or GGUF file, or the folder of one.
// Standard input is "-". The verb is named in errors.
func OpenFile(ctx context.Context, sess *cli.Session, verb string, name Name) (*File, error) {
	if name == "-" {
		sess.AddInputs(string(name))
		return openStream(sess)
	}
	at, sets, err := Find(ctx, sess, name, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	if one := at.otherThanWeights(sets); one != "" {
		f, err := at.open(ctx, one)
		if err != nil {
			return nil, err
		}
		if f.isGGUF() {
			return f.judged(f.readGGUF)
		}
		f.Close()
	}
	file, err := at.onlyFile(ctx, verb, sets)
	if err != nil {
		return nil, err
	}
	f, err := at.open(ctx, file)
	if err != nil {
		return nil, err
	}
	return f.judged(f.read)
}

// otherThanWeights returns the only file of the target, or the part of a model in several files that the user named,
// unless it is a safetensors file by its name; "" if there is none.
func (t *Target) otherThanWeights(sets []*checkpoint.Set) string {
	if len(sets) != 1 {
		return ""
	}
	one := t.Within
	if shards := sets[0].Shards; len(shards) == 1 {
		one = shards[0]
	} else if !slices.Contains(shards, one) {
		return ""
	}
	if strings.HasSuffix(one, weightsSuffix) {
		return ""
	}
	return one
}

// open opens a file of the target.
func (t *Target) open(ctx context.Context, file string) (*File, error) {
	object, err := t.Store.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	return &File{File: listing.File{Path: t.Path(file), Size: object.Size()}, Data: object.ReaderAt(ctx),
		object: object}, nil
}

// judged reads the file, and closes it if that fails.
func (f *File) judged(read func() error) (*File, error) {
	if err := read(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// onlyFile returns the path of the one safetensors file of sets. Its error names the verb, and what
// to do instead.
func (t *Target) onlyFile(ctx context.Context, verb string, sets []*checkpoint.Set) (string, error) {
	var files, own []string // all files, and those that may be safetensors files
	var fault error
	for _, set := range sets {
		cp := set.Open()
		defer cp.Close()
		for _, shard := range set.Shards {
			files = append(files, shard)
			if err := t.otherFormat(ctx, verb, cp, shard); err != nil {
				fault = err
				continue
			}
			own = append(own, shard)
		}
	}
	var usage cli.UsageError
	switch {
	case len(files) == 1 && errors.As(fault, &usage):
		return "", fault
	case len(files) == 1: // a file that is not a model at all is left for its reader to report
		return files[0], nil
	case len(own) == 0 && len(sets) == 1:
		return "", cli.Usagef("%s needs a safetensors file, and %q has none: weigh convert writes its weights as safetensors",
			verb, t.Name)
	case len(own) == 0:
		return "", cli.Usagef("%s needs a safetensors file, and %q has none", verb, t.Name)
	}
	advice := "name one of them"
	for _, file := range own {
		object, err := t.Store.Open(ctx, file)
		if err != nil {
			continue // an index may name missing files
		}
		object.Close()
		advice += fmt.Sprintf(", such as %q", t.Path(file))
		break
	}
	return "", cli.Usagef("%s needs one file, and %q consists of %d files: %s", verb, t.Name, len(files),
		advice)
}

// otherFormat returns an error if a shard is known not to be a safetensors file: a usage error if
// it is a model in another format.
func (t *Target) otherFormat(ctx context.Context, verb string, cp *checkpoint.Checkpoint, shard string) error {
	if strings.HasSuffix(shard, weightsSuffix) {
		return nil
	}
	d, err := cp.Describe(ctx, shard)
	var v *safetensors.Violation
	switch {
	case d.Variant != "":
		return cli.Usagef("%s needs a safetensors file, and %q is in another format (%s): "+
			"weigh convert writes it as safetensors", verb, t.Path(shard), d.Variant)
	case errors.As(err, &v) && (v.Rule == checkpoint.RuleFormatDamaged || v.Rule == safetensors.RuleLimit):
		return cli.Usagef("%s needs a safetensors or GGUF file, and %q is neither: weigh check says what is wrong with it",
			verb, t.Path(shard))
	case v != nil && v.Rule == safetensors.RuleNotSafetensors:
		return err
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
		return safetensors.Error
	}
	return safetensors.Nonconforming
}

// isGGUF reports whether the file begins like a GGUF file.
func (f *File) isGGUF() bool {
	var head [4]byte
	n, _ := f.Data.ReadAt(head[:], 0)
	return gguf.Is(head[:n])
}

// readGGUF judges a GGUF file.
func (f *File) readGGUF() error {
	report, err := gguf.Validate(f.Data, f.Size)
	if err != nil {
		return err
	}
	f.Format, f.Stored, f.GGUF = "gguf", true, report.File
	f.Report = &safetensors.Report{Violations: report.Violations, Omitted: report.Omitted}
	if f.GGUF != nil {
		f.Header = f.GGUF.Listing()
	}
	return nil
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
// length is above the limit for headers, the text is empty.
func (f *File) take(head []byte) {
	f.Length = lengthOf(head)
	if f.Length <= safetensors.MaxHeaderSize && len(head) > lengthSize {
		f.HeaderText = head[lengthSize:min(uint64(len(head)), lengthSize+f.Length)]
	}
}
