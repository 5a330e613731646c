package azure

import (
	"errors"
	"io"
	"io/fs"
	"net"
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

func TestConformance(t *testing.T) {
	for _, way := range []struct {
		name     string
		server   func() *fake
		settings []string
	}{
		{"key", func() *fake { return &fake{key: testKey} },
			[]string{"AZURE_STORAGE_ACCOUNT=acct", "AZURE_STORAGE_KEY=" + testKey}},
		{"SAS", func() *fake { return &fake{sas: "a+/="} },
			[]string{"AZURE_STORAGE_SAS_TOKEN=?sv=2022-11-02&sp=rl&sig=a%2B%2F%3D"}},
		{"anonymous", func() *fake { return &fake{public: true} }, nil},
	} {
		t.Run(way.name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				f := way.server()
				f.files, f.fewer = files, 3
				return f.start(t).open(t, way.settings...)
			})
		})
	}
}

// The vectors of go-autorest, Microsoft's former library, and the example of "Authorize with Shared Key".
func TestSign(t *testing.T) {
	for _, test := range []struct{ url, date, version, want string }{
		{"https://golangrocksonazure.blob.core.windows.net/some/blob.dat", "Wed, 23 Sep 2015 16:40:05 GMT", "2015-02-21",
			"nYRqgbumDOTPs+Vv1FLH+hm0KPjwwt+Fmj/i16W+lO0="},
		{"https://golangrocksonazure.blob.core.windows.net/?comp=properties&restype=service",
			"Tue, 10 Mar 2020 10:04:41 GMT", "2018-11-09", "BfdIC0K5OwkRbZjewqRXgjQJ2PBMZDoaBCCL3qhrEIs="},
	} {
		r, err := http.NewRequest(http.MethodGet, test.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Ms-Version": {test.version}, "X-Ms-Date": {test.date},
			"Accept": {"application/json;odata=nometadata"}}
		a := &account{name: "golangrocksonazure", key: []byte("bar")}
		text, err := a.stringToSign(r)
		if got := a.mac(text); err != nil || got != test.want {
			t.Errorf("%s is signed %s, %v; want %s", test.url, got, err, test.want)
		}
	}
	r, _ := http.NewRequest(http.MethodGet, "http://myaccount/mycontainer?restype=container&comp=metadata&timeout=20", nil)
	r.Header = http.Header{"X-Ms-Version": {"2015-02-21"}, "X-Ms-Date": {"Fri, 26 Jun 2015 23:39:12 GMT"}}
	const want = "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n" +
		"/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20"
	if got, err := (&account{name: "myaccount"}).stringToSign(r); err != nil || got != want {
		t.Errorf("of the example %q is signed, %v", got, err)
	}
}

