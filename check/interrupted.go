// What interrupted runs of weigh leave: journals and temporary files.

package check

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// judgeInterrupted reports the journals of folders, and temporary files whose process does not live.
func (f *folder) judgeInterrupted(folders map[string]bool) {
	journals, temporary := make(map[string]bool), make(map[string]bool)
	for dir := range folders {
		if f.dir == "" {
			break
		}
		if f.hasJournal(dir) {
			journals[path.Join(dir, atomicfile.JournalName)] = true
		}
		for _, name := range atomicfile.Leftovers(f.local(dir)) { // also those without files, which no list has
			temporary[path.Join(dir, name)] = true
		}
	}
	for _, file := range f.names {
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
		f.found(file).Add(RuleExchangeUnfinished, "", safetensors.Span{}, "%s", text)
		if f.dir == "" {
			f.found(file).Fix("Upload the folder again, from a complete copy.")
		}
	}
	for file := range temporary {
		if journals[path.Join(path.Dir(file), atomicfile.JournalName)] || f.isLive(file) {
			continue
		}
		f.found(file).Add(RuleLeftover, "", safetensors.Span{}, "%s was left by an interrupted run", quote(path.Base(file)))
		if f.dir == "" {
			f.found(file).Fix("Remove it: loaders do not read it.")
		}
	}
}

// hasJournal reports whether a local folder has a journal.
func (f *folder) hasJournal(dir string) bool {
	info, err := os.Lstat(f.local(path.Join(dir, atomicfile.JournalName)))
	return err == nil && !info.IsDir()
}

// isLive reports whether a process is writing a local temporary file, or replacing the files of a local folder.
func (f *folder) isLive(name string) bool { return f.dir != "" && atomicfile.IsLive(f.local(name)) }

// local returns the local name of a file or folder.
func (f *folder) local(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

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
