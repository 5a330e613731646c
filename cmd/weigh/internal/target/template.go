// Templates of chats.

package target

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// dangerOf says what makes a template dangerous or suspicious, as scan does. It returns "" for any other.
func dangerOf(template string) string {
	r, err := new(scan.Scanner).Scan(strings.NewReader(template), int64(len(template)), "chat_template.jinja")
	if err != nil || r.Verdict < pickle.Suspicious {
		return ""
	}
	for _, f := range r.Findings {
		if f.Severity >= pickle.Warning {
			return f.Message
		}
	}
	return r.Verdict.String()
}
