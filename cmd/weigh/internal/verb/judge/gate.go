// Flags of check that allow findings.

package judge

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/gate"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
)

// gateFlags are these flags.
type gateFlags struct {
	failOn           []string
	config, baseline string
	noConfig, record bool
}

// register adds the flags to check.
func (f *gateFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.failOn, "fail-on", nil, "exit with 1 for findings of `RULE`, or of at least this severity: note, "+
		"warning, nonconforming (default), error, invalid, or never; repeatable, or separated by commas")
	fl.StringVar(&f.config, "config", "", "read suppressions from `FILE` instead of "+
		survey.ConfigName+" next to the target")
	fl.BoolVar(&f.noConfig, "no-config", false, "ignore "+survey.ConfigName+" next to the target")
	fl.StringVar(&f.baseline, "baseline", "", "report only findings that `FILE` does not record")
	fl.BoolVar(&f.record, "write-baseline", false, "record all findings in the --baseline file")
	cli.CompleteWords(cmd, "fail-on", append(gate.Words(), ruleNames()...))
}

// check validates the flags.
func (f *gateFlags) check() error {
	switch {
	case f.config != "" && f.noConfig:
		return cli.Usagef("--config and --no-config exclude each other")
	case f.record && f.baseline == "":
		return cli.Usagef("--write-baseline needs a file name: --baseline FILE --write-baseline")
	}
	return nil
}

// overwritable returns an error if --write-baseline would overwrite a file that is not a baseline.
func (f *gateFlags) overwritable(force bool) error {
	out := &cli.Output{File: f.baseline, Force: force}
	if !f.record {
		return nil
	}
	file, err := os.Open(f.baseline)
	if force || errors.Is(err, fs.ErrNotExist) {
		return out.Check()
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() == 0 || !info.Mode().IsRegular() || gate.IsBaseline(file) {
		return cmp.Or(err, out.Check())
	}
	return cli.Usagef("%q exists and is not a baseline: choose another name, or overwrite it with --force", f.baseline)
}

// threshold parses the flag --fail-on. It returns nil if the flag is not set. A rule about data that
// is not read would never fail.
func (f *gateFlags) threshold(data, loader bool) (*finding.Threshold, error) {
	if len(f.failOn) == 0 {
		return nil, nil
	}
	t, wrong, ok := gate.ParseFailOn(f.failOn)
	if i := slices.IndexFunc(t.Rules, check.NeedsData); ok && !data && i >= 0 {
		return nil, cli.Usagef("--fail-on %s needs --data: values are not read without it", string(t.Rules[i]))
	}
	if i := slices.IndexFunc(t.Rules, check.NeedsLoader); ok && !loader && i >= 0 {
		return nil, cli.Usagef("--fail-on %s needs --for: the rule is about loaders", string(t.Rules[i]))
	}
	if ok {
		return &t, nil
	}
	words := append(gate.Words(), ruleNames()...)
	if cli.Suggest(wrong, words) == "" {
		words = append(gate.Words(), "or a name of weigh check --rules")
	}
	return nil, cli.UnknownValue("--fail-on", wrong, words)
}

// judgeByBaseline applies the baseline, or records it.
func judgeByBaseline(sess *cli.Session, k *survey.Keeper, c *finding.Check, f *gateFlags, force bool) error {
	for _, book := range k.Used {
		c.Configs = append(c.Configs, filepath.ToSlash(book.Name))
	}
	if f.baseline == "" {
		return nil
	}
	c.Baseline = filepath.ToSlash(f.baseline)
	var known *gate.Baseline
	if f.record {
		known = gate.NewBaseline(c.Baseline, c.Findings, c.Omitted)
		err := sess.Write(&cli.Output{File: f.baseline, Force: force},
			func(w io.Writer, _ typeset.Style) error { return known.Write(w) })
		if err != nil {
			return err
		}
		sess.Notice("%s recorded in %q", typeset.Plural(int64(known.Len()), "finding"), c.Baseline)
	} else {
		text, err := sess.ReadSmall(f.baseline, 256<<20)
		if err != nil {
			return err
		}
		if known, err = gate.ReadBaseline(c.Baseline, text); err != nil {
			return cli.Usage(err)
		}
	}
	c.Omitted, c.Stale = known.Accept(c.Findings, c.Omitted, k.Scope(c))
	return nil
}
