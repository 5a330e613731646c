// Logins to AWS other than keys: single sign-on, programs that print keys; and certificates of servers of one's own.

package remote_test

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/bucket"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// TestAWSProcess runs programs that print keys, in the format of the AWS documentation ("Sourcing credentials with an
// external process").
func TestAWSProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := filepath.Join(t.TempDir(), "with space")
	os.Mkdir(dir, 0o777)
	program := filepath.Join(dir, "keys.sh")
	script := `#!/bin/sh
case "$1" in
"one role") echo '{"Version": 1, "AccessKeyId": "MADE", "SecretAccessKey": "x", "SessionToken": "TOKEN", "Expiration": "2099-01-01T00:00:00Z"}' ;;
static) echo '{"Version": 1, "AccessKeyId": "MADE", "SecretAccessKey": "x"}' ;;
version) echo '{"Version": 2, "AccessKeyId": "SECRET", "SecretAccessKey": "SECRET"}' ;;
*) echo "SECRET"; exit 1 ;;
esac
`
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command     string
		credentials bool // the file, and not config
		token, err  string
	}{
		{command: `"` + program + `" 'one role'`, token: "TOKEN"},
		{command: strings.ReplaceAll(program, " ", `\ `) + ` "one role"`, credentials: true, token: "TOKEN"},
		{command: `"` + program + `" static`},
		{command: `"` + program + `" version`, err: `keys.sh" does not print credentials in version 1 of their format`},
		{command: `"` + program + `"`, err: `credential_process of the AWS profile "work": "` + program + `" fails: run it`},
		{command: `"` + program, err: "the command ends within quotes"},
		{command: dir + "/none x", err: "credential_process of the AWS profile"},
	} {
		aws := awsTest{config: "[profile work]\ncredential_process = " + test.command + "\n", env: []string{"AWS_PROFILE=work"}}
		if test.credentials {
			aws.config, aws.credentials = "", "[work]\ncredential_process = "+test.command+"\n"
		}
		var asked *http.Request
		o := aws.opener(t, func(r *http.Request) (*http.Response, error) {
			asked = r
			return said(http.StatusOK, "x"), nil
		})
		_, err := open(t, o, "s3://weights").Open(t.Context(), "a")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "SECRET") || asked != nil {
				t.Errorf("%s: error %v; want %q, and no request", test.command, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.command, err)
			continue
		}
		if key, _ := signer(asked); key != "MADE" || asked.Header.Get("X-Amz-Security-Token") != test.token {
			t.Errorf("%s: signed with %q and the token %q", test.command, key, asked.Header.Get("X-Amz-Security-Token"))
		}
	}
}

// TestAWSSSO logs in with the token that `aws sso login` has left. Its name and the answer of the portal are those of
// the AWS documentation (GetRoleCredentials).
func TestAWSSSO(t *testing.T) {
	const session = "[profile work]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = reader\nregion = eu-west-3\n" +
		"[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.awsapps.com/start\n"
	const older = "[profile work]\nsso_start_url = https://corp.awsapps.com/start\nsso_region = eu-west-1\nsso_account_id = 123\n" +
		"sso_role_name = reader\nregion = eu-west-3\n"
	for _, test := range []struct {
		config, cached, expires string
		status                  int
		err                     string
	}{
		{session, "corp", "2099-01-01T00:00:00Z", 200, ""},
		{older, "https://corp.awsapps.com/start", "2099-01-01T00:00:00Z", 200, ""},
		{session, "corp", "2020-01-01T00:00:00Z", 0, "run `aws sso login --profile work`"},
		{session, "other", "2099-01-01T00:00:00Z", 0, "run `aws sso login --profile work`"},
		{session, "corp", "2099-01-01T00:00:00Z", 401, "run `aws sso login --profile work`"},
	} {
		aws := awsTest{config: test.config, env: []string{"AWS_PROFILE=work"}}
		var hosts []string
		o := aws.opener(t, func(r *http.Request) (*http.Response, error) {
			hosts = append(hosts, r.URL.Host)
			if !strings.HasPrefix(r.URL.Host, "portal.sso.") {
				if key, region := signer(r); key != "ROLE" || region != "eu-west-3" || r.Header.Get("X-Amz-Security-Token") != "T" {
					t.Errorf("signed with %q for %q", key, region)
				}
				return said(http.StatusOK, "x"), nil
			}
			if r.Header.Get("x-amz-sso_bearer_token") != "SECRET" || r.URL.Query().Get("account_id") != "123" ||
				r.URL.Query().Get("role_name") != "reader" {
				t.Errorf("the portal is asked %s", r.URL)
			}
			if test.status != 200 {
				return said(test.status, `{"message":"Session token not found or invalid"}`), nil
			}
			return said(200, `{"roleCredentials":{"accessKeyId":"ROLE","secretAccessKey":"x","sessionToken":"T","expiration":4070908800000}}`), nil
		})
		home := o.Env("HOME")
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		cache := filepath.Join(home, ".aws", "sso", "cache")
		os.MkdirAll(cache, 0o700)
		sum := sha1.Sum([]byte(test.cached))
		os.WriteFile(filepath.Join(cache, hex.EncodeToString(sum[:])+".json"),
			[]byte(`{"accessToken":"SECRET","expiresAt":"`+test.expires+`","region":"eu-west-1"}`), 0o600)
		_, err := open(t, o, "s3://weights").Open(t.Context(), "a")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "SECRET") || len(hosts) > 1 {
				t.Errorf("%s: error %v after %q; want %q", test.expires, err, hosts, test.err)
			}
			continue
		}
		if err != nil || strings.Join(hosts, " ") != "portal.sso.eu-west-1.amazonaws.com weights.s3.eu-west-3.amazonaws.com" ||
			o.Meter.Cost().Requests != 2 {
			t.Errorf("%v after %q, %d counted", err, hosts, o.Meter.Cost().Requests)
		}
	}
}

// TestCABundle trusts the certificate of a server that the AWS configuration names, and no other.
func TestCABundle(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader("weights"))
	}))
	defer server.Close()
	dir := t.TempDir()
	bundle, none := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "none.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	os.WriteFile(bundle, text, 0o600)
	os.WriteFile(none, []byte("no certificates"), 0o600)
	config := filepath.Join(dir, "config")
	os.WriteFile(config, []byte("[default]\nca_bundle = "+bundle+"\n"), 0o600)
	for _, test := range []struct{ env, err string }{
		{"AWS_CA_BUNDLE=" + bundle, ""},
		{"AWS_CONFIG_FILE=" + config, ""},
		{"X=", "certificate"},
		{"AWS_CA_BUNDLE=" + none, "AWS_CA_BUNDLE: \"" + none + "\" has no certificates in PEM format"},
		{"AWS_CA_BUNDLE=" + filepath.Join(dir, "absent"), "AWS_CA_BUNDLE: "},
	} {
		o := &remote.Opener{Buckets: bucket.Open, Retries: -1, Env: remotetest.Env("HOME="+dir, "AWS_ENDPOINT_URL="+server.URL,
			"AWS_NO_SIGN_REQUEST=true", "AWS_EC2_METADATA_DISABLED=true", test.env)}
		s, err := o.Open(t.Context(), store.Ref{Scheme: "s3", Root: "weights"})
		if err == nil {
			_, err = s.Open(t.Context(), "a")
		}
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, want %q", test.env, err, test.err)
		}
	}
}
