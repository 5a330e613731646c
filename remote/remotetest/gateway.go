// The S3 server of Versity.

package remotetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// A Gateway is a running versitygw, a program that serves folders as buckets.
type Gateway struct {
	URL        string // without a slash at its end
	ID, Secret string // of its only user
	Folder     string // contains a folder for each bucket

	t testing.TB
}

// gatewayRegion is the region for signing requests to the gateway.
const gatewayRegion = "us-east-1"

// NewGateway starts the gateway with one bucket, "weights". It skips the test if the program
// is not installed.
func NewGateway(t testing.TB) *Gateway {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("versitygw is not installed")
	}
	address := freeAddress(t)
	g := &Gateway{"http://" + address, "somebody", "something-secret", t.TempDir(), t}
	server := exec.Command(program, "--port", address, "--access", g.ID, "--secret", g.Secret, "--region", gatewayRegion,
		"--keep-alive", "--quiet", "posix", "--sidecar", t.TempDir(), g.Folder)
	start(t, server, g.URL)
	g.do(http.MethodPut, "/weights", "", nil)
	return g
}

// Put uploads an object to the bucket.
func (g *Gateway) Put(name string, content []byte) {
	g.t.Helper()
	g.do(http.MethodPut, "/weights/"+name, "", content)
}

// Publish allows anonymous users to read and list the bucket.
func (g *Gateway) Publish() {
	g.t.Helper()
	g.do(http.MethodPut, "/weights", "policy", []byte(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*",
		"Action":["s3:GetObject","s3:ListBucket"],"Resource":["arn:aws:s3:::weights","arn:aws:s3:::weights/*"]}]}`))
}

// Presign returns a URL that allows anonymous GET requests for an object for an hour.
func (g *Gateway) Presign(name string) string {
	r := g.request(http.MethodGet, "/weights/"+name, "", nil)
	return signer.PreSignV4(*r, g.ID, g.Secret, "", gatewayRegion, 3600).URL.String()
}

// Fill writes files directly to the folder of the bucket. These objects have no ETag.
func (g *Gateway) Fill(files map[string][]byte) {
	g.t.Helper()
	for name, content := range files {
		path := filepath.Join(g.Folder, "weights", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			g.t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *Gateway) request(method, path, query string, body []byte) *http.Request {
	g.t.Helper()
	r, err := http.NewRequest(method, g.URL+s3utils.EncodePath(path), bytes.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.URL.RawQuery = query
	return r
}

// do makes a signed request and fails the test if it is refused.
func (g *Gateway) do(method, path, query string, body []byte) {
	g.t.Helper()
	r := g.request(method, path, query, body)
	sum := sha256.Sum256(body)
	r.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	resp, err := http.DefaultClient.Do(signer.SignV4(*r, g.ID, g.Secret, "", gatewayRegion))
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		g.t.Fatalf("%s %s: %s: %s", method, path, resp.Status, strings.TrimSpace(string(text)))
	}
}
