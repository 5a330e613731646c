// Edits in place: which files stay the same, and which names they keep.

package edit_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

func setting(key, value string) *edit.Edit {
	return &edit.Edit{Set: map[string]string{key: value}}
}

func stat(t *testing.T, name string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// inPlace edits a source in place, which has to work, and returns the receipt.
func inPlace(t *testing.T, e *edit.Edit, src string) *edit.Receipt {
	t.Helper()
	r, err := e.InPlace(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A first edit finds no room, and makes some; those after it are writes of a few
// bytes to the same file.
func TestRoomIsMadeOnce(t *testing.T) {
	src := write(t, safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, model()...)
	before := stat(t, src)
	if r := inPlace(t, setting("a", "first"), src); r.Files[0].Action != edit.Written {
		t.Fatalf("the file was %s", r.Files[0].Action)
	}
	roomy := stat(t, src)
	if os.SameFile(before, roomy) {
		t.Error("the file without room is the same file")
	}
	// 8 + N is the first multiple of 8 from 4096 on that has room for the entries.
	p := parse(t, src)
	if grown := roomy.Size() - before.Size(); grown > 4096 || !strings.HasPrefix(p.text, `{"__metadata__":{"a":"first","format":"pt"}  `) || p.text[4096-8] != ',' {
		t.Errorf("the file has %d bytes more, and begins %q", grown, p.text[:60])
	}
	for i := range 50 {
		r := inPlace(t, setting(fmt.Sprintf("key%d", i), strings.Repeat("v", i)), src)
		f := r.Files[0]
		if f.Action != edit.Overwritten || f.Overwritten.Begin/4096 != (f.Overwritten.End-1)/4096 {
			t.Fatalf("edit %d: the file was %s at %v", i, f.Action, f.Overwritten)
		}
	}
	after := parse(t, src)
	if len(after.metadata) != 52 || !os.SameFile(roomy, stat(t, src)) || stat(t, src).Size() != roomy.Size() {
		t.Errorf("there are %d keys, and the file is another, or of another size", len(after.metadata))
	}
	for name, e := range p.entries {
		if string(after.entries[name].data) != string(e.data) {
			t.Errorf("%s has other bytes", name)
		}
	}
}

// What does not fit one block makes room for itself, and 256 bytes more.
func TestRoomForLongMetadata(t *testing.T) {
	for _, n := range []int{3700, 3800, 4000, 5000, 70_000} {
		src := write(t, safetensors.Encoder{}, model()...)
		r := inPlace(t, setting("long", strings.Repeat("x", n)), src)
		p := parse(t, src)
		spaces := strings.Index(p.text, "    ")
		room := strings.IndexByte(p.text[spaces:], ',')
		if r.Files[0].Action != edit.Written || room < 256 || room >= 4096+256 || (8+spaces+room)%4096 != 0 {
			t.Errorf("with %d bytes the file was %s, with room for %d at %d", n, r.Files[0].Action, room, spaces)
		}
	}
}

func TestCanonicalHasNoRoom(t *testing.T) {
	src := write(t, safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, model()...)
	inPlace(t, setting("a", "b"), src)
	e := setting("a", "c")
	e.Canonical = true
	inPlace(t, e, src)
	want := filepath.Join(t.TempDir(), "want")
	if err := (&safetensors.Encoder{Metadata: map[string]string{"format": "pt", "a": "c"}}).WriteFile(want, model()...); err != nil {
		t.Fatal(err)
	}
	same(t, src, want)
	before := stat(t, src)
	if r := inPlace(t, &edit.Edit{Canonical: true}, src); r.Files[0].Action != edit.Unchanged || !os.SameFile(before, stat(t, src)) {
		t.Errorf("a file in canonical form was %s", r.Files[0].Action)
	}
}

// same checks that two files have the same bytes.
func same(t *testing.T, name, want string) {
	t.Helper()
	a, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s has %d bytes, and not those of %s, %d", name, len(a), want, len(b))
	}
}

// The foreign files have all kinds of headers. Canonical ones of the reference come
// out as they were, whatever was done to them before.
func TestForeignFilesRoundTrip(t *testing.T) {
	for _, name := range []string{"python/two-floats", "python/shapes", "python/names", "python/metadata-json", "python/metadata-empty", "rust/dtypes", "rust/nothing", "sample/model-00001-of-00002"} {
		original := filepath.Join("../testdata", filepath.FromSlash(name)+".safetensors")
		src := copied(t, original)
		inPlace(t, setting("added", "🦙"), src)
		inPlace(t, setting("added", "more"), src)
		back := &edit.Edit{Unset: []string{"added"}, Canonical: true}
		if parse(t, original).metadata == nil {
			back = &edit.Edit{Canonical: true, Unset: []string{"added"}}
		}
		inPlace(t, back, src)
		if was, is := parse(t, original), parse(t, src); was.metadata == nil {
			// No metadata and empty metadata are not the same bytes.
			if is.metadata == nil || len(is.metadata) > 0 || !maps.EqualFunc(was.entries, is.entries, equalEntries) {
				t.Errorf("%s came back as %q", name, is.text)
			}
			continue
		}
		same(t, src, original)
	}
}

func equalEntries(a, b entry) bool {
	return a.Dtype == b.Dtype && a.Offsets == b.Offsets && string(a.data) == string(b.data)
}

// copied returns the name of a copy of a file.
func copied(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(to, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return to
}

// Other names of a file keep what they have, whether or not there is room.
func TestHardLinksKeepWhatTheyHave(t *testing.T) {
	src := write(t, safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, model()...)
	for _, value := range []string{"no room", "room"} {
		other := src + value
		if err := os.Link(src, other); err != nil {
			t.Skipf("no hard links: %v", err)
		}
		before := parse(t, other)
		if r := inPlace(t, setting("a", value), src); r.Files[0].Action != edit.Written {
			t.Errorf("with %s the file was %s", value, r.Files[0].Action)
		}
		if after := parse(t, other); after.text != before.text || parse(t, src).metadata["a"] != value {
			t.Errorf("with %s the other name has %q", value, after.text[:60])
		}
	}
}

func TestLinksAreRefused(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	link := filepath.Join(t.TempDir(), "link.safetensors")
	if err := os.Symlink(src, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	before := parse(t, src)
	for _, place := range []string{link, filepath.Dir(link)} {
		if _, err := setting("a", "b").InPlace(t.Context(), place); !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("error %v", err)
		}
	}
	if after := parse(t, src); after.text != before.text {
		t.Errorf("the file is %q", after.text)
	}
}

// A shard that is edited alone would leave the index behind.
func TestShardAloneIsRefused(t *testing.T) {
	dir := sharded(t)
	one := filepath.Join(dir, threeShards[1])
	for _, e := range []*edit.Edit{{Rename: []edit.Rename{rename(t, `^h\.=>x.`)}}, {Drop: []edit.Pattern{exact("h.1.mlp")}}, {Cast: []edit.Cast{{To: "F16"}}}} {
		if _, err := e.InPlace(t.Context(), one); !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), indexName) {
			t.Errorf("error %v", err)
		}
	}
	inPlace(t, setting("a", "b"), one) // of which the index says nothing
	checkSet(t, dir, threeShards...)
	if err := os.Remove(filepath.Join(dir, indexName)); err != nil {
		t.Fatal(err)
	}
	inPlace(t, &edit.Edit{Cast: []edit.Cast{{To: "F16"}}}, one)
}

func TestModeStays(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	if err := os.Chmod(src, 0o640); err != nil {
		t.Fatal(err)
	}
	mode := stat(t, src).Mode()
	for _, value := range []string{"new", "overwritten"} {
		inPlace(t, setting("a", value), src)
		if got := stat(t, src).Mode(); got != mode {
			t.Errorf("a file that is %s has the mode %v, and had %v", value, got, mode)
		}
	}
}

// onlyHas checks that a folder has the given names and no others.
func onlyHas(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	inPlace(t, setting("a", "b"), src)
	inPlace(t, &edit.Edit{Drop: []edit.Pattern{exact("head")}}, src)
	onlyHas(t, filepath.Dir(src), "model.safetensors")
}

// A plan has the receipt of what it will write, and changes nothing.
func TestPlan(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		src := write(t, safetensors.Encoder{}, model()...)
		target := filepath.Join(t.TempDir(), "out.safetensors")
		before := parse(t, src)
		e := &edit.Edit{Set: map[string]string{"a": "b"}, Drop: []edit.Pattern{exact("head")}}
		p, err := e.Plan(t.Context(), src, target)
		if inPlace {
			p, err = e.PlanInPlace(t.Context(), src)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) || parse(t, src).text != before.text {
			t.Errorf("a plan has written: %v", err)
		}
		planned := p.Receipt.Files[0]
		for i, row := range p.Receipt.Tensors {
			if row.Payload != edit.Planned && row.Payload != edit.Dropped || row.SHA256 != [32]byte{} {
				t.Errorf("tensor %d is to be %+v", i, row)
			}
		}
		done, err := p.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a, b := planned, done.Files[0]; a.Action != b.Action || a.Size != b.Size || a.HeaderSize != b.HeaderSize || a.Tensors != b.Tensors {
			t.Errorf("it was to be %+v, and is %+v", a, b)
		}
	}
}
