// Advice about an index without shards.

package finding

import (
	"path"
	"strings"
	"unicode"

	"github.com/weightools/safetensors/internal/wording"
)

// FixInstead returns what to do about an index without shards beside a complete model in another format, whose name may
// be a stranger's: only a plain one becomes part of a command.
func FixInstead(instead string) string {
	base := path.Base(instead)
	fix := "No download is needed, because " + wording.Quote(base) + " has the model. Remove this index: " +
		"`weigh edit --in-place --fix FILE`"
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r))
	}
	if strings.TrimFunc(base, plain) == "" && !strings.HasPrefix(base, "-") {
		fix += ", or convert the model: `weigh convert FOLDER/" + base + " -o NEW`"
	}
	return fix + "."
}
