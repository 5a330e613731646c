// A fake Hugging Face Hub with the endpoints that readers use.

// Package remotetest provides servers for testing readers of remote files.
package remotetest

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A Repo is a repository with one commit.
type Repo struct {
	Commit  string
	Refs    []string // branches and tags of the commit; nil means "main"
	Files   map[string][]byte
	Private bool
	Gated   bool
}

// A Hub is a handler that answers like the Hub, and like the host to which the Hub redirects
// requests for large files.
type Hub struct {
	Repos    map[string]*Repo  // by name, including a prefix such as "datasets/"
	Token    string            // grants access to private and gated repositories
	Admitted bool              // whether the token's user has access to gated repositories
	CDN      string            // scheme and host for large files; "" means the Hub's own
	Large    int               // minimum size of large files, in bytes
	PageSize int               // of listings, in files; 0 means 1,000
	Nameless bool              // do not send commits, like some mirrors
	Moved    map[string]string // the new names of renamed repositories
	Xet      bool              // serve large files from Xet's bridge

	// Limits are the numbers of requests that are answered, for the kinds "api" and
	// "resolvers". Further requests get status 429. nil means no limits.
	Limits map[string]int

	mu   sync.Mutex
	seen []Seen
	used map[string]int

	digests map[*byte]string // of contents, by their first byte
}

// Seen is a request that a Hub received.
type Seen struct {
	Host, Path    string
	Authorization string
	Range         string
}

// Seen returns the requests so far, in order.
func (h *Hub) Seen() []Seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.seen)
}

// ServeHTTP answers a request to the Hub, or to its CDN.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.seen = append(h.seen, Seen{r.Host, r.URL.EscapedPath(), r.Header.Get("Authorization"), r.Header.Get("Range")})
	h.mu.Unlock()
	path := r.URL.EscapedPath()
	switch api, isAPI := strings.CutPrefix(path, "/api/"); {
	case strings.HasPrefix(path, "/cdn/"), strings.HasPrefix(path, "/xet-bridge-us/"):
		h.cdn(w, r)
	case isAPI && h.allows(w, "api"):
		h.api(w, r, api)
	case strings.Contains(path, "/resolve/") && h.allows(w, "resolvers"):
		h.resolve(w, r, path)
	}
}

// allows counts a request, and refuses it beyond the limit.
func (h *Hub) allows(w http.ResponseWriter, kind string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.used == nil {
		h.used = make(map[string]int)
	}
	h.used[kind]++
	limit, ok := h.Limits[kind]
	if !ok || h.used[kind] <= limit {
		return true
	}
	w.Header().Set("RateLimit", fmt.Sprintf(`%q;r=0;t=250`, kind))
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"fixed window";%q;q=%d;w=300`, kind, limit))
	h.fail(w, http.StatusTooManyRequests, "", "We had to rate limit your IP.")
	return false
}

// fail answers with an error like the Hub's.
func (h *Hub) fail(w http.ResponseWriter, status int, code, message string) {
	if code != "" {
		w.Header().Set("X-Error-Code", code)
	}
	w.Header().Set("X-Error-Message", message)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": message})
}

// find returns a repository, or answers with an error.
func (h *Hub) find(w http.ResponseWriter, r *http.Request, name string) *Repo {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	repo, ok := h.Repos[name]
	if moved := h.Moved[name]; moved != "" {
		to := url.URL{Path: strings.Replace(r.URL.Path, name, moved, 1), RawQuery: r.URL.RawQuery}
		w.Header().Set("Location", to.String())
		w.WriteHeader(http.StatusTemporaryRedirect)
		return nil
	}
	switch {
	case token != "" && token != h.Token:
		h.fail(w, http.StatusUnauthorized, "", "Invalid credentials in Authorization header")
	case (!ok || repo.Private) && token == "":
		h.fail(w, http.StatusUnauthorized, "RepoNotFound", "Invalid username or password.")
	case !ok:
		h.fail(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
	case repo.Gated && token == "":
		h.fail(w, http.StatusUnauthorized, "GatedRepo", "Access to model "+name+" is restricted. You must have access "+
			"to it and be authenticated to access it. Please log in.")
	case repo.Gated && !h.Admitted:
		h.fail(w, http.StatusForbidden, "GatedRepo", "Access to model "+name+" is restricted and you are not in the "+
			"authorized list.")
	default:
		return repo
	}
	return nil
}

// has reports whether the repository has a revision, and answers with an error if not.
func (h *Hub) has(w http.ResponseWriter, repo *Repo, revision string) bool {
	refs := repo.Refs
	if refs == nil {
		refs = []string{"main"}
	}
	if revision == repo.Commit || slices.Contains(refs, revision) {
		return true
	}
	h.fail(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+revision)
	return false
}

// api answers kind/org/name/(revision|tree)/rev[/path].
func (h *Hub) api(w http.ResponseWriter, r *http.Request, path string) {
	elems := strings.SplitN(path, "/", 6)
	if len(elems) < 5 {
		http.NotFound(w, r)
		return
	}
	name := elems[1] + "/" + elems[2]
	if elems[0] != "models" {
		name = elems[0] + "/" + name
	}
	revision, _ := url.PathUnescape(elems[4])
	repo := h.find(w, r, name)
	if repo == nil || !h.has(w, repo, revision) {
		return
	}
	switch elems[3] {
	case "revision":
		json.NewEncoder(w).Encode(map[string]any{"id": name, "sha": repo.Commit, "private": repo.Private,
			"gated": repo.Gated})
	case "tree":
		folder := ""
		if len(elems) == 6 {
			folder, _ = url.PathUnescape(elems[5])
		}
		h.tree(w, r, repo, folder)
	default:
		http.NotFound(w, r)
	}
}

// tree answers with one page of a listing.
func (h *Hub) tree(w http.ResponseWriter, r *http.Request, repo *Repo, folder string) {
	var all []map[string]any
	folders := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(repo.Files)) {
		if folder != "" && !strings.HasPrefix(name, folder+"/") {
			continue
		}
		for i, c := range name {
			if dir := name[:i]; c == '/' && len(dir) > len(folder) && !folders[dir] {
				folders[dir] = true
				all = append(all, map[string]any{"type": "directory", "oid": "0", "size": 0, "path": dir})
			}
		}
		content := repo.Files[name]
		e := map[string]any{"type": "file", "oid": gitID(content), "size": len(content), "path": name}
		if h.isLarge(content) {
			e["lfs"] = map[string]any{"oid": h.digest(content), "size": len(content), "pointerSize": 135}
			if h.Xet {
				e["xetHash"] = xetHash(h.digest(content))
			}
		}
		all = append(all, e)
	}
	if folder != "" && len(all) == 0 {
		h.fail(w, http.StatusNotFound, "EntryNotFound", folder+" does not exist on \"main\"")
		return
	}
	page := h.PageSize
	if page == 0 {
		page = 1000
	}
	var from int
	fmt.Sscanf(r.URL.Query().Get("cursor"), "%d", &from)
	to := min(from+page, len(all))
	if to < len(all) {
		next := *r.URL
		next.Scheme, next.Host = "http", r.Host
		q := next.Query()
		q.Set("cursor", fmt.Sprint(to))
		next.RawQuery = q.Encode()
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next"`, next.String()))
	}
	json.NewEncoder(w).Encode(append([]map[string]any{}, all[min(from, to):to]...))
}

