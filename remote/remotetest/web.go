// Real web servers: nginx in several configurations, and Python's.

package remotetest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nginxConf configures two servers of the same files. The first one has additional
// directives.
const nginxConf = `
daemon off;
worker_processes 1;
pid %[1]s/pid;
error_log %[1]s/error.log;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
	root %[2]s;
	server {
		listen %[3]s;
		%[5]s
	}
	server {
		listen %[4]s;
	}
}
`

// NginxWays are configurations of nginx, as directives by description. A reader has to get the
// same bytes from all of them. "OTHER" is replaced by the host of the second server.
var NginxWays = map[string]string{
	"as it is":               ``,
	"no ranges":              `max_ranges 0;`,
	"compresses":             `gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;`,
	"no tags and no dates":   `etag off; if_modified_since off; add_header Last-Modified "";`,
	"closes connections":     `keepalive_timeout 0;`,
	"three requests for one": `keepalive_requests 3;`,
	"redirects":              `location / { return 302 http://OTHER$request_uri; }`,
	"refuses HEAD":           `if ($request_method != GET) { return 403; }`,
	"asks by HTTP/1.0":       `location / { proxy_pass http://OTHER; proxy_http_version 1.0; }`,
	"asks without ranges":    `location / { proxy_pass http://OTHER; proxy_set_header Range ""; proxy_force_ranges off; }`,
	"a cache of slices":      `location / { slice 64k; proxy_set_header Range $slice_range; proxy_pass http://OTHER; }`,
}

// Nginx starts nginx and returns the URL of the folder root, with a slash at its end. It skips
// the test if nginx is not installed.
func Nginx(t testing.TB, root, directives string) string {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed")
	}
	// Its workers run as another user.
	for dir := root; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
	first, second := freeAddress(t), freeAddress(t)
	dir := t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Appendf(nil, nginxConf, dir, root, first, second, strings.ReplaceAll(directives, "OTHER", second))
	if err := os.WriteFile(conf, text, 0o666); err != nil {
		t.Fatal(err)
	}
	start(t, exec.Command(nginx, "-c", conf, "-p", dir, "-e", filepath.Join(dir, "error.log")), "http://"+first+"/")
	return "http://" + first + "/"
}

// Python starts the server of Python's standard library, which speaks HTTP/1.0 and does not
// support ranges, and returns the URL of the folder root. It skips the test if Python is not
// installed.
func Python(t testing.TB, root string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	host, port, _ := net.SplitHostPort(freeAddress(t))
	url := "http://" + net.JoinHostPort(host, port) + "/"
	start(t, exec.Command(python, "-m", "http.server", "--bind", host, "--directory", root, port), url)
	return url
}

// freeAddress returns an unused local address.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server until the test ends, and returns when it answers at url. It skips the
// test if the server ends before that.
func start(t testing.TB, server *exec.Cmd, url string) {
	t.Helper()
	if err := server.Start(); err != nil {
		t.Skip(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		server.Process.Kill()
		<-ended
	})
	for {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			return
		}
		select {
		case <-ended:
			t.Skipf("%s ended without answering: %v", filepath.Base(server.Path), err)
		default:
		}
	}
}
