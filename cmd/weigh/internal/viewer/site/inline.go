// The page as one file.

package site

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Inline writes the page with its script and style, and data.
func (s Assets) Inline(w io.Writer, data []byte) error {
	html, script, style := s["index.html"], s["app.js"], s["app.css"]
	if html == nil || script == nil || style == nil {
		return errors.New("the program was built without the page")
	}
	code := strings.NewReplacer("</script", `<\/script`, "<!--", `\x3c!--`).Replace(string(script.plain))
	security := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; "+
		"base-uri 'none'; form-action 'none'",
		hashOf(code), hashOf(string(style.plain)))
	page := string(html.plain)
	for _, part := range []struct{ before, within, after, text string }{
		{"<head>", "", "", "<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + security + "\">"},
		{"<link", "app.css", ">", "<style>" + string(style.plain) + "</style>"},
		{"<script", "app.js", "</script>", ""},
		{"</body>", "", "", `<script type="application/json" id="weigh-export">` + string(data) +
			"</script>\n<script>" + code + "</script>\n</body>"},
	} {
		begin, end := find(page, part.before, part.within, part.after)
		if begin < 0 {
			return fmt.Errorf("the page has no %q", part.before+part.within)
		}
		page = page[:begin] + part.text + page[end:]
	}
	_, err := io.WriteString(w, page)
	return err
}

// find returns where the first text is that begins with before, contains within, and ends with after.
func find(page, before, within, after string) (begin, end int) {
	for at := 0; ; {
		i := strings.Index(page[at:], before)
		if i < 0 {
			return -1, -1
		}
		begin = at + i
		if after == "" {
			return begin, begin + len(before)
		}
		n := strings.Index(page[begin:], after)
		if n < 0 {
			return -1, -1
		}
		end = begin + n + len(after)
		if strings.Contains(page[begin:end], within) {
			return begin, end
		}
		at = begin + len(before)
	}
}

// hashOf returns the hash of an inline script or style for a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
