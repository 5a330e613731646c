// The judges.

package load

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
)

var judges = []judge{
	{rules: []safetensors.Rule{rule.WeightsNotFound}, of: judgeFiles},
}