// The endpoint and the credentials of an account, by the settings of the Azure CLI and of other libraries.
func TestFindAccount(t *testing.T) {
	const connection = "AZURE_STORAGE_CONNECTION_STRING="
	for _, test := range []struct{ host, settings, endpoint, setting string }{
		{"acct", "", "https://acct.blob.core.windows.net", ""},
		{"acct-secondary", "AZURE_STORAGE_ACCOUNT=acct AZURE_STORAGE_KEY=YQ==",
			"https://acct-secondary.blob.core.windows.net", "AZURE_STORAGE_KEY"},
		{"acct.blob.core.chinacloudapi.cn", "AZURE_STORAGE_ACCOUNT_NAME=acct AZURE_STORAGE_ACCOUNT_KEY=YQ==",
			"https://acct.blob.core.chinacloudapi.cn", "AZURE_STORAGE_ACCOUNT_KEY"},
		{"acct", "AZURE_STORAGE_ACCOUNT=other AZURE_STORAGE_KEY=YQ== AZURE_STORAGE_SERVICE_ENDPOINT=http://h",
			"https://acct.blob.core.windows.net", ""},
		{"acct", "AZURE_STORAGE_ENDPOINT=http://h:1/acct/ AZURE_STORAGE_SAS_TOKEN=sig=x", "http://h:1/acct",
			"AZURE_STORAGE_SAS_TOKEN"},
		{"acct", "AZURE_STORAGE_KEY=YQ== AZURE_STORAGE_SAS_TOKEN=sig=x", "https://acct.blob.core.windows.net",
			"AZURE_STORAGE_KEY"},
		{"acct", connection + "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=YQ==;" +
			"EndpointSuffix=core.usgovcloudapi.net",
			"https://acct.blob.core.usgovcloudapi.net", "AZURE_STORAGE_CONNECTION_STRING"},
		{"acct", connection + "AccountName=acct;AccountKey=YQ==; AZURE_STORAGE_KEY=Yg==",
			"https://acct.blob.core.windows.net", "AZURE_STORAGE_CONNECTION_STRING"},
		{"acct", connection + "BlobEndpoint=https://acct.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=x%3D",
			"https://acct.blob.core.windows.net", "AZURE_STORAGE_CONNECTION_STRING"},
		{"acct.blob.core.chinacloudapi.cn", connection + "AccountName=acct;AccountKey=YQ==",
			"https://acct.blob.core.chinacloudapi.cn", ""}, // of the account of that name in another cloud
		{"devstoreaccount1", connection + "UseDevelopmentStorage=true", emulatorURL, "AZURE_STORAGE_CONNECTION_STRING"},
		{"devstoreaccount1", "", emulatorURL, ""},
	} {
		a, err := findAccount(remotetest.Env(strings.Fields(test.settings)...), test.host)
		if err != nil {
			t.Errorf("%s with %s: %v", test.host, test.settings, err)
			continue
		}
		has, want := a.key != nil || a.sas != "", test.setting != "" || a.name == emulator
		if a.endpoint.String() != test.endpoint || a.setting != test.setting || has != want {
			t.Errorf("%s with %s: endpoint %s, credentials of %q; want %s and %q", test.host, test.settings, a.endpoint,
				a.setting, test.endpoint, test.setting)
		}
	}
}

func TestWrongSettings(t *testing.T) {
	const connection = "AZURE_STORAGE_CONNECTION_STRING="
	login := "AZURE_TENANT_ID=t AZURE_CLIENT_ID=c AZURE_CLIENT_SECRET=SECRET AZURE_AUTHORITY_HOST="
	for settings, want := range map[string]string{
		"AZURE_STORAGE_KEY=SECRET!":                         "AZURE_STORAGE_KEY has a key that is not Base64",
		"AZURE_STORAGE_SAS_TOKEN=SECRET":                    "AZURE_STORAGE_SAS_TOKEN has a SAS without",
		"AZURE_STORAGE_SAS_TOKEN=sig=SECRET%zz":             "AZURE_STORAGE_SAS_TOKEN has a SAS without",
		"AZURE_STORAGE_SERVICE_ENDPOINT=SECRET":             "AZURE_STORAGE_SERVICE_ENDPOINT has an endpoint",
		connection + "SECRET":                               "AZURE_STORAGE_CONNECTION_STRING is not a list",
		connection + "AccountName=acct;AccountKey=SECRET!":  "AZURE_STORAGE_CONNECTION_STRING has a key",
		connection + "AccountName=acct;BlobEndpoint=SECRET": "AZURE_STORAGE_CONNECTION_STRING has an endpoint",
		login + "http://SECRET.example":                     "AZURE_AUTHORITY_HOST is not",
	} {
		_, err := Open(fetch.NewShared(fetch.Options{Env: remotetest.Env(strings.Fields(settings)...)}),
			store.Ref{Scheme: "az", Root: "acct/weights"}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v; want %q", settings, err, want)
		}
	}
}

