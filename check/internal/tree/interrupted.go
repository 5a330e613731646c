// What interrupted runs of weigh leave: journals and temporary files.

package tree

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/wording"
)

// JudgeInterrupted reports the journals of folders, and temporary files whose process does not live.
func (f *Tree) JudgeInterrupted(folders map[string]bool) {
	journals, temporary := make(map[string]bool), make(map[string]bool)
	for dir := range folders {
		if f.Dir == "" {
			break
		}
		if f.hasJournal(dir) {
			journals[path.Join(dir, atomicfile.JournalName)] = true
		}
		for _, name := range atomicfile.Leftovers(f.Local(dir)) { // also those without files, which no list has
			temporary[path.Join(dir, name)] = true
		}
	}
	for _, file := range f.Names {
		if path.Base(file) == atomicfile.JournalName {
			journals[file] = true
		}
		if hidden := hiddenPart(file); hidden != "" {
			temporary[hidden] = true
		}
	}
	for file := range journals {
		text := "an interrupted run has replaced only some of the files in this folder"
		if f.isLive(path.Dir(file)) {
			text = "a process is replacing files in this folder: check it again when the process has ended"
		}
		f.Found(file).Add(rule.ExchangeUnfinished, "", safetensors.Span{}, "%s", text)
		if f.Dir == "" {
			f.Found(file).Fix("Upload the folder again, from a complete copy.")
		}
	}
	for file := range temporary {
		if journals[path.Join(path.Dir(file), atomicfile.JournalName)] || f.isLive(file) {
			continue
		}
		f.Found(file).Add(rule.Leftover, "", safetensors.Span{}, "%s was left by an interrupted run",
			wording.Quote(path.Base(file)))
		if f.Dir == "" {
			f.Found(file).Fix("Remove it: loaders do not read it.")
		}
	}
}

// hasJournal reports whether a local folder has a journal.
func (f *Tree) hasJournal(dir string) bool {
	info, err := os.Lstat(f.Local(path.Join(dir, atomicfile.JournalName)))
	return err == nil && !info.IsDir()
}

// isLive reports whether a process is writing a local temporary file, or replacing the files of a local folder.
func (f *Tree) isLive(name string) bool { return f.Dir != "" && atomicfile.IsLive(f.Local(name)) }

// Local returns the local name of a file or folder.
func (f *Tree) Local(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// hiddenPart returns the path up to the first element that is the name of a temporary file or folder, or "".
func hiddenPart(file string) string {
	end := 0
	for element := range strings.SplitSeq(file, "/") {
		end += len(element)
		if atomicfile.IsHidden(element) {
			return file[:end]
		}
		end++
	}
	return ""
}
