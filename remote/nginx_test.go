// nginx passes the suite of stores, where it is installed.

package remote_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

// nginxConf is all that a server of files takes, in a folder of its own.
const nginxConf = `
daemon off;
worker_processes 1;
pid %[1]s/pid;
error_log %[1]s/error.log;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
	server {
		listen %[2]s;
		root %[3]s;
	}
}
`

func TestNginx(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed")
	}
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		root := folder(t, files)
		for dir := root; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
			os.Chmod(dir, 0o755) // its workers are another user's
			if dir == os.TempDir() {
				break
			}
		}
		return open(t, new(remote.Opener), startNginx(t, nginx, root))
	})
}

// startNginx starts a server of the files in root, and returns its URL once it answers.
func startNginx(t *testing.T, nginx, root string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	dir := t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, addr, root), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-c", conf, "-p", dir, "-e", filepath.Join(dir, "error.log"))
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	for range 10_000 {
		if resp, err := http.Get("http://" + addr + "/"); err == nil {
			resp.Body.Close()
			return "http://" + addr + "/"
		}
	}
	t.Skip("nginx does not answer")
	return ""
}
