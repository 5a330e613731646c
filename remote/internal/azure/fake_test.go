// A server that speaks the interface of Azure Blob Storage, as far as reading needs it.

package azure

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// A fake is an account with one container, "weights".
type fake struct {
	URL       string // of the account, in path style
	files     map[string][]byte
	public    bool
	key       string                     // in Base64; "" if keys are not accepted
	sas       string                     // the value of sig; "" if there is none
	challenge string                     // sent with refusals
	bearer    string                     // token; "" if there is none
	answer    func(*http.Request) string // returns status and code of a refusal, as "403 AuthorizationFailure", or ""
	fewer     int                        // blobs of a page
	order     func(a, b string) int      // of listings; nil means by bytes

	mu       sync.Mutex
	requests []*http.Request
}

const testKey = "c2VjcmV0IGtleQ=="

func (f *fake) start(t *testing.T) *fake {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.URL = server.URL + "/acct"
	return f
}

// asked returns the requests so far.
func (f *fake) asked() []*http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// env returns an environment of settings and of the account's endpoint.
func (f *fake) env(settings ...string) func(string) string {
	return remotetest.Env(append(settings, "AZURE_STORAGE_SERVICE_ENDPOINT="+f.URL)...)
}

// open opens the container with some settings. Requests are not repeated.
func (f *fake) open(t *testing.T, settings ...string) store.Store {
	t.Helper()
	s, err := Open(fetch.NewShared(fetch.Options{Env: f.env(settings...), Retries: -1}),
		store.Ref{Scheme: "az", Root: "acct/weights"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.mu.Unlock()
	refuse := func(text string) {
		status, code, _ := strings.Cut(text, " ")
		n, _ := strconv.Atoi(status)
		w.Header().Set("X-Ms-Error-Code", code)
		w.Header().Set("Www-Authenticate", f.challenge)
		w.WriteHeader(n)
		fmt.Fprintf(w, "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>%s</Code></Error>", code)
	}
	switch text := f.refusal(r); {
	case text != "":
		refuse(text)
		return
	case r.Header.Get("X-Ms-Version") == "":
		refuse("400 MissingRequiredHeader")
		return
	case r.URL.Path == "/acct/weights" && r.URL.Query().Get("comp") == "list":
		f.list(w, r.URL.Query())
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/acct/weights/")
	content, exists := f.files[name]
	switch {
	case !ok:
		refuse("404 ContainerNotFound")
	case !exists:
		refuse("404 BlobNotFound")
	default:
		sum := md5.Sum(content)
		w.Header().Set("ETag", fmt.Sprintf("\"0x%X\"", sum[:7]))
		w.Header().Set("X-Ms-Blob-Content-MD5", base64.StdEncoding.EncodeToString(sum[:]))
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
	}
}

// refusal returns why a request is not allowed, or "".
func (f *fake) refusal(r *http.Request) string {
	if f.answer != nil {
		if text := f.answer(r); text != "" {
			return text
		}
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sig := r.URL.Query().Get("sig")
	switch {
	case scheme == "" && sig == "" && f.public:
		return ""
	case scheme == "" && sig == "":
		return "404 ResourceNotFound"
	case f.sas != "" && sig == f.sas, f.bearer != "" && scheme == "Bearer" && value == f.bearer:
		return ""
	case scheme == "SharedKey" && f.key != "" && value == "acct:"+signature(r, "acct", f.key):
		return ""
	case scheme == "Bearer":
		return "401 InvalidAuthenticationInfo"
	}
	return "403 AuthenticationFailed"
}

// signature returns the signature that a request should have. It is made from what came over the wire, line by line as
// in "Authorize with Shared Key" of Microsoft's documentation.
func signature(r *http.Request, account, key string) string {
	var b strings.Builder
	b.WriteString(r.Method + "\n")
	b.WriteString(r.Header.Get("Content-Encoding") + "\n" + r.Header.Get("Content-Language") + "\n")
	if r.ContentLength > 0 {
		b.WriteString(strconv.FormatInt(r.ContentLength, 10))
	}
	b.WriteString("\n" + r.Header.Get("Content-MD5") + "\n" + r.Header.Get("Content-Type") + "\n")
	b.WriteString(r.Header.Get("Date") + "\n")
	b.WriteString(r.Header.Get("If-Modified-Since") + "\n" + r.Header.Get("If-Match") + "\n")
	b.WriteString(r.Header.Get("If-None-Match") + "\n" + r.Header.Get("If-Unmodified-Since") + "\n")
	b.WriteString(r.Header.Get("Range") + "\n")
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			b.WriteString(lower + ":" + r.Header.Get(name) + "\n")
		}
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	b.WriteString("/" + account + path)
	var parameters []string
	for part := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(part, "="); ok {
			value, _ = url.PathUnescape(value) // "+" is not a space
			parameters = append(parameters, "\n"+strings.ToLower(name)+":"+value)
		}
	}
	slices.Sort(parameters)
	b.WriteString(strings.Join(parameters, ""))
	secret, _ := base64.StdEncoding.DecodeString(key)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(b.String()))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// list sends a page of the blobs.
func (f *fake) list(w http.ResponseWriter, query url.Values) {
	order := f.order
	if order == nil {
		order = strings.Compare
	}
	names := slices.SortedFunc(maps.Keys(f.files), order)
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, query.Get("prefix")) })
	begin, _ := strconv.Atoi(query.Get("marker"))
	end := len(names)
	if f.fewer > 0 {
		end = min(begin+f.fewer, len(names))
	}
	w.Header().Set("Content-Type", "application/xml")
	fmt.Fprint(w, "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ContainerName=\"weights\"><Blobs>")
	for _, name := range names[begin:end] {
		var text strings.Builder
		xml.EscapeText(&text, []byte(name))
		fmt.Fprintf(w, "<Blob><Name>%s</Name><Properties><Etag>0x1</Etag><Content-Length>%d</Content-Length>"+
			"<BlobType>BlockBlob</BlobType></Properties></Blob>", &text, len(f.files[name]))
	}
	fmt.Fprint(w, "</Blobs><NextMarker>")
	if end < len(names) {
		fmt.Fprint(w, end)
	}
	fmt.Fprint(w, "</NextMarker></EnumerationResults>")
}
