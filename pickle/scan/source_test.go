// Source code and bytecode, by name and by content, alone and in archives.

package scan

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

func TestSource(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       pickle.Verdict
	}{
		{"train.py", "import torch\nprint(torch.ones(1))\n", pickle.Unanalysed},
		{"train.py", "x = 1\n", pickle.Unanalysed},
		{"setup.py", "from setuptools import setup\nsetup()\n", pickle.Unanalysed},
		{"setup.py", "import os\nos.system('x')\n", pickle.Suspicious},
		{"a.py", "from subprocess import run\n", pickle.Suspicious},
		{"a.py", "model.eval()\nre.compile('x')\n", pickle.Unanalysed},
		{"a.py", "x = eval ('1')\n", pickle.Suspicious},
		{"modeling_x.py", "import torch\n", pickle.Suspicious},
		{"Configuration_X.py", "import torch\n", pickle.Suspicious},
		{"sitecustomize.py", "x = 1\n", pickle.Suspicious},
		{"conftest.py", "x = 1\n", pickle.Suspicious},
		{"hubconf.py", "x = 1\n", pickle.Suspicious},
		{"noext", "# hello\n\"\"\"text\nmore\"\"\"\nimport torch\n", pickle.Unanalysed},
		{"a.txt", "from os import system\n", pickle.Suspicious},
		{"run", "#!/bin/sh\nid\n", pickle.Unanalysed},
		{"run.sh", "id\n", pickle.Unanalysed},
		{"run.BAT", "@echo off\n", pickle.Unanalysed},
		{"x.ps1", "Get-Item\n", pickle.Unanalysed},
		{"Dockerfile", "FROM x\n", pickle.Unanalysed},
		{"Dockerfile.gpu", "FROM x\n", pickle.Unanalysed},
		{"Makefile", "all:\n", pickle.Unanalysed},
		{"kernel.cu", "__global__ void f() {}\n", pickle.Unanalysed},
		{"a.js", "alert(1)\n", pickle.Unanalysed},
		{"a.html", "<script>alert(1)</script>\n", pickle.Unanalysed},
		{"a.svg", "<svg onload='alert(1)'/>\n", pickle.Unanalysed},
		{"a.pmml", "<PMML version='4.4'></PMML>\n", pickle.Unanalysed},
		{"README.md", "<div align='center'><b>A model</b></div>\n", pickle.Safe},
		{"a.ipynb", `{"cells": [], "nbformat": 4}`, pickle.Unanalysed},
		{"a.pyc", "\xa7\x0d\x0d\x0a" + strings.Repeat("\x00", 12) + "\xe3", pickle.Unanalysed},
		{"x.pth", "# c\nimport os; os.system('x')\n", pickle.Dangerous},
		{"x.pth", "import\tos\n", pickle.Dangerous},

		{"README.md", "# A\n\n```python\nimport os\nos.system('x')\n```\n", pickle.Safe},
		{"LICENSE", "Apache License\n", pickle.Safe},
		{"requirements.txt", "torch>=2\n", pickle.Safe},
		{"notes.txt", "import duties are due\n", pickle.Safe},
		{"merges.txt", "#version: 0.2\n! !\n!! !!\n!!! !\nc onst\n", pickle.Safe},
		{"vocab.txt", "!\n\"\n#\n$\n%\n&\n'\n(\n[UNK]\n{\n", pickle.Safe},
		{".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", pickle.Safe},
		{"added_tokens.json", "{}\n", pickle.Safe},
		{"list.json", "[]", pickle.Safe},
	} {
		if r := scanned(t, new(Scanner), []byte(c.text), c.name); r.Verdict != c.want || !r.Complete && c.name != "x.pth" {
			t.Errorf("%s with %q is %s, %v, want %v: %v", c.name, c.text, r.Format, r.Verdict, c.want, r.Findings)
		}
		archive := zipped(t, file{"m/" + c.name, c.text}, file{"m/x.txt", "x"})
		if r := scanned(t, new(Scanner), archive, "x.zip"); r.Verdict < c.want || c.want == pickle.Safe && r.Verdict > c.want {
			t.Errorf("%s with %q in an archive is %v, want %v: %v", c.name, c.text, r.Verdict, c.want, r.Findings)
		}
	}
}
