// Source code: it is recognized, not analyzed.

package texts

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
)

// languages are the kinds of source code by the extensions of their files.
var languages = map[string]string{
	".py": "Python source code", ".pyw": "Python source code", ".pyi": "Python source code", ".pyx": "Cython source code",
	".pxd": "Cython source code", ".sh": "a shell script", ".bash": "a shell script", ".zsh": "a shell script",
	".fish": "a shell script", ".ksh": "a shell script", ".csh": "a shell script", ".command": "a shell script",
	".bat": "a batch file", ".cmd": "a batch file", ".ps1": "a PowerShell script", ".psm1": "a PowerShell script",
	".vbs": "a Visual Basic script", ".wsf": "a Windows script", ".hta": "a Windows script", ".reg": "a registry file",
	".js": "JavaScript source code", ".mjs": "JavaScript source code", ".cjs": "JavaScript source code",
	".ts": "TypeScript source code", ".tsx": "TypeScript source code", ".jsx": "JavaScript source code",
	".rb": "Ruby source code", ".pl": "Perl source code", ".pm": "Perl source code", ".php": "PHP source code",
	".lua": "Lua source code", ".r": "R source code", ".jl": "Julia source code", ".go": "Go source code",
	".rs": "Rust source code", ".c": "C source code", ".cc": "C++ source code", ".cpp": "C++ source code",
	".cxx": "C++ source code", ".h": "C source code", ".hpp": "C++ source code", ".cu": "CUDA source code",
	".cuh": "CUDA source code", ".java": "Java source code", ".scala": "Scala source code", ".kt": "Kotlin source code",
	".swift": "Swift source code", ".m": "MATLAB or Objective-C source code", ".cs": "C# source code",
	".sql": "an SQL script", ".cmake": "a CMake script", ".mk": "a makefile", ".ipynb": "a notebook",
	".desktop": "a desktop entry", ".service": "a systemd unit", ".applescript": "an AppleScript",
	".groovy": "Groovy source code", ".html": "a web page", ".htm": "a web page", ".xhtml": "a web page",
	".svg": "an SVG image", ".pmml": "a PMML model",
	".metal": "Metal source code", ".cl": "OpenCL source code", ".triton": "Triton source code",
}

// files are the same by their names, in lower case.
var files = map[string]string{
	"dockerfile": "a Dockerfile", "containerfile": "a Dockerfile", "makefile": "a makefile", "gnumakefile": "a makefile",
	"cmakelists.txt": "a CMake script", "jenkinsfile": "a Jenkins script", "justfile": "a justfile",
	"rakefile":    "a Rakefile",
	"vagrantfile": "a Vagrantfile", "procfile": "a Procfile", ".bashrc": "a shell script", ".profile": "a shell script",
	".bash_profile": "a shell script", ".zshrc": "a shell script", ".envrc": "a shell script",
	"sconstruct": "an SCons script",
	"snakefile":  "a Snakefile", "crontab": "a crontab",
}

// prose are the extensions of documents, which may show source code and templates.
var prose = map[string]bool{".md": true, ".markdown": true, ".rst": true, ".html": true, ".htm": true, ".tex": true}

// imported are the names of Python files that programs import because a configuration of the same
// repository names them (Transformers, Diffusers, Inference Endpoints, torch.hub), or without being
// asked (Python itself, pytest).
var imported = regexp.MustCompile(`^(?:(?:modeling|configuration|tokenization|processing|image_processing|` +
	`feature_extraction|video_processing|audio_processing|generation|modular)_.*|pipeline|handler|hubconf|` +
	`generate|conftest|sitecustomize|usercustomize)\.pyw?$`)

// runs are calls in Python source code that start programs, run text as code, or load libraries.
var runs = regexp.MustCompile(`(?:\bos\s*\.\s*(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|startfile)\b|` +
	`\bsubprocess\b|` +
	`(?:^|[^.\w])(?:eval|exec|execfile|__import__)\s*\(|\b__builtins__\b|\b__subclasses__\b|\bpty\s*\.\s*spawn\b|` +
	`\bmarshal\s*\.\s*loads?\b|\bctypes\s*\.\s*(?:CDLL|cdll|PyDLL|windll)\b|\bpickle\s*\.\s*loads?\b|` +
	`\bsocket\s*\.\s*(?:socket|create_connection)\b|\bcode\s*\.\s*Interactive\w*|\bfrom\s+os\s+import\b|` +
	`\bcommands\s*\.\s*getoutput\b)`)

// source recognizes source code and returns its format, or "".
func (r *Reader) source(text []byte) string {
	lower := strings.ToLower(r.Name)
	ext := r.extension()
	what := files[lower]
	switch {
	case what != "":
	case strings.HasPrefix(lower, "dockerfile."), strings.HasPrefix(lower, "makefile."):
		what = files[lower[:strings.IndexByte(lower, '.')]]
	case languages[ext] != "":
		what = languages[ext]
	case ext == ".pth":
		return r.sitePath(text)
	case bytes.HasPrefix(text, []byte("#!")):
		what = "a script"
	case !prose[ext]:
		if isPython(text) {
			what = languages[".py"]
		}
	}
	switch what {
	case "":
		return ""
	case languages[".py"]:
		r.unread(what)
		r.python(text, lower)
		return string(filetype.Python)
	}
	r.unread(what)
	return string(filetype.Script)
}

// statement is the beginning of a line of Python source code.
var statement = regexp.MustCompile(`^(?:import\s+[\w.]+(?: as \w+)?(?:, ?[\w.]+(?: as \w+)?)*\s*(?:$|[;#])|` +
	`from [\w.]+ import |(?:async )?def \w+\(|class \w+.*:|@\w+|` +
	`if __name__|(?:exec|eval|print|__import__|compile)\(|(?:os|subprocess|sys)\.\w+\()`)

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
		return statement.Match(line[:min(len(line), 200)])
	}
	return false
}

// python judges Python source code by what it is for.
func (r *Reader) python(text []byte, lower string) {
	if imported.MatchString(lower) && !r.Within {
		r.warn(RuleSource, pickle.Warning, 0, "%s is Python source code, which programs import by its name", quoted(r.Name))
	}
	const most, cost = 1 << 20, 5 // bytes that are searched, and the cost of each
	text = text[:min(len(text), most)]
	if !r.Spend(int64(len(text)) * cost) {
		return // it is not safe anyway
	}
	if at := runs.FindIndex(text); at != nil {
		found := strings.Trim(string(text[at[0]:at[1]]), " \t\r\n(=,:")
		r.warn(RuleSource, pickle.Warning, at[0], "the source code contains %s", quoted(found))
	}
}

// sitePath judges a .pth file of Python's module site, which runs each line that begins with
// "import".
func (r *Reader) sitePath(text []byte) string {
	at := 0
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("import ")) || bytes.HasPrefix(line, []byte("import\t")) {
			r.warn(RuleSitePath, pickle.Error, at,
				"the line %s runs whenever Python starts, if the file is in a folder of packages",
				quoted(strings.TrimSpace(string(line[:min(len(line), 80)]))))
			return "site-path"
		}
		at += len(line)
	}
	return ""
}
