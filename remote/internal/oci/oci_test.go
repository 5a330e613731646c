package oci

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

const (
	rawType = "application/vnd.cncf.model.weight.v1.raw"
	tarType = "application/vnd.kitops.modelkit.model.v1.tar"
)

// layers returns files as layers, each with its name as annotation.
func layers(files map[string][]byte) (list []fakeLayer) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, fakeLayer{rawType, name, files[name]})
	}
	return list
}

func TestConformance(t *testing.T) {
	for _, way := range []struct {
		name string
		make func(t *testing.T, files map[string][]byte) store.Store
	}{
		{"layers", func(t *testing.T, files map[string][]byte) store.Store {
			return new(fake).push("v1", layers(files)...).start(t).open(t, "v1")
		}},
		{"token", func(t *testing.T, files map[string][]byte) store.Store {
			return (&fake{kind: "Bearer"}).push("v1", layers(files)...).start(t).open(t, "v1")
		}},
		{"PAX archive", func(t *testing.T, files map[string][]byte) store.Store {
			return new(fake).push("v1", fakeLayer{tarType, "", archive(t, tar.FormatPAX, files)}).start(t).open(t, "v1")
		}},
		{"GNU archives", func(t *testing.T, files map[string][]byte) store.Store {
			var list []fakeLayer
			for name, content := range files {
				list = append(list, fakeLayer{tarType, "", archive(t, tar.FormatGNU, map[string][]byte{"./" + name: content})})
			}
			return new(fake).push("v1", list...).start(t).open(t, "v1")
		}},
	} {
		t.Run(way.name, func(t *testing.T) { storetest.Run(t, way.make) })
	}
}

// names lists a store.
func names(t *testing.T, s store.Store) (list []string) {
	t.Helper()
	for e, err := range s.(store.Lister).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Name)
	}
	return list
}

// The names of files in the kinds of artifacts that there are.
func TestNames(t *testing.T) {
	const ollama = "application/vnd.ollama.image."
	const docker, layerTar = "application/vnd.docker.ai.", "application/vnd.oci.image.layer.v1.tar"
	tree := archive(t, tar.FormatUSTAR, map[string][]byte{"config.json": []byte("{}"), "sub/x": []byte("x")})
	unnamed := strings.Replace(digestOf([]byte("6")), ":", "-", 1)
	for _, test := range []struct {
		name   string
		layers []fakeLayer
		want   string
	}{
		{"ModelPack", []fakeLayer{{rawType, "a/model.safetensors", []byte("1")},
			{"application/vnd.cncf.model.weight.config.v1.raw", "tokenizer.json", []byte("2")},
			{"application/vnd.cncf.model.doc.v1.tar", "docs", tree}},
			"a/model.safetensors config.json sub/x tokenizer.json"},
		{"Docker", []fakeLayer{{docker + "safetensors", "", []byte("1")}, {docker + "safetensors", "", []byte("2")},
			{docker + "vllm.config.tar", "", tree}, {docker + "license", "", []byte("4")},
			{docker + "chat.template.jinja", "", []byte("5")}, {docker + "unknown", "", []byte("6")}},
			"LICENSE config.json model-00001-of-00002.safetensors model-00002-of-00002.safetensors " + unnamed +
				" sub/x template.jinja"},
		{"Docker with paths", []fakeLayer{{docker + "gguf.v3", "q4/a.gguf", nil}, {docker + "mmproj", "", []byte("2")}},
			"model.mmproj q4/a.gguf"},
		{"Ollama", []fakeLayer{{ollama + "model", "", []byte("1")}, {ollama + "license", "", []byte("2")},
			{ollama + "license", "", []byte("3")}},
			"LICENSE-1-of-2 LICENSE-2-of-2 model.gguf"},
		{"KitOps", []fakeLayer{{tarType, "", tree}, {tarType + "+gzip", "code", []byte("2")}},
			"code.tar.gz config.json sub/x"},
		{"ORAS", []fakeLayer{{layerTar, "model.safetensors", []byte("no archive")}, {layerTar, "x.tar", tree},
			{layerTar + "+zstd", "a.tar.zst", []byte("3")}, {layerTar + "+gzip", "b", []byte("4")}},
			"a.tar.zst b.tar.gz config.json model.safetensors sub/x"},
		{"none", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := names(t, new(fake).push("v1", test.layers...).start(t).open(t, "v1"))
			if strings.Join(got, " ") != test.want {
				t.Errorf("files %q, want %q", got, test.want)
			}
		})
	}
}