// Credentials that an account does not accept are not needed for what is public, and are tried once.
func TestPublicDespiteCredentials(t *testing.T) {
	f := (&fake{public: true, files: map[string][]byte{"a": []byte("a"), "b": []byte("b")}}).start(t)
	s := f.open(t, "AZURE_STORAGE_KEY="+testKey)
	for _, name := range []string{"a", "b", "absent"} {
		if _, err := s.Open(t.Context(), name); err != nil && (name != "absent" || !errors.Is(err, fs.ErrNotExist)) {
			t.Error(err)
		}
	}
	var signed int
	for _, r := range f.asked() {
		if r.Header.Get("Authorization") != "" {
			signed++
		}
	}
	if n := len(f.asked()); n != 4 || signed != 1 {
		t.Errorf("%d requests, %d of them signed; want 4 and 1", n, signed)
	}
}

// An account with a hierarchical namespace lists what is in a folder before what is beside it, and lists folders.
// Hadoop writes empty blobs for folders to other accounts.
func TestHierarchy(t *testing.T) {
	files := map[string][]byte{"a": nil, "a/x": []byte("1"), "a/y/z": []byte("1"), "a-b": []byte("1"), "a.txt": nil,
		"a/y": nil, "e/": nil}
	f := (&fake{public: true, files: files, fewer: 2, order: func(a, b string) int {
		return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
	}}).start(t)
	var got []string
	for e, err := range f.open(t).(store.Lister).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Name)
	}
	if want := []string{"a-b", "a.txt", "a/x", "a/y/z"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

// A server that sends the same marker again would be asked forever.
func TestSameMarker(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<EnumerationResults><Blobs></Blobs><NextMarker>m</NextMarker></EnumerationResults>")
	}))
	defer server.Close()
	var err error
	for _, err = range (&fake{URL: server.URL + "/acct"}).open(t).(store.Lister).List(t.Context(), "") {
	}
	if !errors.Is(err, fetch.ErrNoNextPage) {
		t.Errorf("the error is %v", err)
	}
}

func TestParseListing(t *testing.T) {
	page, err := parseListing([]byte("\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<EnumerationResults><Blobs>" +
		`<Blob><Name Encoded="true">a%EF%BF%BEb%2Fc%25</Name><Properties><Content-Length>12</Content-Length>` +
		`<ResourceType>file</ResourceType></Properties></Blob>` +
		`<Blob><Name> a &amp; b </Name><Properties><Content-Length>0</Content-Length>` +
		`<ResourceType>directory</ResourceType></Properties></Blob></Blobs><NextMarker/></EnumerationResults>`))
	if err != nil {
		t.Fatal(err)
	}
	if b := page.blobs; len(b) != 2 || b[0].Name.Text != "a\ufffeb/c%" || b[0].Size != 12 || b[1].Name.Text != " a & b " ||
		b[1].Type != "directory" || page.nextMarker != "" {
		t.Errorf("%+v", b)
	}
	const begin, end = "<EnumerationResults><Blobs><Blob>", "</Blob></Blobs></EnumerationResults>"
	for _, text := range []string{"", "<html>", "{}", begin + "<Name Encoded=\"true\">%zz</Name>" + end,
		begin + "<Properties><Content-Length>-1</Content-Length></Properties>" + end,
		strings.Repeat("<EnumerationResults>", 20_000), begin + strings.Repeat("<a>", 20_000),
		"<EnumerationResults>" + strings.Repeat("<Blob/>", 5_001) + "</EnumerationResults>"} {
		if _, err := parseListing([]byte(text)); err == nil {
			t.Errorf("%.80q is a listing", text)
		}
	}
}

