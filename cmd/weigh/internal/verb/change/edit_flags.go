// The flags of the verb edit.

package change

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/respell"
)

// editFlags are the flags of edit.
type editFlags struct {
	keyFlags
	foreignFlags
	carryFlags
	target                     string
	inPlace, force, recover    bool
	keep, drop, castKeep       []string
	rename, cast, copies       []string
	mapFile, names             string
	reverse, tie, untie        bool
	unpack                     bool
	saturate, fix              bool
	align                      int
	canonical, dryRun, lenient bool
	json, all                  bool
}

// register adds the flags to the verb.
func (f *editFlags) register(cmd *cobra.Command) {
	f.keyFlags.register(cmd)
	f.foreignFlags.register(cmd)
	f.carryFlags.register(cmd)
	fl := cmd.Flags()
	cli.OutputVar(fl, &f.target, "write to `DST`, a file or a folder")
	fl.BoolVar(&f.inPlace, "in-place", false, "replace SRC")
	fl.BoolVar(&f.force, "force", false, "overwrite existing files at DST")
	fl.BoolVar(&f.recover, "recover", false, "finish or roll back an interrupted run, and remove temporary files")
	fl.StringArrayVar(&f.keep, "keep", nil, "keep only tensors that match `GLOB` (repeatable)")
	fl.StringArrayVar(&f.drop, "drop", nil, "drop tensors that match `GLOB` (repeatable)")
	fl.StringArrayVar(&f.rename, "rename", nil, "rename tensors, as `RE=>TO` (repeatable); see above")
	fl.StringArrayVar(&f.copies, "copy", nil, "also write tensor FROM as TO, as `FROM=TO` (repeatable); see above")
	fl.StringVar(&f.names, "names", "", "give tensors the names and layouts of `FORM`; see above")
	fl.StringVar(&f.mapFile, "map", "", "rename and rearrange tensors by the rules in `FILE`; see above")
	fl.BoolVar(&f.reverse, "reverse", false, "apply --map in the other direction")
	fl.BoolVar(&f.tie, "tie", false, "drop an output layer that equals the embedding; see above")
	fl.BoolVar(&f.untie, "untie", false, "write the embedding also as the output layer; see above")
	fl.BoolVar(&f.unpack, "unpack", false, "write packed weights as floats; see above")
	fl.StringArrayVar(&f.cast, "cast", nil, "cast tensors, as `[FROM=]DTYPE` (repeatable); see above")
	fl.StringArrayVar(&f.castKeep, "cast-keep", nil, "do not cast tensors that match `GLOB` (repeatable)")
	fl.BoolVar(&f.saturate, "saturate", false,
		"cast infinities and values out of range to the largest number, not to infinity or NaN")
	fl.IntVar(&f.align, "align", 0, "align the data to `N` bytes, a power of two")
	fl.BoolVar(&f.canonical, "canonical", false, "write no spare room into the header, like the reference implementation")
	fl.BoolVar(&f.fix, "fix", false, "repair headers, and accept input that needs it")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show the changes, but write nothing")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage+"; the output is strictly valid")
	fl.BoolVar(&f.json, "json", false, "write the report as JSON, weigh.edit/1")
	fl.BoolVar(&f.all, "all", false, "do not shorten lists on a terminal")
	cli.CompleteWords(cmd, "names", append(respell.Names(), "kohya", "peft"))
	cli.CompleteWords(cmd, "cast", cli.DtypeNames())
}

// edit reads the flags.
func (f *editFlags) edit(sess *cli.Session, cmd *cobra.Command) (*edit.Edit, error) {
	switch {
	case f.inPlace && f.target != "":
		return nil, cli.Usagef("--in-place and -o %q exclude each other", f.target)
	case !f.inPlace && f.target == "":
		return nil, cli.Usagef("edit needs an output: -o DST or --in-place")
	case f.inPlace && f.force:
		return nil, cli.Usagef("--force needs -o; --in-place always replaces SRC")
	case cmd.Flags().Changed("align") && f.align <= 0:
		return nil, cli.Usagef("--align must be a power of two, not %d", f.align)
	case len(f.castKeep) > 0 && len(f.cast) == 0, f.saturate && len(f.cast) == 0:
		return nil, cli.Usagef("--cast-keep and --saturate need --cast")
	case len(f.set)+len(f.unset)+len(f.keep)+len(f.drop)+len(f.rename)+len(f.cast)+len(f.copies)+f.align == 0 && !f.canonical && !f.fix &&
		f.mapFile+f.names == "" && !f.tie && !f.untie && !f.unpack:
		return nil, cli.Usagef("no change given; see %s --help", cmd.CommandPath())
	}
	e := &edit.Edit{
		Saturate: f.saturate, Align: f.align, Canonical: f.canonical,
		Lenient: f.lenient, Fix: f.fix, Overwrite: f.force,
	}
	return e, errors.Join(
		f.keyFlags.read(e),
		compileInto(&e.Keep, "--keep", f.keep),
		compileInto(&e.Drop, "--drop", f.drop),
		compileInto(&e.CastKeep, "--cast-keep", f.castKeep),
		f.readRenames(e), f.readCopies(e), f.readCasts(e), f.readArrangement(sess, e),
	)
}

// compileInto compiles the patterns of a flag.
func compileInto(to *[]edit.Pattern, flag string, patterns []string) error {
	compiled, err := cli.CompileAll(flag, patterns)
	for _, p := range compiled {
		*to = append(*to, p)
	}
	return err
}

// readRenames reads the flag --rename.
func (f *editFlags) readRenames(e *edit.Edit) error {
	for _, s := range f.rename {
		r, err := edit.ParseRename(s)
		if err != nil {
			return cli.Usagef("--rename: %w", err)
		}
		e.Rename = append(e.Rename, r)
	}
	return nil
}

// readCopies reads the flag --copy.
func (f *editFlags) readCopies(e *edit.Edit) error {
	for _, s := range f.copies {
		from, to, ok := strings.Cut(s, "=")
		if !ok || from == "" || to == "" {
			return cli.Usagef("invalid value %q for --copy: use FROM=TO", s)
		}
		e.Copy = append(e.Copy, edit.Copy{From: from, To: to})
	}
	return nil
}

// readCasts reads the flag --cast.
func (f *editFlags) readCasts(e *edit.Edit) error {
	for _, s := range f.cast {
		from, to, named := strings.Cut(s, "=")
		if !named {
			from, to = "", s
		} else if from == "" {
			return cli.Usagef("invalid value %q for --cast: use DTYPE or FROM=DTYPE", s)
		}
		c := edit.Cast{From: cli.Spelled(from), To: cli.Spelled(to)}
		for _, d := range []safetensors.Dtype{c.From, c.To} {
			if d.Bits() == 0 && (named || d != c.From) {
				return cli.UnknownDtypeError("--cast", string(d))
			}
		}
		e.Cast = append(e.Cast, c)
	}
	return nil
}
