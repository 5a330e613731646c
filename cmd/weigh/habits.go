// What users of other programs type: a command line that fails, and the one that was probably meant.

package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/store"
)

// meantVerbs maps commands of other programs to ours, which may begin with flags.
var meantVerbs = map[string]string{
	"ls": "info", "list": "info", "show": "info", "inspect": "info", "dump": "info", "describe": "info", "view": "info",
	"summary": "info", "stat": "info", "du": "info", "tensors": "info", "keys": "info", "tree": "info --tree",
	"verify": "check", "validate": "check", "lint": "check", "test": "check", "doctor": "check", "fsck": "check",
	"sha256sum": "hash --sums", "sha256": "hash --sums", "checksum": "hash", "sum": "hash", "digest": "hash",
	"compare": "diff", "cmp": "diff", "audit": "scan", "map": "layout", "meta": "metadata", "print": "cat",
	"hist": "stats --plot", "histogram": "stats --plot", "dis": "pickle", "disassemble": "pickle",
	"cp": "get", "copy": "get", "download": "get", "fetch": "get", "pull": "get", "clone": "get",
	"rename": "edit", "cast": "edit", "modify": "edit", "strip": "edit", "fix": "edit --fix", "repair": "edit --fix",
	"shard": "split", "reshard": "split", "join": "merge", "concat": "merge", "combine": "merge", "export": "convert",
}

// meantFlags maps flags of other programs to ours. "" means that the flag is not needed. A flag is only replaced by
// one that the command has.
var meantFlags = map[string]string{
	"no-color": "color=never", "no-colour": "color=never", "nocolor": "color=never", "colour": "color",
	"shard-size": "max-shard-size", "max-size": "max-shard-size", "size": "max-shard-size",
	"f": "force", "y": "force", "yes": "force", "overwrite": "force", "clobber": "force",
	"l": "", "long": "", "v": "", "verbose": "", "recursive": "", "r": "", "R": "", "pretty": "", "human-readable": "",
	"a": "all", "silent": "quiet", "s": "quiet", "n": "dry-run", "i": "in-place", "inplace": "in-place", "c": "check",
	"out": "output", "O": "output", "outdir": "output", "output-dir": "output", "output-file": "output",
	"dest": "output", "dst": "output", "local-dir": "output", "to": "cast", "dtype": "cast", "filter": "include",
	"allow-patterns": "include", "ignore-patterns": "exclude", "sha256": "",
}

// formatFlags are the flags by which other programs choose a format.
var formatFlags = []string{"format", "output-format", "fmt", "f"}

// A habit is a command line while it is translated.
type habit struct {
	root *cobra.Command
	cmd  *cobra.Command
	args []string // the translation
	why  string   // the first difference, in words; "" if there is none
}

// translated returns the error of a command line that was not understood with the one that was probably meant, or err
// if that is not known. The new command line is parsed before it is suggested.
func translated(sess *cli.Session, args []string, err error) error {
	var usage cli.UsageError
	if !errors.As(err, &usage) {
		return err
	}
	h := &habit{root: rootCmd(sess)}
	if !h.verb(args) || !h.flags() {
		return err
	}
	if h.operands(); h.why == "" || !h.parses(sess) {
		return err
	}
	words := strings.Fields(h.cmd.CommandPath())
	for _, arg := range h.args {
		words = append(words, quoted(store.Redact(arg)))
	}
	return cli.Usagef("%s: use `%s`", h.why, strings.Join(words, " "))
}

// verb finds the command. It returns false if there is none.
func (h *habit) verb(args []string) bool {
	if len(args) == 1 && (args[0] == "-v" || args[0] == "-V") {
		h.cmd, h.args, h.why = h.root, []string{"--version"}, "unknown flag "+args[0]+" for weigh"
		return true
	}
	at := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	name := "info"
	if at >= 0 {
		name = args[at]
	}
	meant, foreign := meantVerbs[name]
	_, missing := os.Lstat(name)
	switch known := slices.ContainsFunc(h.root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }); {
	case at < 0:
		h.args = args
	case known:
		h.args = slices.Delete(slices.Clone(args), at, at+1)
	case foreign && missing != nil:
		words := strings.Fields(meant)
		if slices.Contains(args, "-c") || slices.Contains(args, "--check") {
			words = words[:1] // sha256sum -c
		}
		name, h.why = words[0], fmt.Sprintf("unknown command %q", name)
		h.args = slices.Concat(words[1:], args[:at], args[at+1:])
	default:
		name, h.args = "info", args
	}
	var err error
	h.cmd, _, err = h.root.Find([]string{name})
	return err == nil && h.cmd != h.root
}

// differs records why the command line was not understood.
func (h *habit) differs(format string, args ...any) {
	if h.why == "" {
		h.why = fmt.Sprintf(format, args...)
	}
}

