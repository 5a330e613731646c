// Code and markup in texts that should contain neither.

package known

import "strings"

// marks occur in code and markup, but not in usual metadata. They are in lower case.
var marks = []string{
	"__import__(", "import os", "import sys", "import subprocess", "import socket", "os.system(", "subprocess.",
	"pickle.loads", "marshal.loads", "base64.b64decode",
	"builtins.", "__globals__", "__class__", "__subclasses__", "__builtins__",
	"<script", "<iframe", "<svg", "<img", "<object", "javascript:", "onerror=", "onload=", "<?php", "<!entity",
	"document.cookie", "document.location",
	"#!/", "rm -rf", "curl http", "wget http", "powershell", "cmd.exe", "/bin/sh", "/bin/bash", "${jndi:",
}

// calls are Python functions that run code, unless they are the end of a longer name such as
// "model.eval(".
var calls = []string{"eval(", "exec(", "compile("}

// Mark returns the first mark or call in a text and its position, or "".
func Mark(text string) (mark string, at int) {
	for _, mark := range marks {
		if i := strings.Index(text, mark); i >= 0 {
			return mark, i
		}
	}
	for _, call := range calls {
		for from := 0; ; {
			i := strings.Index(text[from:], call)
			if i < 0 {
				break
			}
			at := from + i
			if at == 0 || strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789_.", text[at-1]) < 0 {
				return call, at
			}
			from = at + len(call)
		}
	}
	return "", 0
}
