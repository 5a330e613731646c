// Journals: the planned changes to the files of a folder, for a later run to finish.

package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// JournalName is the name of the file in a folder that lists the files which a run was replacing. It exists for
// moments, unless the run was killed.
const JournalName = ".weigh-journal"

const (
	journalSchema = "weigh.journal/1"
	journalAbout  = "An interrupted run of weigh was replacing these files. To finish it: weigh edit --recover FOLDER"
	journalMax    = 64 << 20 // bytes; ten thousand shards with long names take a tenth
)

// A journal lists the steps of an exchange, which was prepared completely before the journal was written. Its content
// is not trusted: the folder may have been downloaded.
type journal struct {
	Schema string `json:"schema"`
	About  string `json:"about"`

	// Hidden is the hidden folder that has the New files, and gets the Old ones. They are moved in order.
	Hidden string  `json:"hidden,omitempty"`
	Old    []state `json:"old,omitempty"`
	New    []state `json:"new,omitempty"`

	// Patches are bytes that are overwritten in files that stay.
	Patches []Patch `json:"patches,omitempty"`
}

// A state identifies the content of a file: another program that replaces or changes it afterwards changes the state.
type state struct {
	Name     element `json:"name"`
	Size     int64   `json:"size"`
	Modified int64   `json:"modified"` // nanoseconds since 1970
}

// stateOf returns the state of a file in a folder, without following a link.
func stateOf(dir, name string) (state, error) {
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil {
		return state{}, err
	}
	if info.IsDir() {
		return state{}, &fs.PathError{Op: "replace", Path: filepath.Join(dir, name), Err: errIsFolder}
	}
	return state{element(name), info.Size(), info.ModTime().UnixNano()}, nil
}

// statesOf returns the states of the files that exist.
func statesOf(dir string, names []string) ([]state, error) {
	var list []state
	for _, name := range names {
		s, err := stateOf(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// isIn reports whether the folder has the file in this state.
func (s state) isIn(dir string) bool {
	const grain = 2 * time.Second // of the dates of some file systems, once they are on disk
	is, err := stateOf(dir, string(s.Name))
	return err == nil && is.Size == s.Size && max(is.Modified-s.Modified, s.Modified-is.Modified) <= int64(grain)
}

// An element is the name of a file in a folder. Names need not be UTF-8, and texts of JSON must be.
type element string

// MarshalText implements [encoding.TextMarshaler]. It escapes what is not UTF-8.
func (e element) MarshalText() ([]byte, error) {
	quoted := strconv.Quote(string(e))
	return []byte(quoted[1 : len(quoted)-1]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *element) UnmarshalText(text []byte) error {
	name, err := strconv.Unquote(`"` + string(text) + `"`)
	if err == nil && !isElement(name) {
		err = fs.ErrInvalid
	}
	if err != nil {
		return fmt.Errorf("%q is not the name of a file in the folder", text)
	}
	*e = element(name)
	return nil
}

// create writes the journal to a folder that has none, and syncs it and the names in the hidden folder. The exchange
// begins after create has returned.
func (j *journal) create(dir string) error {
	j.Schema, j.About = journalSchema, journalAbout
	text, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return err
	}
	if len(text) > journalMax {
		return fmt.Errorf("the list of changes has %d bytes, more than %d", len(text), journalMax)
	}
	name := filepath.Join(dir, JournalName)
	// It may have metadata of files that others may not read.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &UnfinishedError{Dir: dir}
	} else if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && j.Hidden != "" {
		err = SyncFolder(filepath.Join(dir, j.Hidden)) // most file systems have synced it with the file
	}
	if err == nil {
		err = SyncFolder(dir)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// errTorn means that a journal is not complete. Then the exchange has not begun.
var errTorn = errors.New("the journal is incomplete")

// readJournal reads the journal of a folder. It returns nil if there is none, and errTorn if it is not complete.
func readJournal(dir string) (*journal, error) {
	name := filepath.Join(dir, JournalName)
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > journalMax) {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, journalMax))
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(text, []byte("\n}\n")) {
		return nil, errTorn
	}
	j := new(journal)
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fmt.Errorf("%q is not a journal: %w", name, err)
	}
	return j, j.check(name)
}

// check returns an error if the journal is not one that create writes.
func (j *journal) check(name string) error {
	fault := ""
	switch {
	case j.Schema != journalSchema:
		fault = fmt.Sprintf("its schema is %q, and not %q", j.Schema, journalSchema)
	case j.Hidden != "" && !IsHidden(j.Hidden):
		fault = fmt.Sprintf("%q is not the name of a hidden folder", j.Hidden)
	case (j.Hidden == "") != (len(j.Patches) > 0), len(j.Patches) > 0 && len(j.Old)+len(j.New) > 0:
		fault = "it has both files and patches, or neither"
	}
	for _, s := range append(j.Old[:len(j.Old):len(j.Old)], j.New...) {
		if s.Name == JournalName || string(s.Name) == j.Hidden {
			fault = fmt.Sprintf("%q is not a file to replace", s.Name)
		}
	}
	for _, p := range j.Patches {
		if p.At < 0 || p.At > p.Size-int64(len(p.Now)) || len(p.Was) != len(p.Now) || len(p.Now) == 0 ||
			p.Name == JournalName {
			fault = fmt.Sprintf("the patch of %q is invalid", p.Name)
		}
	}
	if fault != "" {
		return fmt.Errorf("%q is not a journal: %s", name, fault)
	}
	return nil
}

// removeJournal removes the journal of a folder, durably.
func removeJournal(dir string) error {
	if err := os.Remove(filepath.Join(dir, JournalName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return SyncFolder(dir)
}

// An UnfinishedError says that the files of a folder are neither those before nor those after an exchange.
type UnfinishedError struct {
	Dir  string
	Live bool // the process that is replacing them is running
}

// Error says so in one line.
func (e *UnfinishedError) Error() string {
	if e.Live {
		return fmt.Sprintf("another process is replacing files in %q: wait until it ends", e.Dir)
	}
	return fmt.Sprintf("an interrupted run has replaced only some of the files in %q", e.Dir)
}

// Unfinished returns an *[UnfinishedError] if a folder has a journal, and nil otherwise.
func Unfinished(dir string) error {
	if dir == "" {
		dir = "."
	}
	if _, err := os.Lstat(filepath.Join(dir, JournalName)); err != nil {
		return nil
	}
	live := IsLive(dir)
	// The process may have ended in between.
	if _, err := os.Lstat(filepath.Join(dir, JournalName)); err != nil {
		return nil
	}
	return &UnfinishedError{Dir: dir, Live: live}
}
