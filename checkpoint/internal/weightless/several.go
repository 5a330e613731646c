// Folders with several models.

package weightless

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// A SeveralError says that a folder has several models where one is expected.
type SeveralError struct {
	Models int    // how many there are
	First  string // the path of the first in its store
	text   string
}

// Several returns the error of a folder with models of these names, at least one.
func Several(names []string) *SeveralError {
	const most = 3 // names; others are counted
	var shown []string
	for _, name := range names[:min(most, len(names))] {
		shown = append(shown, wording.Quote(name))
	}
	if len(names) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
	}
	return &SeveralError{Models: len(names), First: names[0], text: fmt.Sprintf(
		"checkpoint: the folder has %d models: name one of them: %s", len(names), strings.Join(shown, ", "))}
}

// Error names the models.
func (e *SeveralError) Error() string { return e.text }
