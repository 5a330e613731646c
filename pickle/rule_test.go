// The constants of the rules and the table of their texts.

package pickle

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestRulesHaveTexts(t *testing.T) {
	source, err := os.ReadFile("rule.go")
	if err != nil {
		t.Fatal(err)
	}
	var constants []Rule
	for _, m := range regexp.MustCompile(`Rule = "([a-z-]+)"`).FindAllSubmatch(source, -1) {
		constants = append(constants, Rule(m[1]))
	}
	if table := slices.Collect(Rules()); !slices.Equal(constants, table) {
		t.Errorf("the constants are\n%q\nbut the table has\n%q", constants, table)
	}
}
