// The plan of the house, as a test: who may import whom.

package safetensors_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/weightools/safetensors"

// rooms says what of ours each package may import, by its folder; "." is the
// root. A folder is ruled by the longest entry that it is or lies in.
var rooms = map[string][]string{
	"internal":                         {},
	"internal/config":                  {"internal"},
	"internal/parts":                   {".", "internal/wording"},
	"filetype":                         {"internal"},
	".":                                {"internal", "filetype"},
	"store":                            {"internal"},
	"checkpoint":                       {".", "filetype", "store", "internal"},
	"checkpoint/shards":                {"filetype", ".", "store", "checkpoint", "internal"},
	"gguf":                             {".", "filetype", "store", "checkpoint", "internal"},
	"gguf/internal":                    {"internal"},
	"gguf/origin":                      {".", "checkpoint", "edit/arrange", "model/names", "model/unpack", "internal"},
	"model":                            {".", "checkpoint", "internal", "model/adapters"},
	"model/adapters":                   {".", "internal"},
	"model/unpack":                     {".", "internal", "model/internal"},
	"model/identity":                   {".", "model", "internal"},
	"model/metadata":                   {"."},
	"model/names":                      {"internal"},
	"stats":                            {".", "internal"},
	"check":                            {".", "filetype", "store", "checkpoint", "stats", "model", "internal"},
	"diff":                             {".", "checkpoint", "digest", "store", "internal"},
	"edit":                             {".", "store", "checkpoint", "internal"},
	"edit/arrange":                     {".", "internal"},
	"edit/remap":                       {".", "internal", "edit/arrange"},
	"edit/adapter":                     {".", "internal", "edit", "model/adapters"},
	"edit/tie":                         {".", "internal", "edit", "model/names"},
	"edit/plain":                       {".", "internal", "edit", "model/unpack"},
	"edit/respell":                     {".", "internal", "edit", "model/names"},
	"digest":                           {".", "internal"},
	"vectors":                          {},
	"remote":                           {"store"},
	"remote/internal":                  {"store", "internal", "remote/internal"},
	"remote/bucket":                    {"store", "remote/internal"},
	"pickle":                           {"internal", "pickle/internal"},
	"pickle/internal":                  {"internal"},
	"pickle/internal/codec":            {"pickle/internal"},
	"pickle/internal/tarwalk":          {"pickle/internal", "internal"},
	"pickle/internal/zipwalk":          {"pickle/internal", "internal"},
	"pickle/internal/opcode":           {"internal", "pickle/internal/pylit"},
	"pickle/internal/names":            {"internal"},
	"pickle/internal/dtypes":           {"."},
	"pickle/internal/guise":            {"pickle/internal/opcode", "pickle/internal/names"},
	"pickle/internal/heap":             {"pickle/internal/opcode", "pickle/internal/pylit", "internal"},
	"pickle/internal/joblib":           {"pickle/internal/heap", "pickle/internal/dtype"},
	"pickle/internal/machine":          {"pickle/internal/opcode", "pickle/internal/guise", "pickle/internal/heap", "pickle/internal/names", "pickle/internal/pylit", "internal"},
	"pickle/internal/arguments":        {"pickle/internal/heap", "pickle/internal/names"},
	"pickle/internal/attributes":       {"pickle/internal/heap", "pickle/internal/names"},
	"pickle/internal/listing":          {"pickle/internal/opcode", "internal"},
	"pickle/internal/rules":            {},
	"pickle/internal/strided":          {"internal"},
	"pickle/internal/torchfile":        {"internal", "pickle"},
	"pickle/convert":                   {".", "store", "checkpoint", "gguf", "pickle", "internal"},
	"pickle/dcp":                       {".", "store", "checkpoint", "pickle", "internal"},
	"pickle/fsdp":                      {".", "store", "checkpoint", "pickle", "internal"},
	"pickle/scan":                      {".", "filetype", "pickle", "internal"},
	"pickle/scan/internal":             {".", "internal", "filetype", "gguf", "pickle", "pickle/scan/internal"},
	"pickle/scan/internal/config":      {"internal"},
	"pickle/scan/internal/java":        {},
	"pickle/scan/internal/known":       {"pickle/scan/internal/wordset"},
	"pickle/scan/internal/unpack":      {"internal", "pickle/internal"},
	"pickle/scan/internal/yaml":        {},
	"pickle/torch":                     {".", "filetype", "store", "checkpoint", "pickle", "internal"},
	"pickle/zero":                      {".", "store", "checkpoint", "pickle", "internal"},
	"cmd/weigh/internal/glob":          {},
	"cmd/weigh/internal/render":        {"cmd/weigh/internal/glob", "check", "filetype", "gguf", ".", "checkpoint", "model", "pickle", "stats", "digest", "diff", "edit"},
	"cmd/weigh/internal/viewer":        {".", "checkpoint", "gguf", "store", "model/metadata", "model/unpack", "stats", "diff", "cmd/weigh/internal"},
	"cmd/weigh/internal/viewer/raster": {"."},
	"cmd/weigh/internal/viewer/keep":   {".", "store"},
	"cmd/weigh/internal/viewer/reply":  {".", "store", "cmd/weigh/internal/cli", "cmd/weigh/internal/render"},
	"cmd/weigh/internal/viewer/site":   {"cmd/weigh/internal/viewer/reply"},
	"cmd/weigh":                        {".", "filetype", "gguf", "store", "remote", "checkpoint", "model", "pickle", "stats", "check", "digest", "diff", "edit", "cmd/weigh"},
	"cmd/weigh/internal/viewer/page":   {},
	"tools":                            {},
	"bench":                            {".", "gguf", "store", "checkpoint", "stats", "check", "pickle"},
	".ci/interop":                      {".", "checkpoint", "model/names", "store"},
}

