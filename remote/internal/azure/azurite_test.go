// Azurite, Microsoft's emulator, checks signatures and tokens with code of its own.

package azure

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

// An azurite is a running emulator. It has a container for each test.
type azurite struct {
	account
	transport  *http.Transport // trusts its certificate
	containers int
}

// startAzurite starts the emulator, which has https, because it does not accept tokens otherwise. It skips the test if
// the program is not installed.
func startAzurite(t *testing.T) *azurite {
	t.Helper()
	program, err := exec.LookPath("azurite-blob")
	if err != nil {
		t.Skip("azurite-blob is not installed")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	folder := t.TempDir()
	trusted := writeCertificate(t, folder)
	server := exec.Command(program, "--inMemoryPersistence", "--silent", "--disableTelemetry", "--blobPort", port,
		"--oauth", "basic", "--cert", filepath.Join(folder, "cert"), "--key", filepath.Join(folder, "key"))
	server.Dir = folder
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	a := &azurite{transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	t.Cleanup(a.transport.CloseIdleConnections)
	a.account = account{name: emulator}
	if err := a.set("", "https://127.0.0.1:"+port+"/"+emulator, emulatorKey, ""); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			return a
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("azurite-blob did not start")
	return nil
}

// writeCertificate writes a certificate for this machine and its key, and returns a pool with the certificate.
func writeCertificate(t *testing.T, folder string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err1 := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	secret, err2 := x509.MarshalPKCS8PrivateKey(key)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	err = errors.Join(err1, err2, os.WriteFile(filepath.Join(folder, "cert"), text, 0o600), os.WriteFile(
		filepath.Join(folder, "key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// put makes a request with a body that is signed with the key.
func (a *azurite) put(t *testing.T, path, query string, header http.Header, body []byte) {
	t.Helper()
	u := *a.endpoint
	u.Path += path
	u.RawPath, u.RawQuery = escape(u.Path), query
	r, err := http.NewRequest(http.MethodPut, u.String(), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	r.Header.Set("X-Ms-Version", apiVersion)
	if len(body) > 0 {
		r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	if err := a.sign(r); err != nil {
		t.Fatal(err)
	}
	resp, err := a.transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("PUT %s: %s: %s", path, resp.Status, text)
	}
}

// fill makes a container with files, and returns its name.
func (a *azurite) fill(t *testing.T, files map[string][]byte, public bool) string {
	t.Helper()
	a.containers++
	name, header := fmt.Sprintf("weights-%d", a.containers), make(http.Header)
	if public {
		header.Set("X-Ms-Blob-Public-Access", "container")
	}
	a.put(t, "/"+name, "restype=container", header, nil)
	for file, content := range files {
		a.put(t, "/"+name+"/"+file, "", http.Header{"X-Ms-Blob-Type": {"BlockBlob"}}, content)
	}
	return name
}

// open opens a container with some settings.
func (a *azurite) open(t *testing.T, container string, settings ...string) store.Store {
	t.Helper()
	settings = append(settings, "AZURE_STORAGE_SERVICE_ENDPOINT="+a.endpoint.String())
	shared := fetch.NewShared(fetch.Options{Env: remotetest.Env(settings...), Transport: a.transport, Retries: -1})
	s, err := Open(shared, store.Ref{Scheme: "az", Root: emulator + "/" + container}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accountSAS returns a signature for reading and listing, as in Microsoft's "Create an account SAS".
func (a *azurite) accountSAS(permissions string, expires time.Time) string {
	v := url.Values{"sv": {"2020-08-04"}, "ss": {"b"}, "srt": {"co"}, "sp": {permissions},
		"se": {expires.UTC().Format(time.RFC3339)}, "spr": {"https,http"}}
	text := emulator + "\n"
	for _, name := range []string{"sp", "ss", "srt", "st", "se", "sip", "spr", "sv"} {
		text += v.Get(name) + "\n"
	}
	v.Set("sig", a.mac(text))
	return v.Encode()
}

// token returns a token for storage without a valid signature.
func token() string {
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	now := time.Now().Unix()
	return part(map[string]string{"alg": "none", "typ": "JWT"}) + "." + part(map[string]any{
		"aud": resource, "iss": "https://sts.windows.net/tenant/", "iat": now - 60, "nbf": now - 60, "exp": now + 3600,
	}) + "."
}

func TestAzurite(t *testing.T) {
	a := startAzurite(t)
	issuer := startIssuer(t, func(*http.Request) (int, string) {
		return http.StatusOK, fmt.Sprintf(`{"expires_in":3599,"access_token":%q}`, token())
	})
	for name, settings := range map[string][]string{
		"key":       nil, // the emulator's is known
		"SAS":       {"AZURE_STORAGE_SAS_TOKEN=" + a.accountSAS("rl", time.Now().Add(time.Hour))},
		"anonymous": {"AZURE_STORAGE_KEY=" + testKey},
		"token": {"AZURE_TENANT_ID=tenant", "AZURE_CLIENT_ID=id", "AZURE_CLIENT_SECRET=x",
			"AZURE_AUTHORITY_HOST=" + issuer.URL},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				return a.open(t, a.fill(t, files, name == "anonymous"), settings...)
			})
		})
	}
	container := a.fill(t, map[string][]byte{"a": []byte("a")}, false)
	key := "AZURE_STORAGE_KEY=" + emulatorKey
	for _, test := range []struct {
		setting, container, name string
		is                       error
		want                     string
	}{
		{"AZURE_STORAGE_KEY=" + testKey, container, "a", fs.ErrPermission, "is not one of the account"},
		{key, "absent", "a", fs.ErrNotExist, `there is no container "absent" in account`},
		{key, container, "b", fs.ErrNotExist, "no such object"},
		{"AZURE_STORAGE_SAS_TOKEN=" + a.accountSAS("rl", time.Now().Add(-time.Hour)), container, "a", fs.ErrPermission,
			"expired on "},
		{"AZURE_STORAGE_SAS_TOKEN=" + a.accountSAS("w", time.Now().Add(time.Hour)), container, "a", fs.ErrPermission,
			"(sp=rl)"},
	} {
		_, err := a.open(t, test.container, test.setting).Open(t.Context(), test.name)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40s: %v; want %q", test.setting, err, test.want)
		}
	}
}
