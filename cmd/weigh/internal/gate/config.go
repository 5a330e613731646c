// Configuration files.

package gate

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
)

// A Config is a parsed .weigh.toml. A nil Config allows nothing.
type Config struct {
	// Name is the path of the file.
	Name string

	// FailOn says which findings make a check fail. It is nil if not set.
	FailOn *finding.Threshold

	// Limits apply to headers.
	Limits Limits

	// Allowed lists the allowed findings.
	Allowed []Allowance
}

// Limits are the limits of [safetensors.Opener]. 0 means the limit of the format.
type Limits struct {
	Header   int64 `toml:"header"`   // bytes of the header
	Tensors  int32 `toml:"tensors"`  // tensors in a file
	Rank     int32 `toml:"rank"`     // dimensions of a tensor
	Metadata int64 `toml:"metadata"` // bytes of "__metadata__"
}

// An Allowance allows the findings of one rule in some files and tensors.
type Allowance struct {
	Rule   safetensors.Rule
	File   *glob.Pattern // paths relative to the configuration's folder; nil means all
	Tensor *glob.Pattern // tensor names; nil means all, and whole files
	Reason string
}

// The TOML form. Its types validate values while they are decoded, and therefore errors have a
// line. They are not strings or numbers, which the decoder would set without validation.
type (
	document struct {
		FailOn failOn      `toml:"fail-on"`
		Limits Limits      `toml:"limits"`
		Allow  []allowance `toml:"allow"`
	}
	allowance struct {
		Rule   rule           `toml:"rule"`
		File   *filePattern   `toml:"file"`
		Tensor *tensorPattern `toml:"tensor"`
		Reason string         `toml:"reason"`
	}
	failOn        struct{ known *finding.Threshold }
	rule          struct{ known safetensors.Rule }
	filePattern   struct{ p *glob.Pattern }
	tensorPattern struct{ p *glob.Pattern }
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *failOn) UnmarshalText(text []byte) error {
	t, wrong, ok := ParseFailOn(strings.Split(string(text), ","))
	if !ok {
		return fmt.Errorf("fail-on cannot be %.100q: use rules and one of %s", wrong, strings.Join(Words(), ", "))
	}
	f.known = &t
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *rule) UnmarshalText(text []byte) error {
	if info, ok := finding.Lookup(safetensors.Rule(text)); ok {
		r.known = info.Rule
		return nil
	}
	return fmt.Errorf("there is no rule %.100q", text)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *filePattern) UnmarshalText(text []byte) (err error) {
	p.p, err = glob.CompilePath(string(text))
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *tensorPattern) UnmarshalText(text []byte) (err error) {
	p.p, err = glob.Compile(string(text))
	return err
}

// Parse parses a configuration. Errors begin with "NAME:LINE:COLUMN" where possible.
func Parse(name string, text []byte) (*Config, error) {
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, placed(name, err)
	}
	c := &Config{Name: name, FailOn: doc.FailOn.known, Limits: doc.Limits}
	for _, l := range []struct {
		name string
		n    int64
	}{{"header", c.Limits.Header}, {"tensors", int64(c.Limits.Tensors)}, {"rank", int64(c.Limits.Rank)},
		{"metadata", c.Limits.Metadata}} {
		if l.n < 0 {
			return nil, fmt.Errorf("%s: the limit %s is %d, and cannot be negative", name, l.name, l.n)
		}
	}
	for i := range doc.Allow {
		one, err := doc.Allow[i].allowance()
		if err != nil {
			return nil, fmt.Errorf("%s: allow number %d%w", name, i+1, err)
		}
		c.Allowed = append(c.Allowed, *one)
	}
	return c, nil
}

// allowance validates an entry of "allow".
func (a *allowance) allowance() (*Allowance, error) {
	switch {
	case a.Rule.known == "":
		return nil, errors.New(" has no rule")
	case strings.TrimSpace(a.Reason) == "":
		return nil, fmt.Errorf(", of rule %s, has no reason: say why it is no fault here", string(a.Rule.known))
	}
	one := &Allowance{Rule: a.Rule.known, Reason: a.Reason}
	if a.File != nil {
		one.File = a.File.p
	}
	if a.Tensor != nil {
		one.Tensor = a.Tensor.p
	}
	// A table is not a pattern, and must not match everything.
	if a.File != nil && one.File == nil || a.Tensor != nil && one.Tensor == nil {
		return nil, fmt.Errorf(", of rule %s, has a pattern that is no string", string(one.Rule))
	}
	return one, nil
}

// placed adds the position of the first error.
func placed(name string, err error) error {
	var unknown *toml.StrictMissingError
	var at *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		first := &unknown.Errors[0]
		line, column := first.Position()
		return fmt.Errorf("%s:%d:%d: unknown key %.200q; the keys are fail-on; "+
			"header, tensors, rank and metadata in [limits]; rule, file, tensor and reason in [[allow]]",
			name, line, column, strings.Join(first.Key(), "."))
	case errors.As(err, &at):
		line, column := at.Position()
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// CheckFound returns an error if c contains settings that only a configuration named by the user
// may have. One found next to the weights may have come with them. It can make a check stricter,
// and allow notes and warnings, but not invalid files.
func (c *Config) CheckFound() error {
	const way = "it is next to the weights and may have come with them; " +
		"use --config if it is yours, or --no-config to ignore it"
	if c.FailOn != nil && c.FailOn.Least > safetensors.Nonconforming {
		return fmt.Errorf("%s makes the check milder, by fail-on: %s", c.Name, way)
	}
	if c.Limits.Header > safetensors.MaxHeaderSize {
		return fmt.Errorf("%s allows larger headers than the format does: %s", c.Name, way)
	}
	for _, a := range c.Allowed {
		if s := finding.SeverityOf(a.Rule); s > safetensors.Warning {
			return fmt.Errorf("%s allows rule %s, which is %s: %s", c.Name, string(a.Rule), s, way)
		}
	}
	return nil
}

// Limit sets the limits in o.
func (c *Config) Limit(o *safetensors.Opener) {
	if c == nil {
		return
	}
	o.MaxHeaderSize, o.MaxTensors, o.MaxRank, o.MaxMetadata = c.Limits.Header, int(c.Limits.Tensors), int(c.Limits.Rank),
		c.Limits.Metadata
}

// Reason returns the reason why a finding is allowed, or "". Tensor is "" for findings about whole
// files, and for omitted findings, whose tensors are unknown: an allowance for certain tensors does
// not apply to them.
func (c *Config) Reason(rule safetensors.Rule, file, tensor string) string {
	if c == nil {
		return ""
	}
	for _, a := range c.Allowed {
		if a.Rule == rule && (a.File == nil || a.File.Match(file)) &&
			(a.Tensor == nil || tensor != "" && a.Tensor.Match(tensor)) {
			return a.Reason
		}
	}
	return ""
}