// never says what of the standard library a package must do without.
var never = map[string][]string{
	".":                         {"context", "net"},
	"internal":                  {"net"},
	"store":                     {"net/http"},
	"pickle/scan":               {"context", "net", "os"},
	"cmd/weigh/internal/render": {"net/http", "os"},
}

// thirdParty are the folders that may import other modules: the program, its servers in
// tests, what signs requests to buckets, and what is not released.
var thirdParty = []string{"cmd/weigh", "remote/bucket", "remote/remotetest", "tools", "bench/shots"}

func TestArchitecture(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == ".peers" || d.Name() == ".cache" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			checkImports(t, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, file string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	folder := path.Dir(file)
	room := roomOf(folder)
	if room == "" {
		t.Errorf("%s is in no room of the plan", file)
		return
	}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		first, _, _ := strings.Cut(imported, "/")
		switch {
		case imported == module || strings.HasPrefix(imported, module+"/"):
			to := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
			if to == "" {
				to = "."
			}
			if within(to, room) || slices.ContainsFunc(rooms[room], func(r string) bool { return r == to || r != "." && within(to, r) }) {
				continue
			}
			t.Errorf("%s imports %s, which the plan forbids", file, to)
		case strings.Contains(first, "."):
			if !slices.ContainsFunc(thirdParty, func(r string) bool { return within(folder, r) }) {
				t.Errorf("%s imports %s, another module's", file, imported)
			}
		default:
			if slices.ContainsFunc(never[room], func(p string) bool { return within(imported, p) }) {
				t.Errorf("%s imports %s, which the plan forbids", file, imported)
			}
		}
	}
}

// roomOf returns the longest entry of rooms that the folder is or lies in. The
// root is the room of itself alone.
func roomOf(folder string) string {
	for dir := folder; dir != "."; dir = path.Dir(dir) {
		if _, ok := rooms[dir]; ok {
			return dir
		}
	}
	if folder == "." {
		return "."
	}
	return ""
}

func within(p, dir string) bool { return p == dir || dir != "." && strings.HasPrefix(p, dir+"/") }
