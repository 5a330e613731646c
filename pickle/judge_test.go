// Every fault of the machine is a rule.

package pickle

import (
	"testing"

	"github.com/weightools/safetensors/pickle/internal/machine"
)

func TestNotesAreRules(t *testing.T) {
	for rule, note := range map[Rule]string{
		RuleComputed: machine.Computed, RuleNotString: machine.NotString, RuleType: machine.TypeError,
		RuleUnderflow: machine.Underflow,
		RuleMemoMiss:  machine.MemoMiss, RuleParse: machine.Parse, RuleTruncated: machine.Truncated,
		RuleNotEmpty: machine.NotEmpty,
		RuleProto:    machine.BadProto, RuleDuplicate: machine.Duplicate, RuleMisplaced: machine.Misplaced,
		RuleNewer:   machine.Newer,
		RuleLiteral: machine.Literal, RuleBuffer: machine.Buffer, RuleResource: machine.Resource,
		RuleExpansion: machine.Expansion,
	} {
		if string(rule) != note {
			t.Errorf("%s is %s to the machine", rule, note)
		}
	}
}
