// Patterns: names without their numbers.

package names

// Pattern returns a name in which each element that is a number or a placeholder is replaced by #:
// "model.layers.3.mlp.up_proj.weight" becomes "model.layers.#.mlp.up_proj.weight".
func Pattern(name string) string {
	var room [128]byte
	b := appendPattern(room[:0], name)
	if string(b) == name {
		return name
	}
	return string(b)
}

// appendPattern appends the pattern of a name.
func appendPattern(to []byte, name string) []byte {
	for begin := 0; begin <= len(name); {
		end := begin
		digits := true
		for end < len(name) && name[end] != '.' {
			digits = digits && '0' <= name[end] && name[end] <= '9'
			end++
		}
		switch element := name[begin:end]; {
		case element == "":
		case digits, len(element) == 3 && element[0] == '{' && element[2] == '}':
			to = append(to, '#')
		default:
			to = append(to, element...)
		}
		if end < len(name) {
			to = append(to, '.')
		}
		begin = end + 1
	}
	return to
}

// expand returns the names that a text with alternatives stands for: "a.{b,c.{d,e}}" stands for "a.b", "a.c.d" and
// "a.c.e". Braces without a comma are placeholders.
func expand(text string) []string {
	done, todo := []string{}, []string{text}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		begin, end, commas := alternatives(last)
		if begin < 0 {
			done = append(done, last)
			continue
		}
		for i := len(commas) - 1; i > 0; i-- { // the first is on top of the stack
			todo = append(todo, last[:begin]+last[commas[i-1]+1:commas[i]]+last[end+1:])
		}
	}
	return done
}

// alternatives returns where the first braces with alternatives begin and end, and what separates the alternatives:
// the first brace, the commas and the last brace. The begin is -1 if there are none.
func alternatives(text string) (begin, end int, separators []int) {
	for begin = 0; begin < len(text); begin++ {
		if text[begin] != '{' {
			continue
		}
		separators = append(separators[:0], begin)
		depth := 0
		for end = begin; end < len(text); end++ {
			switch text[end] {
			case '{':
				depth++
			case '}':
				depth--
			case ',':
				if depth == 1 {
					separators = append(separators, end)
				}
			}
			if depth == 0 {
				break
			}
		}
		if len(separators) > 1 && end < len(text) {
			return begin, end, append(separators, end)
		}
	}
	return -1, -1, nil
}
