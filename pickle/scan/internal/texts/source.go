// Source code: it is recognized, not analyzed.

package texts

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
)

// pythonSource is what Python source code is called.
const pythonSource = "Python source code"

// language returns the kind of source code in files with an extension, or "".
func language(ext string) string { return lookup(languages[:], ext) }

// lookup returns the kind in a table that has a word, or "".
func lookup(table [][2]string, word string) string {
	for _, row := range table {
		for w := range strings.FieldsSeq(row[1]) {
			if w == word {
				return row[0]
			}
		}
	}
	return ""
}

// prose reports whether files with an extension are documents, which may show source code and
// templates.
func prose(ext string) bool {
	switch ext {
	case ".md", ".markdown", ".rst", ".html", ".htm", ".tex":
		return true
	}
	return false
}

// imported are the names of Python files that programs import because a configuration of the same
// repository names them (Transformers, Diffusers, Inference Endpoints, torch.hub), or without being
// asked (Python itself, pytest).
var imported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:modeling|configuration|tokenization|processing|image_processing|` +
		`feature_extraction|video_processing|audio_processing|generation|modular)_.*|pipeline|handler|hubconf|` +
		`generate|conftest|sitecustomize|usercustomize)\.pyw?$`)
})

// runs are calls in Python source code that start programs, run text as code, or load libraries.
var runs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\bos\s*\.\s*(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|startfile)\b|` +
		`\bsubprocess\b|` +
		`(?:^|[^.\w])(?:eval|exec|execfile|__import__)\s*\(|\b__builtins__\b|\b__subclasses__\b|\bpty\s*\.\s*spawn\b|` +
		`\bmarshal\s*\.\s*loads?\b|\bctypes\s*\.\s*(?:CDLL|cdll|PyDLL|windll)\b|\bpickle\s*\.\s*loads?\b|` +
		`\bsocket\s*\.\s*(?:socket|create_connection)\b|\bcode\s*\.\s*Interactive\w*|\bfrom\s+os\s+import\b|` +
		`\bcommands\s*\.\s*getoutput\b)`)
})

// source recognizes source code and returns its format, or "".
func (r *Reader) source(text []byte) string {
	lower := strings.ToLower(r.Name)
	ext := r.extension()
	what := lookup(scripts[:], lower)
	switch {
	case what != "":
	case strings.HasPrefix(lower, "dockerfile."), strings.HasPrefix(lower, "makefile."):
		what = lookup(scripts[:], lower[:strings.IndexByte(lower, '.')])
	case language(ext) != "":
		what = language(ext)
	case bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte("#!")):
		what = "a script"
	case prose(ext):
	case isPython(text):
		what = pythonSource
	case isShell(text):
		what = "a shell script"
	case bytes.Contains(text, []byte("backend-path")) && lower == "pyproject.toml":
		what = "a project that is built by code of its own"
	}
	switch what {
	case "":
		return ""
	case pythonSource:
		r.unread(what)
		r.python(text, lower)
		return string(filetype.Python)
	}
	r.unread(what)
	return string(filetype.Script)
}

// statement is the beginning of a line of Python source code.
var statement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:import\s+[\w.]+(?: as \w+)?(?:, ?[\w.]+(?: as \w+)?)*\s*(?:$|[;#])|` +
		`from [\w.]+ import |(?:async )?def \w+\(|class \w+.*:|@\w+|` +
		`if __name__|(?:exec|eval|print|__import__|compile)\(|(?:os|subprocess|sys)\.\w+\()`)
})

// isPython reports whether a text is Python source code: whether its first line that is neither
// empty, nor a comment, nor a part of a string is a statement.
func isPython(text []byte) bool {
	const most = 200 // lines
	n, inside := 0, ""
	for line := range bytes.Lines(text) {
		if n++; n > most {
			return false
		}
		line = bytes.TrimRight(line, " \t\r\n")
		if inside != "" {
			if bytes.Contains(line, []byte(inside)) {
				inside = ""
			}
			continue
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if quote := string(line[:min(len(line), 3)]); quote == `"""` || quote == "'''" {
			if !bytes.Contains(line[3:], []byte(quote)) {
				inside = quote
			}
			continue
		}
		return statement().Match(line[:min(len(line), 200)])
	}
	return false
}

// python judges Python source code by its name and the calls in it.
func (r *Reader) python(text []byte, lower string) {
	if imported().MatchString(lower) && !r.Within {
		r.find(RuleSource, pickle.Warning, 0, "%s is Python source code, which programs import by its name", quoted(r.Name))
	}
	const most, cost = 1 << 20, 5 // bytes that are searched, and the cost of each
	text = text[:min(len(text), most)]
	if !r.Spend(int64(len(text)) * cost) {
		return // it is not safe anyway
	}
	if at := runs().FindIndex(text); at != nil {
		found := strings.Trim(string(text[at[0]:at[1]]), " \t\r\n(=,:")
		r.find(RuleSource, pickle.Warning, int64(at[0]), "the source code contains %s", quoted(found))
	}
}

// command is the beginning of a line of a shell script, or the end of a pipe.
var command = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:set -[a-zA-Z]|export \w+=|(?:sudo|nohup|exec|eval) +[\w./~"'$-]+|` +
		`(?:curl|wget) .*://|(?:curl|wget|rm|cp|chmod|mkdir|ssh|nc|tar|pip3?|apt-get|git|ba|z|da)(?:sh)? +-|` +
		`(?:ba|z|da)?sh +\S*[/-]|chmod +[0-7+ugoa]+|touch +[\w./~-]+$|source +[\w./~$]+$|\. +[/~$]|` +
		`(?:if|while) \[ |\w+\(\) *\{)|` +
		"\\|\\s*(?:sudo +)?(?:ba|z|da|k)?sh(?:\\s|$)|&& *(?:curl|wget|rm|chmod|sudo) |^\\w+=[`$]\\(?")
})

// isShell reports whether a text is a shell script: whether one of its first lines, apart from comments, is a command.
func isShell(text []byte) bool {
	const most = 20 // lines
	n := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line[:min(len(line), 400)])
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if n++; n > most {
			return false
		}
		if command().Match(line) {
			return true
		}
	}
	return false
}