// resolve answers [kind/]org/name/resolve/rev/path.
func (h *Hub) resolve(w http.ResponseWriter, r *http.Request, path string) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/resolve/")
	rev, file, _ := strings.Cut(rest, "/")
	revision, _ := url.PathUnescape(rev)
	file, _ = url.PathUnescape(file)
	repo := h.find(w, r, name)
	if repo == nil || !h.has(w, repo, revision) {
		return
	}
	if !h.Nameless {
		w.Header().Set("X-Repo-Commit", repo.Commit)
	}
	content, ok := repo.Files[file]
	if !ok {
		h.fail(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	w.Header().Set("X-Linked-Size", fmt.Sprint(len(content)))
	if !h.isLarge(content) {
		w.Header().Set("ETag", `"`+gitID(content)+`"`)
		serveRange(w, r, content)
		return
	}
	w.Header().Set("X-Linked-Etag", `"`+h.digest(content)+`"`)
	at := "/cdn/"
	if h.Xet {
		at = "/xet-bridge-us/"
		hash := xetHash(h.digest(content))
		w.Header().Set("X-Xet-Hash", hash)
		w.Header().Set("Link", fmt.Sprintf(`<http://%s/api/models/%s/xet-read-token/%s>; rel="xet-auth", <%s/v1/reconstructions/%s>; rel="xet-reconstruction-info"`,
			r.Host, name, repo.Commit, h.CDN, hash))
	}
	w.Header().Set("Location", h.CDN+at+name+"/"+h.digest(content)+"?X-Amz-Signature=secret")
	w.WriteHeader(http.StatusFound)
}

// xetHash returns a hash like Xet's, which is not a digest of the file.
func xetHash(digest string) string { return strings.Repeat("e", 8) + digest[:56] }

// cdn answers with a large file if the URL is signed. It refuses requests that also carry a
// token, as S3 does.
func (h *Hub) cdn(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	elems := strings.Split(r.URL.Path, "/")
	name, want := strings.Join(elems[2:len(elems)-1], "/"), elems[len(elems)-1]
	if repo := h.Repos[name]; repo != nil && r.URL.Query().Get("X-Amz-Signature") == "secret" {
		for _, content := range repo.Files {
			if h.digest(content) == want {
				w.Header().Set("ETag", `"cdn-`+want[:16]+`"`)
				if h.Xet {
					w.Header().Set("ETag", `"`+xetHash(want)+`"`)
				}
				serveRange(w, r, content)
				return
			}
		}
	}
	w.WriteHeader(http.StatusForbidden)
}

func (h *Hub) isLarge(content []byte) bool { return len(content) >= h.Large }

// serveRange answers with the requested range, by RFC 9110.
func serveRange(w http.ResponseWriter, r *http.Request, content []byte) {
	var begin, end int
	n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &begin, &end)
	end = min(end+1, len(content))
	switch {
	case r.Header.Get("If-None-Match") != "" && r.Header.Get("If-None-Match") == w.Header().Get("ETag"):
		w.WriteHeader(http.StatusNotModified)
		return
	case n < 2:
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content)
		return
	case begin >= len(content):
		w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", len(content)))
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return
	}
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, end-1, len(content)))
	w.Header().Set("Content-Length", fmt.Sprint(end-begin))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(content[begin:end])
}

// gitID returns the Git blob ID of content, which is the ETag of small files.
func gitID(content []byte) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))
	return hex.EncodeToString(sum[:])
}

// digest returns the SHA-256 of content, which it computes once.
func (h *Hub) digest(content []byte) string {
	if len(content) == 0 {
		sum := sha256.Sum256(nil)
		return hex.EncodeToString(sum[:])
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.digests == nil {
		h.digests = make(map[*byte]string)
	}
	name, ok := h.digests[&content[0]]
	if !ok {
		sum := sha256.Sum256(content)
		name = hex.EncodeToString(sum[:])
		h.digests[&content[0]] = name
	}
	return name
}
