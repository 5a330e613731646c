// The name of a file in Content-Disposition.

package fetch

import (
	"mime"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileName returns the name that the server gives the file for saving it, or "". As RFC 6266
// advises, only the last element of a path counts, and no name that would be hidden or
// special.
func FileName(h http.Header) string {
	_, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	name := params["filename"] // mime decodes filename*
	name = strings.TrimSpace(name[strings.LastIndexAny(name, `/\`)+1:])
	special := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`<>:"|?*`, r) }
	if name == "" || name[0] == '.' || len(name) > 255 || !utf8.ValidString(name) || strings.ContainsFunc(name, special) {
		return ""
	}
	return name
}