// A layer's digest is that of the file, so that nothing needs to be read to know it.
func TestDigest(t *testing.T) {
	content := []byte("weights")
	f := new(fake).push("v1", fakeLayer{rawType, "w", content}, fakeLayer{tarType, "", archive(t, tar.FormatPAX,
		map[string][]byte{"m": content})}).start(t)
	s := f.open(t, "v1")
	o, err := s.Open(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	if digest, ok := store.SHA256(o); !ok || digest != sha256.Sum256(content) {
		t.Errorf("the digest of a layer is %x, %t", digest, ok)
	}
	if n := len(f.asked()); n != 2 {
		t.Errorf("%d requests for the manifest and the layer, want 2", n)
	}
	m, err := s.Open(t.Context(), "m")
	if got := remotetest.Read(t, m, err); got != "weights" {
		t.Errorf("the member has %q", got)
	}
	if _, ok := store.SHA256(m); ok {
		t.Error("a member has the digest of its archive")
	}
}

// TestMemberDigest: the digest of a layer proves a member that is nearly all of it, and no other.
func TestMemberDigest(t *testing.T) {
	content := bytes.Repeat([]byte("weights"), 100_000)
	alone := archive(t, tar.FormatPAX, map[string][]byte{"model.safetensors": content})
	crowd := archive(t, tar.FormatPAX, map[string][]byte{"a.safetensors": content, "b.json": []byte("{}")})
	s := new(fake).push("v1", fakeLayer{tarType, "", alone}, fakeLayer{tarType, "", crowd}).start(t).open(t, "v1")
	for name, want := range map[string]bool{"model.safetensors": true, "a.safetensors": true, "b.json": false} {
		o, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		sum := store.Checksum(t.Context(), o)
		if (sum != nil) != want {
			t.Errorf("%s: %v", name, sum)
		}
		if sum == nil {
			continue
		}
		for _, b := range [][]byte{content, content[1:]} {
			h := sum.New()
			h.Write(b)
			if is := bytes.Equal(h.Sum(nil), sum.Value); is != (len(b) == len(content)) {
				t.Errorf("%s: %d bytes match: %v", name, len(b), is)
			}
		}
	}
}

// The tag may be moved while the artifact is read.
func TestPinned(t *testing.T) {
	f := new(fake).push("v1", layers(map[string][]byte{"a": []byte("old"), "b": []byte("old")})...).start(t)
	s := f.open(t, "v1")
	a, err := s.Open(t.Context(), "a")
	remotetest.Read(t, a, err)
	f.mu.Lock()
	f.push("v1", layers(map[string][]byte{"a": []byte("new"), "b": []byte("new")})...)
	f.mu.Unlock()
	b, err := s.Open(t.Context(), "b")
	if got := remotetest.Read(t, b, err); got != "old" {
		t.Errorf("after the tag was moved, the file is %q", got)
	}
}

// Cached manifests and headers are read without requests: by tag only offline, because tags move.
func TestOffline(t *testing.T) {
	f := new(fake).push("v1", layers(map[string][]byte{"a": []byte("content")})...).start(t)
	dir := t.TempDir()
	for _, offline := range []bool{false, true} {
		s, err := Open(fetch.NewShared(fetch.Options{Env: remotetest.Env(), CacheDir: dir, Offline: offline}), f.ref("v1"))
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Open(t.Context(), "a")
		if got := remotetest.Read(t, o, err); got != "content" {
			t.Errorf("offline %t: %q", offline, got)
		}
		o.Close()
	}
	if n := len(f.asked()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestIndex(t *testing.T) {
	const modelPack = "application/vnd.cncf.model.manifest.v1+json"
	f := new(fake).push("m", layers(map[string][]byte{"a": []byte("content")})...)
	entry := func(tag, artifactType, platform string) map[string]any {
		text := f.manifests[tag]
		return map[string]any{"digest": digestOf(text), "size": len(text), "artifactType": artifactType,
			"platform": map[string]any{"os": platform, "architecture": "x"}}
	}
	index := func(list ...any) map[string]any {
		return map[string]any{"schemaVersion": 2, "manifests": append([]any{}, list...)}
	}
	attestation := entry("m", "", "unknown")
	attestation["annotations"] = map[string]string{"vnd.docker.reference.type": "attestation-manifest"}
	wrongSize := entry("m", "", "")
	wrongSize["size"] = 1
	f.tag("one", index(entry("m", "", "linux"), attestation))
	f.tag("two", index(entry("m", modelPack, ""), entry("one", "", "linux")))
	f.tag("nested", index(entry("two", "", "")))
	f.tag("deep", index(entry("nested", "", "")))
	f.tag("deeper", index(entry("deep", "", "")))
	f.tag("ambiguous", index(entry("m", "", "linux"), entry("one", "", "win\x1b")))
	f.tag("empty", index())
	f.tag("size", index(wrongSize))
	f.start(t)
	for tag, want := range map[string]string{"one": "", "two": "", "nested": "", "deep": "",
		"deeper":    "indexes are nested",
		"ambiguous": `choose one by its digest, @` + digestOf(f.manifests["m"]) + ` ("linux/x"), @`,
		"empty":     "has no manifests",
		"size":      "should have 1 by the index",
	} {
		o, err := f.open(t, tag).Open(t.Context(), "a")
		if want == "" {
			if got := remotetest.Read(t, o, err); got != "content" {
				t.Errorf("%s: %q", tag, got)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v; want %q", tag, err, want)
		}
	}
}

// What a registry sends is not trusted.
func TestHostile(t *testing.T) {
	digest := digestOf([]byte("x"))
	of := func(layers string) string { return `{"schemaVersion":2,"layers":[` + layers + `]}` }
	layer := func(digest, size, path string) string {
		return fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":%s,"annotations":{"org.cncf.model.filepath":%q}}`, rawType,
			digest, size, path)
	}
	for name, test := range map[string]struct{ manifest, want string }{
		"web page":   {"<html>", "the answer is not a manifest"},
		"empty":      {"", "the answer is not a manifest"},
		"nothing":    {"{}", "neither layers nor manifests"},
		"old":        {`{"schemaVersion":1}`, "schema version 1"},
		"ambiguous":  {`{"schemaVersion":2,"layers":[],"manifests":[]}`, "both layers and manifests"},
		"large":      {of("") + strings.Repeat(" ", maxManifest), "more than 4194304 bytes"},
		"layers":     {of(strings.Repeat(layer(digest, "1", "")+",", maxLayers) + layer(digest, "1", "")), "more than 10000"},
		"digest":     {of(layer("sha256:../../../etc/passwd", "1", "a")), `"sha256:" and 64 hexadecimal digits`},
		"upper case": {of(layer(strings.ToUpper(digest), "1", "a")), `"sha256:" and 64 hexadecimal digits`},
		"no digest":  {of(`{"size":1}`), `"sha256:" and 64 hexadecimal digits`},
		"negative":   {of(layer(digest, "-1", "a")), "has the size -1"},
		"huge":       {of(layer(digest, "99999999999999999999", "a")), "the answer is not a manifest"},
		"size":       {of(layer(digest, "9000000000000000000", "a")), "9000000000000000000 bytes, and has 1"},
		"zero size":  {of(layer(digest, "0", "a")), "should have 0"},
		"parent":     {of(layer(digest, "1", "../a")), `"../a" must be a relative path`},
		"absolute":   {of(layer(digest, "1", "/etc/a")), `"/etc/a" must be a relative path`},
		"duplicate":  {of(layer(digest, "1", "a") + "," + layer(digestOf(nil), "0", "./a")), `two files "a"`},
		"annotation": {of(`{"digest":"` + digest + `","annotations":{"a":{"b":1}}}`), "the answer is not a manifest"},
		"deep":       {strings.Repeat("[", 100_000), "the answer is not a manifest"},
		"indexes":    {`{"schemaVersion":2,"manifests":[{"digest":"` + digest + `/../x"}]}`, "64 hexadecimal digits"},
	} {
		t.Run(name, func(t *testing.T) {
			f := new(fake).tag("v1", test.manifest).start(t)
			f.addBlob([]byte("x"))
			_, err := f.open(t, "v1").Open(t.Context(), "a")
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
}

// Archives are as hostile as manifests.
func TestHostileArchives(t *testing.T) {
	one := func(h tar.Header) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		io.CopyN(w, zeros{}, h.Size)
		w.Close()
		return b.Bytes()
	}
	link := one(tar.Header{Name: "l", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink})
	retyped := func(kind byte) []byte {
		b := one(tar.Header{Name: "a", Typeflag: tar.TypeReg, Format: tar.FormatGNU})
		b[156] = kind
		copy(b[148:156], "        ") // counted as spaces
		sum := 0
		for _, c := range b[:512] {
			sum += int(c)
		}
		copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
		return b
	}
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"no archive": {[]byte(strings.Repeat("x", 2000)), "is not a valid tar archive"},
		"truncated":  {one(tar.Header{Name: "a", Size: 5000, Typeflag: tar.TypeReg})[:2000], `is truncated in the file "a"`},
		"parent":     {one(tar.Header{Name: "x/../../a", Typeflag: tar.TypeReg}), "must be a relative path"},
		"absolute":   {one(tar.Header{Name: "/etc/passwd", Typeflag: tar.TypeReg}), "must be a relative path"},
		"duplicate":  {bytes.Repeat(one(tar.Header{Name: "a", Typeflag: tar.TypeReg})[:512], 2), `two files "a"`},
		"unknown":    {retyped('Q'), `of unknown type 'Q'`},
		"sparse":     {retyped(tar.TypeGNUSparse), `"a" in layer`},
		"link":       {link, ""},
		"folder":     {one(tar.Header{Name: "l/", Typeflag: tar.TypeDir}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(fake).push("v1", fakeLayer{tarType, "", test.content}).start(t).open(t, "v1")
			_, err := s.Open(t.Context(), "l")
			if test.want == "" {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%v; want that there is no such file", err)
				}
			} else if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// The digests of a manifest have to be right.
func TestDigestOfManifest(t *testing.T) {
	f := new(fake).push("v1", layers(map[string][]byte{"a": []byte("x")})...)
	right := digestOf(f.manifests["v1"])
	wrong := digestOf([]byte("other"))
	f.manifests[wrong] = f.manifests["v1"]
	f.start(t)
	if _, err := f.open(t, right).Open(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	_, err := f.open(t, wrong).Open(t.Context(), "a")
	if err == nil || !strings.Contains(err.Error(), "not the one that was requested") {
		t.Errorf("another manifest than the requested one: %v", err)
	}
	f.header = http.Header{"Docker-Content-Digest": {wrong}}
	_, err = f.open(t, "v1").Open(t.Context(), "a")
	if err == nil || !strings.Contains(err.Error(), "and the registry says "+fmt.Sprintf("%.80q", wrong)) {
		t.Errorf("another digest than the registry says: %v", err)
	}
}

// A registry may redirect to storage of its own, which gets no credentials.
func TestRedirect(t *testing.T) {
	content := []byte(strings.Repeat("content", 100_000))
	var got []*http.Request
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	defer storage.Close()
	for _, kind := range []string{"Bearer", "Basic"} {
		f := (&fake{kind: kind, user: "user:SECRET", storage: storage.URL}).start(t)
		f.push("v1", fakeLayer{rawType, "a", content})
		o, err := f.open(t, "v1", docker(t, f, `{"auth":"dXNlcjpTRUNSRVQ="}`)).Open(t.Context(), "a")
		if remotetest.Read(t, o, err) != string(content) {
			t.Errorf("%s: other content", kind)
		}
	}
	if len(got) < 4 {
		t.Errorf("%d requests to the storage", len(got))
	}
	for _, r := range got {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("the storage gets %q", r.Header)
		}
	}
}

// A compressed layer is a file, and a notice says what to do about it.
func TestCompressed(t *testing.T) {
	f := new(fake).start(t)
	f.push("v1", fakeLayer{tarType + "+gzip", "a b", []byte("1")}, fakeLayer{tarType + "+zstd", "z", nil})
	var notices []string
	s, err := Open(fetch.NewShared(fetch.Options{Env: remotetest.Env(), Notice: func(line string) {
		notices = append(notices, line)
	}}), f.ref("v1"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		o, err := s.Open(t.Context(), "a b.tar.gz")
		if got := remotetest.Read(t, o, err); got != "1" {
			t.Errorf("the layer has %q", got)
		}
	}
	if len(notices) != 0 {
		t.Errorf("notices %q when the layer itself is read", notices)
	}
	for range 2 {
		for _, err := range s.(store.Lister).List(t.Context(), "") {
			if err != nil {
				t.Error(err)
			}
		}
	}
	named := f.ref("v1").String() + "/a b.tar.gz"
	if len(notices) != 1 || !strings.Contains(notices[0], "`weigh get \""+named+"\" -o .`") {
		t.Errorf("notices %q", notices)
	}
	if ref, err := store.Parse(named); err != nil || ref.Path != "a b.tar.gz" {
		t.Errorf("%s names %q, %v", named, ref.Path, err)
	}
}

// A canceled context ends the reading of archives.
func TestCanceled(t *testing.T) {
	f := new(fake).push("v1", fakeLayer{tarType, "", archive(t, tar.FormatPAX, map[string][]byte{"a": nil})}).start(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the reason")
	cancel(reason)
	if _, err := f.open(t, "v1").Open(ctx, "a"); !errors.Is(err, reason) {
		t.Error(err)
	}
}

// FuzzManifest: a manifest is refused, or all that it becomes part of is valid.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":2,"layers":[{"mediaType":"a.tar+gzip","digest":"` + digestOf(nil) + `","size":1}]}`))
	f.Add([]byte(`{"schemaVersion":2,"layers":[{"annotations":{"org.cncf.model.filepath":"a"},"digest":"` + digestOf(nil) +
		`"}]}`))
	f.Add([]byte(`{"schemaVersion":2,"manifests":[{"digest":"` + digestOf(nil) + `","size":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			return
		}
		if d, err := choose(m.Manifests); err == nil && (d.check() != nil || len(d.Digest) != 71) {
			t.Errorf("%q: chosen is %q", text, d.Digest)
		}
		files, tars, err := m.files()
		if err == nil && len(files)+len(tars) > len(m.Layers) {
			t.Errorf("%q: %d files and %d archives of %d layers", text, len(files), len(tars), len(m.Layers))
		}
		for name, f := range files {
			if store.CheckName(name) != nil || f.size < 0 || len(f.layer.Digest) != 71 {
				t.Errorf("%q: file %q of %d bytes in %q", text, name, f.size, f.layer.Digest)
			}
		}
	})
}