// flags translates the flags. It returns false at a flag that it does not know.
func (h *habit) flags() bool {
	var out []string
	for i := 0; i < len(h.args); i++ {
		arg := h.args[i]
		name := strings.TrimLeft(arg, "-")
		if name == arg || name == "" {
			out = append(out, arg)
			continue
		}
		if letters := []byte(name); !strings.HasPrefix(arg, "--") && len(name) > 1 && h.known(arg) == nil {
			h.args = slices.Delete(slices.Clone(h.args), i, i+1) // several letters, as in -la
			for j, c := range letters {
				h.args = slices.Insert(h.args, i+j, "-"+string(c))
			}
			i--
			continue
		}
		name, value, inline := strings.Cut(name, "=")
		next := ""
		if i+1 < len(h.args) {
			next = h.args[i+1]
		}
		if f := h.known(arg); f != nil {
			out = append(out, arg)
			if !inline && f.NoOptDefVal == "" && next != "" {
				out, i = append(out, next), i+1
			}
			continue
		}
		h.differs("unknown flag %s for %s", strings.SplitN(arg, "=", 2)[0], h.cmd.Name())
		if !inline {
			value = next
		}
		new, took, ok := h.flag(name, value)
		if !ok {
			return false
		}
		out = append(out, new...)
		if took && !inline {
			i++
		}
	}
	h.args = out
	return true
}

// known returns the flag of the command that an argument sets, or nil.
func (h *habit) known(arg string) *pflag.Flag {
	if f := lookup(h.cmd.Flags(), arg); f != nil {
		return f
	}
	return lookup(h.root.PersistentFlags(), arg)
}

// flag translates one flag, which may have a value. Took says whether it takes that.
func (h *habit) flag(name, value string) (new []string, took, ok bool) {
	if slices.Contains(formatFlags, name) && value != "" {
		if value == "text" || value == "table" {
			return nil, true, true
		}
		if f := h.known("--" + value); f != nil && f.NoOptDefVal != "" {
			return []string{"--" + value}, true, true
		}
	}
	if _, err := strconv.Atoi(value); err == nil && name == "n" {
		name = "limit"
	}
	meant, foreign := meantFlags[name]
	if name == "f" && !slices.Contains(writing, h.cmd.Name()) {
		return nil, false, false // reports are overwritten without it
	}
	if spelled := strings.ReplaceAll(name, "_", "-"); !foreign && h.known("--"+spelled) != nil {
		meant, foreign = spelled, true
	}
	switch {
	case !foreign && (name == "max-shard-size" || name == "max_shard_size"), meant == "max-shard-size":
		if h.cmd.Name() == "convert" || h.cmd.Name() == "merge" {
			h.cmd, _, _ = h.root.Find([]string{"split"})
		}
		meant = "max-shard-size"
	case !foreign:
		return nil, false, false
	case meant == "":
		return nil, false, true
	}
	meant, fixed, isFixed := strings.Cut(meant, "=")
	f := h.known("--" + meant)
	switch {
	case f == nil:
		return nil, false, false
	case isFixed:
		return []string{"--" + meant, fixed}, false, true
	case f.NoOptDefVal != "":
		return []string{"--" + meant}, false, true
	case value == "":
		return nil, false, false
	case f.Shorthand == "o":
		return []string{"-o", value}, true, true
	}
	return []string{"--" + meant, value}, true, true
}

// operands puts -o before an output that is named last, as for cp.
func (h *habit) operands() {
	if h.cmd.Flags().Lookup("output") == nil || !slices.Contains(writing, h.cmd.Name()) {
		return
	}
	var at []int
	for i := 0; i < len(h.args); i++ {
		arg := h.args[i]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			at = append(at, i)
			continue
		}
		f := h.known(arg)
		if f != nil && (f.Name == "output" || f.Name == "in-place" || f.Name == "to-cache") {
			return // it says where to write
		}
		if f != nil && f.NoOptDefVal == "" && !strings.Contains(arg, "=") {
			i++ // the value
		}
	}
	switch n := len(at); {
	case n >= 2 && (n == 2 || h.cmd.Name() == "merge"):
		last := at[n-1]
		if _, err := os.Stat(h.args[last]); err == nil && h.cmd.Name() == "merge" {
			return // an input
		}
		h.differs("%s needs -o before the output", h.cmd.Name())
		h.args = slices.Insert(slices.Clone(h.args), last, "-o")
	case n > 0 && h.cmd.Name() != "edit" && h.why != "":
		name := path.Base(h.args[at[0]])
		name = strings.TrimSuffix(name, path.Ext(name))
		if n > 1 {
			name = "merged"
		}
		for _, err := os.Stat(name); err == nil; _, err = os.Stat(name) {
			name += "-new"
		}
		h.args = append(h.args, "-o", name)
	}
}

// writing are the commands that take their output from -o.
var writing = []string{"convert", "edit", "get", "merge", "split"}

// parses reports whether the translation is understood, as far as that is known before files are opened.
func (h *habit) parses(sess *cli.Session) bool {
	if h.cmd == h.root {
		return true
	}
	cmd, _, err := rootCmd(sess).Find([]string{h.cmd.Name()})
	if err != nil || cmd.ParseFlags(h.args) != nil {
		return false
	}
	writes := false
	for _, name := range []string{"output", "in-place", "to-cache", "recover"} {
		writes = writes || cmd.Flags().Changed(name)
	}
	if slices.Contains(writing, cmd.Name()) && !writes {
		return false
	}
	return cmd.Args == nil || cmd.Args(cmd, cmd.Flags().Args()) == nil
}

// quoted quotes an argument for a shell where that is needed.
func quoted(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
