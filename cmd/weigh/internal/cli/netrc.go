// The format of .netrc.

package cli

import "strings"

// A login is an entry of a .netrc file.
type login struct{ machine, user, password string }

// parseNetrc returns the entries of a .netrc file that have a password, in order. The entry
// "default" is left out: a password for every server would reach servers that it is not for.
func parseNetrc(text string) (all []login) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var l *login
	for {
		var word, value string
		var ok bool
		if word, text, ok = netrcWord(text); !ok {
			return withPassword(all)
		}
		switch {
		case word == "machine":
			value, text, _ = netrcWord(text)
			all = append(all, login{machine: value})
			l = &all[len(all)-1]
		case word == "default":
			l = &login{} // is forgotten
		case word == "login" && l != nil:
			l.user, text, _ = netrcWord(text)
		case word == "password" && l != nil:
			l.password, text, _ = netrcWord(text)
		case word == "account":
			_, text, _ = netrcWord(text)
		case word == "macdef": // until an empty line
			_, text, _ = strings.Cut(text, "\n\n")
		case strings.HasPrefix(word, "#"):
			_, text, _ = strings.Cut(text, "\n")
		}
	}
}

// withPassword returns the logins with a machine and a password.
func withPassword(all []login) (some []login) {
	for _, l := range all {
		if l.machine != "" && l.password != "" {
			some = append(some, l)
		}
	}
	return some
}

// netrcWord returns the first word of a text, and the text after it. A word in quotation
// marks may have spaces, and a backslash escapes the next character.
func netrcWord(text string) (word, rest string, ok bool) {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" {
		return "", "", false
	}
	quoted := text[0] == '"'
	if quoted {
		text = text[1:]
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case quoted && c == '"':
			return b.String(), text[i+1:], true
		case !quoted && strings.IndexByte(" \t\r\n", c) >= 0:
			return b.String(), text[i:], true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}
