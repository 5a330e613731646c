// Package sarif writes SARIF 2.1.0 logs, the format that code scanners exchange.
package sarif

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// The parts of SARIF 2.1.0 (OASIS standard, 27 March 2020) in use. Numbers are sections of the
// standard.
type (
	Tool struct { // 3.18
		Driver Driver `json:"driver"`
	}
	Driver struct { // 3.19
		Name           string `json:"name"`
		Version        string `json:"version,omitempty"`
		InformationURI string `json:"informationUri"`
		Rules          []Rule `json:"rules"`
	}
	Rule struct { // 3.49
		ID               string     `json:"id"`
		ShortDescription Text       `json:"shortDescription"`
		FullDescription  Text       `json:"fullDescription"`
		Help             Help       `json:"help"`
		HelpURI          string     `json:"helpUri"`
		Configuration    Default    `json:"defaultConfiguration"`
		Properties       Properties `json:"properties"`
	}
	Help struct { // 3.49.13
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	Text struct { // 3.11 and 3.12
		Text string `json:"text"`
	}
	Default struct { // 3.50
		Level string `json:"level"`
	}
	Properties struct { // 3.8; the names are GitHub's
		Tags      []string `json:"tags"`
		Precision string   `json:"precision"`
		Problem   string   `json:"problem.severity"`
	}
	Invocation struct { // 3.20
		Successful    bool           `json:"executionSuccessful"`
		Notifications []Notification `json:"toolExecutionNotifications,omitempty"`
	}
	Notification struct { // 3.58
		Level     string     `json:"level"`
		Message   Text       `json:"message"`
		Locations []Location `json:"locations,omitempty"`
	}
	Result struct { // 3.27
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      Text              `json:"message"`
		Locations    []Location        `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Suppressions []Suppression     `json:"suppressions,omitempty"`
	}
	Suppression struct { // 3.35
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	Location struct { // 3.28
		Physical Physical  `json:"physicalLocation"`
		Logical  []Logical `json:"logicalLocations,omitempty"`
	}
	Physical struct { // 3.29
		Artifact Artifact `json:"artifactLocation"`
		Region   Region   `json:"region"`
	}
	Artifact struct { // 3.4
		URI string `json:"uri"`
	}
	Region struct { // 3.30
		StartLine   int    `json:"startLine"`
		StartColumn int    `json:"startColumn"`
		EndLine     int    `json:"endLine"`
		EndColumn   int    `json:"endColumn"`
		ByteOffset  *int64 `json:"byteOffset,omitempty"`
		ByteLength  *int64 `json:"byteLength,omitempty"`
	}
	Logical struct { // 3.33
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
)

// A Log is a SARIF log of one run.
type Log struct {
	Version    string // of the program
	Rules      []Rule
	Invocation Invocation
	Results    encode.Elements
}

// Write writes the log, result by result.
func (l *Log) Write(w io.Writer, s typeset.Style) error {
	run := []encode.Member{ // 3.14
		encode.M("tool", Tool{Driver{Name: "weigh", Version: l.Version,
			InformationURI: "https://github.com/weightools/safetensors", Rules: l.Rules}}),
		encode.M("invocations", []Invocation{l.Invocation}),
		encode.M("columnKind", "unicodeCodePoints"),
		encode.M("results", l.Results),
	}
	return encode.Object(w, s, []encode.Member{ // 3.13
		encode.M("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"),
		encode.M("version", "2.1.0"),
		encode.M("runs", encode.Elements(func(yield func(any) bool) { yield(run) })),
	})
}

// Unread returns a notification that a file could not be read, or not completely.
func Unread(root, file, message string) Notification {
	at := Location{Physical: Physical{Artifact: At(root, file), Region: WholeFile}}
	return Notification{Level: "error", Message: Message(message), Locations: []Location{at}}
}

// Message escapes text that contains names from files: brackets would begin links (3.11.6) and
// braces placeholders (3.11.5).
func Message(text string) Text {
	return Text{strings.NewReplacer("[", `\[`, "]", `\]`, "{", "{{", "}", "}}").Replace(text)}
}

// WholeFile is the region of a finding. GitHub requires lines and columns, which binary files do
// not have; by 3.30.4 they are independent of byte offsets.
var WholeFile = Region{StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2}

// Fingerprints returns the fingerprints of a result. The second one is what GitHub uses; its form
// is GitHub's own: hexadecimal digits and a counter among equal fingerprints, which seen holds.
func Fingerprints(print string, seen map[string]int) map[string]string {
	seen[print]++
	return map[string]string{"weigh/v1": print, "primaryLocationLineHash": fmt.Sprintf("%.16s:%d", print, seen[print])}
}

// At returns the location of a file: a URI, or a reference relative to root, the directory in
// which the program runs. GitHub takes that for the root of the repository.
func At(root, file string) Artifact {
	if rest, ok := strings.CutPrefix(file, root+"/"); ok && root != "" {
		file = rest
	}
	switch {
	case strings.Contains(file, "://"):
		return Artifact{file}
	case strings.HasPrefix(file, "/"):
		return Artifact{(&url.URL{Scheme: "file", Path: file}).String()}
	case len(file) > 2 && file[1:3] == ":/": // Windows drive
		return Artifact{(&url.URL{Scheme: "file", Path: "/" + file}).String()}
	}
	return Artifact{(&url.URL{Path: path.Clean(file)}).String()}
}
