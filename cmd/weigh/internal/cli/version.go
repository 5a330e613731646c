// The version of the program.

package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A Version is which program this is, and what it was made with.
type Version struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision"` // of the source; "" if not known
	Modified bool   `json:"modified"` // since that revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// JSON writes the machine form, "weigh.version/1".
func (v *Version) JSON(w io.Writer, s typeset.Style) error { return encode.Write(w, s, v) }

// Text writes one line.
func (v *Version) Text(w io.Writer, _ typeset.Style) error {
	revision := ""
	if v.Revision != "" {
		revision = fmt.Sprintf(" (%.12s", v.Revision)
		if v.Modified {
			revision += ", modified"
		}
		revision += ")"
	}
	_, err := fmt.Fprintf(w, "weigh %s%s %s %s\n", v.Version, revision, v.Go, v.Platform)
	return err
}

// Build returns what the linker has put into the program.
func Build() *Version {
	v := &Version{
		Schema: "weigh.version/1", Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	// go install records a version, and a build in a clone the revision. Neither needs a flag of
	// the linker, which packagers of the program would forget.
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if build.Main.Version != "" {
		v.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
