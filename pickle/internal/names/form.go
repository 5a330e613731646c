// How names are written.

package names

import "strings"

// Plausible reports whether a module and a name are valid in Python, as opposed to bytes after something that resembles
// an opcode.
func Plausible(module, name string) bool {
	full := module + "." + name
	for i := range len(full) {
		switch c := full[i]; {
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case c >= '0' && c <= '9' && i > 0 && full[i-1] != '.':
		case c == '.' && i > 0 && full[i-1] != '.' && i+1 < len(full):
		default:
			return false
		}
	}
	return module != "" && name != ""
}

// IsDunder reports whether a name starts and ends with two underscores.
func IsDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// IsClass reports whether a name is written like the name of a class: in capital and small letters.
func IsClass(name string) bool {
	name = strings.TrimLeft(name[strings.LastIndexByte(name, '.')+1:], "_")
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && strings.ToUpper(name) != name
}
