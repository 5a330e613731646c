// Configurations: what they allow, and where they are wrong.

package gate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
)

func TestReason(t *testing.T) {
	c, err := Parse("c", []byte(`
fail-on = "warning"
limits = { header = 1000, tensors = 5, rank = 4, metadata = 100 }
allow = [
  { rule = "overlap", file = "unet/**", tensor = "**.bias", reason = "biases of the unet" },
  { rule = "overlap", file = "vae/*", reason = "all of the vae" },
  { rule = "trailing", reason = "everywhere" },
  { rule = "hole", tensor = "**", reason = "any tensor" },
]
`))
	if err != nil {
		t.Fatal(err)
	}
	if c.FailOn.String() != "warning" {
		t.Errorf("fails on %v", *c.FailOn)
	}
	for _, tt := range []struct {
		rule               safetensors.Rule
		file, tensor, want string
	}{
		{safetensors.RuleOverlap, "unet/a/w", "x.bias", "biases of the unet"},
		{safetensors.RuleOverlap, "unet/a/w", "x.weight", ""},
		{safetensors.RuleOverlap, "unet/a/w", "", ""},
		{safetensors.RuleOverlap, "vae/w", "x.weight", "all of the vae"},
		{safetensors.RuleOverlap, "vae/w", "", "all of the vae"},
		{safetensors.RuleOverlap, "vae/a/w", "", ""},
		{safetensors.RuleTrailing, "", "", "everywhere"},
		{safetensors.RuleHole, "w", "x", "any tensor"},
		{safetensors.RuleHole, "w", "", ""}, // that no tensor is at fault is not any tensor
		{safetensors.RuleJSON, "w", "x", ""},
	} {
		if got := c.Reason(tt.rule, tt.file, tt.tensor); got != tt.want {
			t.Errorf("%s in %q of %q: %q, want %q", string(tt.rule), tt.file, tt.tensor, got, tt.want)
		}
	}
	// Of what is not kept no tensor is known, so what asks for one does not allow it.
	for file, want := range map[string]string{"unet/a/w": "", "vae/w": "all of the vae"} {
		if got := c.Reason(safetensors.RuleOverlap, file, ""); got != want {
			t.Errorf("all of %q: %q, want %q", file, got, want)
		}
	}
	var o safetensors.Opener
	c.Limit(&o)
	if diff := cmp.Diff(safetensors.Opener{MaxHeaderSize: 1000, MaxTensors: 5, MaxRank: 4, MaxMetadata: 100}, o); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nobody's configuration says nothing.
func TestNoConfig(t *testing.T) {
	var c *Config
	o := safetensors.Opener{Lenient: true}
	c.Limit(&o)
	if c.Reason(safetensors.RuleHole, "f", "t")+c.Reason(safetensors.RuleHole, "f", "") != "" || o != (safetensors.Opener{Lenient: true}) {
		t.Error("it says something")
	}
	for _, text := range []string{"", "# nothing\n", "[limits]\n", "allow = []\n"} {
		if c, err := Parse("c", []byte(text)); err != nil || c.FailOn != nil || c.Limits != (Limits{}) || c.Allowed != nil {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"fail_on = 'note'", `c:1:1: unknown key "fail_on"; `},
		{"\n\n  [limit]\nrank = 1", `c:3:4: unknown key "limit"; `},
		{"[limits]\nheaders = 1", `c:2:1: unknown key "limits.headers"; `},
		{"[[allow]]\nrule = 'hole'\nreason = 'x'\nfiles = '*'", `c:4:1: unknown key "allow.files"; `},
		{"fail-on = 3", `c: fail-on cannot be "3"`},
		{"fail-on = 'eror'", "c:1:11: fail-on cannot be \"eror\": use rules and one of note, warning, nonconforming, error, invalid, never"},
		{"fail-on = ''", "c:1:11: fail-on cannot be \"\": use rules and one of note, "},
		{"fail-on = 'note,'", "c:1:11: fail-on cannot be \"\": use rules and one of note, "},
		{"fail-on = 'note,eror'", "c:1:11: fail-on cannot be \"eror\": use rules and"},
		{"fail-on = 'note'\nfail-on = 'note'", "c:2:"},
		{"[limits]\nrank = 1e3", "c:2:8: "},
		{"[limits]\ntensors = 3000000000", "c:2:11: "},
		{"[limits]\nheader = -1", "c: the limit header is -1, and cannot be negative"},
		{"[[allow]]\nrule = 'hole'", "c: allow number 1, of rule hole, has no reason: say why it is no fault here"},
		{"[[allow]]\nreason = 'x'", "c: allow number 1 has no rule"},
		{"[[allow]]\nrule = {}\nreason = 'x'", "c: allow number 1 has no rule"},
		{"[[allow]]\nrule = { known = 'hole' }\nreason = 'x'", `c:2:10: unknown key "allow.known"; `},
		{"[[allow]]\nrule = 'hole'\nreason = 'x'\nfile = {}", "c: allow number 1, of rule hole, has a pattern that is no string"},
		{"[[allow]]\nrule = 'hole'\nreason = 'x'\ntensor = '[a'", "c:4:10: "},
		{"[[allow]]\nrule = 'holes'\nreason = 'x'", `c:2:8: there is no rule "holes"`},
		{"\xff", "c:1:1: "},
		{"a = '" + strings.Repeat("[", 100), "c:1:"},
	} {
		if _, err := Parse("c", []byte(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s…", tt.text, err, tt.want)
		}
	}
}

// What lies beside weights may have come with them: it may make a check stricter, and
// allow what files are not refused for.
func TestCheckFound(t *testing.T) {
	for text, fine := range map[string]bool{
		"":                                                    true,
		"fail-on = 'note'":                                    true,
		"fail-on = 'nonconforming'":                           true,
		"fail-on = 'invalid'":                                 false,
		"fail-on = 'never'":                                   false,
		"fail-on = 'never,hole'":                              false,
		"fail-on = 'hole, two-copies'":                        true, // as well as nonconforming ones
		"limits.header = 100_000_000":                         true,
		"limits.header = 100_000_001":                         false,
		"limits = { tensors = 1, rank = 1 }":                  true,
		"[[allow]]\nrule = 'two-copies'\nreason = 'x'":        true, // a note
		"[[allow]]\nrule = 'element-alignment'\nreason = 'x'": true, // a warning
		"[[allow]]\nrule = 'unknown-member'\nreason = 'x'":    false,
		"[[allow]]\nrule = 'zero-run'\nreason = 'x'":          false, // damage
		"[[allow]]\nrule = 'overlap'\nreason = 'x'":           false,
	} {
		c, err := Parse("c", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckFound(); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A configuration may be a stranger's.
func FuzzParse(f *testing.F) {
	f.Add("fail-on = 'note'\n[limits]\nrank = 1\n[[allow]]\nrule = 'hole'\nfile = '**/x'\ntensor = '*'\nreason = 'y'\n")
	f.Add("allow = [{rule = 'hole', reason = ''}]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("c", []byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		c.Reason(safetensors.RuleHole, "a/x", "t")
	})
}
