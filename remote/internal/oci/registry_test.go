// A registry that is not ours: that of go-containerregistry, where it is installed.

package oci

import (
	"archive/tar"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

func TestRegistry(t *testing.T) {
	program, err := exec.LookPath("ggcr-registry")
	if err != nil {
		t.Skip("ggcr-registry is not installed; see .ci/interop/servers")
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.CommandContext(t.Context(), program, "-port", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	base := "http://localhost:" + port + "/v2/"
	for range 100 {
		if resp, err := http.Get(base); err == nil {
			resp.Body.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	var count int
	for _, kind := range []string{"layers", "archive"} {
		t.Run(kind, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				f := new(fake)
				if kind == "layers" {
					f.push("v1", layers(files)...)
				} else {
					f.push("v1", fakeLayer{tarType, "", archive(t, tar.FormatPAX, files)})
				}
				count++
				repository := fmt.Sprintf("org/model-%d", count)
				upload(t, base+repository, f)
				s, err := Open(sharedWith(), store.Ref{Scheme: "oci", Root: "localhost:" + port + "/" + repository, Revision: "v1"})
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

// upload sends the blobs and the manifest of a fake to a repository, as the OCI Distribution Specification says.
func upload(t *testing.T, repository string, f *fake) {
	t.Helper()
	f.addBlob([]byte("{}")) // the configuration
	send := func(method, to, mediaType string, body []byte) *url.URL {
		r, err := http.NewRequestWithContext(t.Context(), method, to, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", mediaType)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode/100 != 2 {
			t.Fatalf("%s %s: %s", method, to, resp.Status)
		}
		next, err := resp.Request.URL.Parse(resp.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	for digest, content := range f.blobs {
		u := send(http.MethodPost, repository+"/blobs/uploads/", "", nil)
		query := u.Query()
		query.Set("digest", digest)
		u.RawQuery = query.Encode()
		send(http.MethodPut, u.String(), "application/octet-stream", content)
	}
	mediaType, _, _ := strings.Cut(accepted, ",")
	send(http.MethodPut, repository+"/manifests/v1", mediaType, f.manifests["v1"])
}
