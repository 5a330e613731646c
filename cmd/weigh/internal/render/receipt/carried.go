// What is copied beside the weights.

package receipt

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Carried are the files beside the weights: configurations, tokenizers, licenses, and others.
type Carried struct {
	Companions []Companion
	NotCopied  []string
	Warnings   []string // about files that no longer describe the weights, or cannot be read
}

// A Companion is a file that was copied, or would be.
type Companion struct {
	Path    string   `json:"path"`
	From    string   `json:"from"`
	Size    int64    `json:"size"`
	Action  string   `json:"action"`  // "copied", "corrected", "written", or "kept" if it was there already
	Changes []string `json:"changes"` // if it was corrected
}

// members returns the files for JSON.
func (c *Carried) members() []encode.Member {
	return []encode.Member{
		encode.M("companions", encode.List(c.Companions, func(one *Companion) any {
			if one.Changes == nil {
				one.Changes = []string{}
			}
			return one
		})),
		encode.M("not_copied", c.NotCopied),
		encode.M("companion_warnings", c.Warnings),
	}
}

// notes lists the files for people. Would begins the notes of a dry run.
func (c *Carried) notes(written bool) []note {
	would := ""
	if !written {
		would = "would be "
	}
	copied, kept := note{"", would + "copied", nil}, note{"", "kept, because they are the same", nil}
	corrected, made := note{typeset.Yellow, would + "corrected", nil}, note{"", would + "written", nil}
	for _, one := range c.Companions {
		switch one.Action {
		case "kept":
			kept.names = append(kept.names, one.Path)
		case "written":
			made.names = append(made.names, one.Path)
		case "corrected":
			corrected.names = append(corrected.names,
				fmt.Sprintf("%s (%s)", one.Path, strings.Join(one.Changes, ", ")))
		default:
			copied.names = append(copied.names, one.Path)
		}
	}
	return []note{copied, corrected, made, kept, {"", "not copied", c.NotCopied}, {typeset.Yellow, "warning", c.Warnings}}
}
