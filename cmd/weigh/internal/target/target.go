// Targets: from a word on the command line to a store, the sets in it, and names for people.

// Package target finds what the user names on the command line: a file, a folder, an index
// or a URL, in any of the formats that the program reads.
package target

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/gguf"
	"github.com/weightools/safetensors/pickle/dcp"
	"github.com/weightools/safetensors/pickle/fsdp"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/pickle/zero"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// Formats are the formats other than safetensors that the program reads. Tensors of the Copied ones can be edited,
// split and merged as they are; those of GGUF would have to be decoded.
var (
	Copied = []checkpoint.Format{zero.Format(zero.Options{}), dcp.Format(dcp.Options{}),
		fsdp.Format(fsdp.Options{}), torch.PyTorch(nil),
		torch.NPZ(nil)}
	Formats = append(slices.Clip(Copied), gguf.Format(&gguf.Options{Template: dangerOf}))
)

// Parallel is how many requests to a server are made at once.
const Parallel = 64

// A Target is what the user named.
type Target struct {
	Name   Name // as the user wrote it
	Store  store.Store
	Within string // the path in the store; "" for all of it

	ref  store.Ref
	opts *checkpoint.Options
}

// Open finds the store of a target other than standard input. It opens no file.
func Open(ctx context.Context, sess *cli.Session, name Name, opts checkpoint.Options) (*Target, error) {
	if name == "-" {
		return nil, cli.ErrStdin
	}
	ref, err := store.Parse(string(name))
	if err != nil {
		return nil, cli.Usage(err)
	}
	if opts.Resolve = sess.Resolve; opts.Formats == nil {
		opts.Formats = Formats
	}
	if ref.Scheme != "file" {
		// A round trip is long, and headers are short. To compare values would be to
		// download them.
		opts.Parallel, opts.HeadersOnly = Parallel, true
	}
	from, within, err := checkpoint.Locate(ctx, string(name), &opts)
	if err != nil {
		return nil, err
	}
	if ref.Scheme == "file" && within == "" {
		for _, note := range remote.PartialSnapshots(ref.String()) {
			sess.Notice("%s: %s", name, note)
		}
	}
	return &Target{Name: name, Store: from, Within: within, ref: ref, opts: &opts}, nil
}

// Find finds a target and its sets. Their files are inputs of the session from then on, so
// that no output overwrites them.
func Find(ctx context.Context, sess *cli.Session, name Name, opts checkpoint.Options) (*Target, []*checkpoint.Set,
	error) {
	t, err := Open(ctx, sess, name, opts)
	if err != nil {
		return nil, nil, err
	}
	t.WarnUnfinished(sess)
	sets, err := t.Sets(ctx)
	if err != nil {
		return nil, nil, t.Fault(err)
	}
	sess.AddInputs(t.Files(sets...)...)
	return t, sets, nil
}

// Remote reports whether the target is not on this machine.
func (t *Target) Remote() bool { return t.ref.Scheme != "file" }

// Sets returns the sets of the target.
func (t *Target) Sets(ctx context.Context) ([]*checkpoint.Set, error) {
	sets, err := checkpoint.Discover(ctx, t.Store, t.Within, t.opts)
	var none *checkpoint.NoWeightsError
	if errors.As(err, &none) && none.Path == "" {
		named := *none
		named.Path = t.Path("")
		return nil, &named
	}
	return sets, err
}

// Path returns the name by which the user can open what is at a path in the store, with
// slashes, which every system accepts.
func (t *Target) Path(name string) string {
	ref := t.ref
	switch {
	case ref.Scheme != "file":
		ref.Path = name
		return ref.String()
	case t.Within == "" && ref.Path != "": // a folder is a store of its own
		return path.Join(filepath.ToSlash(ref.String()), name)
	}
	return path.Join(filepath.ToSlash(ref.Root), name)
}

// Below returns the path of a file relative to the folder that the target is, or is in.
func (t *Target) Below(name string) string {
	folder := t.Within
	if name == folder || IsIndex(folder) {
		folder, _ = path.Split(folder)
		folder = strings.TrimSuffix(folder, "/")
	}
	if folder == "" {
		return name
	}
	return strings.TrimPrefix(name, folder+"/")
}

// Files returns the names of the files of sets by which the user can open them.
func (t *Target) Files(sets ...*checkpoint.Set) []string {
	var names []string
	for _, set := range sets {
		if set.Index != "" {
			names = append(names, t.Path(set.Index))
		}
		for _, shard := range set.Shards {
			names = append(names, t.Path(shard))
		}
	}
	return names
}

// IsIndex reports whether a path is the name of an index.
func IsIndex(path string) bool { return strings.HasSuffix(path, ".index.json") }

// A Name is a target as the user wrote it. It prints without the user name, the password and the
// query of a URL, which are often secret: reports and logs are kept and shown to others. What
// opens the target converts it to a string.
type Name string

// String implements [fmt.Stringer].
func (n Name) String() string { return store.Redact(string(n)) }

// GoString implements [fmt.GoStringer].
func (n Name) GoString() string { return strconv.Quote(n.String()) }

// MarshalText implements [encoding.TextMarshaler].
func (n Name) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// Names returns arguments as targets.
func Names(args []string) []Name {
	list := make([]Name, len(args))
	for i, arg := range args {
		list[i] = Name(arg)
	}
	return list
}

// Printable returns the text of each name.
func Printable(names []Name) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = name.String()
	}
	return list
}