// What Azure's codes mean, and what to do.
func TestRefusals(t *testing.T) {
	key, sas := "AZURE_STORAGE_KEY="+testKey, "AZURE_STORAGE_SAS_TOKEN=sig=SECRET"
	for _, test := range []struct {
		setting, answer string
		is              error
		want            string
	}{
		{key, "404 BlobNotFound", fs.ErrNotExist, "no such object"},
		{key, "404 ContainerNotFound", fs.ErrNotExist, `there is no container "weights" in account "acct"`},
		{key, "400 InvalidResourceName", fs.ErrNotExist, `"weights" cannot be the name of a container`},
		{"", "404 ResourceNotFound", fs.ErrNotExist, "no such object, or it is not public: set AZURE_STORAGE_KEY"},
		{"", "409 PublicAccessNotPermitted", fs.ErrPermission, "it is not public: set AZURE_STORAGE_KEY"},
		{"", "401 NoAuthenticationInformation", fs.ErrPermission, "it is not public: set AZURE_STORAGE_KEY"},
		{key, "403 AuthenticationFailed", fs.ErrPermission, "the key in AZURE_STORAGE_KEY is not one of the account"},
		{sas + "&se=2020-01-02T03:04:05Z", "403 AuthenticationFailed", fs.ErrPermission,
			"the SAS in AZURE_STORAGE_SAS_TOKEN expired on 2020-01-02 03:04 UTC"},
		{sas, "403 AuthenticationFailed", fs.ErrPermission, "has expired, or is not for"},
		{sas, "403 AuthorizationPermissionMismatch", fs.ErrPermission, "the permissions to read and to list (sp=rl)"},
		{sas, "403 AuthorizationResourceTypeMismatch", fs.ErrPermission, "(ss=b, srt=co)"},
		{key, "403 AuthorizationFailure", fs.ErrPermission, "the firewall of the account does not admit this machine"},
		{key, "403 KeyBasedAuthenticationNotPermitted", fs.ErrPermission, "unset AZURE_STORAGE_KEY"},
		{key, "403 SomethingNew", fs.ErrPermission, "(SomethingNew)"},
		{key, "400 UnsupportedSomething", nil, "400 Bad Request: the server refused the request (UnsupportedSomething)"},
		{key, "403 <b>", fs.ErrPermission, "access denied"},
		{key, "409 BlobArchived", nil, "archive tier: move it to another one with `az storage blob set-tier"},
		{key, "503 ServerBusy", nil, "busy or broken"},
	} {
		f := (&fake{answer: func(*http.Request) string { return test.answer }}).start(t)
		var settings []string
		if test.setting != "" {
			settings = append(settings, test.setting)
		}
		s := f.open(t, settings...)
		_, err := s.Open(t.Context(), "a")
		if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) ||
			strings.ContainsAny(err.Error(), "\n\x1b") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v; want %q", test.answer, err, test.want)
		}
		for _, err := range s.(store.Lister).List(t.Context(), "") {
			if err == nil || !strings.HasPrefix(err.Error(), "listing az://acct/weights: ") ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("listing: %s: %v; want %q", test.answer, err, test.want)
			}
		}
	}
}

// An account that does not exist has no address. The first element is often a container, as in other programs.
func TestNoAccount(t *testing.T) {
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		return nil, &net.DNSError{Err: "no such host", Name: r.URL.Hostname(), IsNotFound: true}
	})
	for settings, want := range map[string]string{
		"NO=": `is no storage account "weights", or the network is down; want az://account/container/path`,

		"AZURE_STORAGE_ACCOUNT=mine": "; did you mean az://mine/weights/llama?",
	} {
		s, err := Open(fetch.NewShared(fetch.Options{Transport: transport, Env: remotetest.Env(settings)}),
			store.Ref{Scheme: "az", Root: "weights/llama"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), "a"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// Azure accepts signatures for 15 minutes.
func TestClock(t *testing.T) {
	f := (&fake{}).start(t)
	server := &clock{f, 0}
	for skew, want := range map[time.Duration]string{
		2 * time.Hour: "the clock of this machine is 2h0m0s behind the server's: set it",
		-time.Hour:    "is 1h0m0s ahead of the server's",
		time.Minute:   "is not one of the account",
	} {
		server.by = skew
		shared := fetch.NewShared(fetch.Options{Env: f.env("AZURE_STORAGE_KEY=" + testKey), Retries: -1, Transport: server})
		s, err := Open(shared, store.Ref{Scheme: "az", Root: "acct/weights"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), "a"); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// A clock is a transport to servers whose clocks differ by some time.
type clock struct {
	*fake
	by time.Duration
}

func (c *clock) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		resp.Header.Set("Date", time.Now().Add(c.by).UTC().Format(http.TimeFormat))
	}
	return resp, err
}
