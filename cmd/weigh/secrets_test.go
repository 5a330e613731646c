// Passwords, tokens and signatures: in nothing that any command prints or writes.

package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// secrets are in the targets and the environment of [TestSecretsAreNotPrinted].
var secrets = []string{"PASSW0RD", "SIGSECRET"}

// TestSecretsAreNotPrinted runs every command, in each of its forms, on targets with secrets that
// can be read, or are refused, absent, of another format, or misspelled. Writing commands write
// to folders and in place. Neither the output nor any file contains a secret, nor its name.
func TestSecretsAreNotPrinted(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	targets, env := secretTargets(t, testdata)
	runs := 0
	for _, cmd := range rootCmd(new(cli.Session)).Commands() {
		for _, args := range secretArgs(cmd) {
			for _, target := range targets {
				line := []string{cmd.Name()}
				for _, arg := range args {
					line = append(line, strings.ReplaceAll(arg, "TARGET", target))
				}
				var out bytes.Buffer
				run(t.Context(), line, strings.NewReader(""), &out, &out, env)
				runs++
				if found := secretIn(out.String()); found != "" {
					t.Errorf("weigh %s: shows %s: %s", strings.Join(line, " "), found, out.String())
				}
			}
		}
	}
	if runs < 500 {
		t.Errorf("only %d runs", runs)
	}
	checkNoSecrets(t, ".")
}

// secretTargets returns targets with secrets, and the environment for them.
func secretTargets(t *testing.T, testdata string) ([]string, func(string) string) {
	files := http.FileServer(http.Dir(testdata))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimPrefix(r.URL.Path, "/"); {
		case strings.HasPrefix(path, "denied/"):
			w.Header().Set("X-Error-Message", "Invalid credentials in Authorization header")
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(path, "moved/"):
			http.Redirect(w, r, "/sample/model-00001-of-00002.safetensors?sig=SIGSECRET", http.StatusFound)
		case strings.HasPrefix(path, "page/"):
			w.Write([]byte("<html>log in</html>"))
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	base := "http://user:PASSW0RD@" + strings.TrimPrefix(server.URL, "http://")
	vars := map[string]string{
		"HOME": t.TempDir(), "WEIGH_CACHE": "cache", "AWS_EC2_METADATA_DISABLED": "true",
		"HF_ENDPOINT": base + "/denied", "HF_TOKEN": "SIGSECRET",
		"AWS_ENDPOINT_URL": base + "/denied", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "SIGSECRET",
		"AWS_SESSION_TOKEN": "PASSW0RD", "STORAGE_EMULATOR_HOST": base + "/denied",
	}
	var targets []string
	for _, path := range []string{
		"sample/model-00001-of-00002.safetensors", "sample/model.safetensors.index.json", "sample/", "moved/model.safetensors",
		"scan/harmless.pkl", "absent.safetensors", "absent/", "denied/model.safetensors", "page/model.safetensors",
	} {
		targets = append(targets, base+"/"+path+"?sig=SIGSECRET#SIGSECRET")
	}
	targets = append(targets,
		"https://user:PASSW0RD@ho st/model.safetensors", "https://user:PASSW0RD@host/%zz?sig=SIGSECRET",
		"https://user:PASSW0RD@huggingface.co/org", "s3://id:PASSW0RD@bucket/model.safetensors", "ftp://user:PASSW0RD@host/a",
		"az://account/container/model.safetensors?sig=SIGSECRET", "hf://user:PASSW0RD@org/repo",
		"hf://org/repo/model.safetensors", "s3://bucket/model.safetensors", "gs://bucket/folder/")
	return targets, func(name string) string { return vars[name] }
}

// secretArgs returns the arguments of a command for each of its forms. "TARGET" is the target.
func secretArgs(cmd *cobra.Command) [][]string {
	switch name := cmd.Name(); name {
	case "help", "completion", "version", "recover":
		return [][]string{{"TARGET"}}
	case "cat":
		return [][]string{{"TARGET", "lm_head.weight"}, {"TARGET", "absent"}, {"TARGET"}, {"--format", "json", "TARGET", "lm_head.weight"}}
	case "diff":
		return [][]string{{"TARGET", "TARGET"}, {"--json", "TARGET", "TARGET"}, {"--headers", "TARGET", "absent"}, {"TARGET"}}
	case "check":
		return append(withForms(cmd, "TARGET"), []string{"--explain", "overlap", "TARGET"}, []string{"--data", "TARGET"},
			[]string{"--baseline", "baseline", "--write-baseline", "--force", "TARGET"})
	case "metadata":
		return append(withForms(cmd, "TARGET"), []string{"--set", "a=b", "TARGET"}, []string{"TARGET", "--set", "a=b", "TARGET"})
	case "view": // would wait for a browser
		return [][]string{{"--export", "page.html", "--force", "TARGET"}, {"--export", "TARGET", "TARGET"}, {"--export", "page.html", "TARGET",
			"TARGET"}, {"--no-such-flag=TARGET", "TARGET"}, {"--listen", "TARGET", "TARGET"}}
	case "get":
		return [][]string{{"TARGET", "-o", "got"}, {"TARGET"}, {"TARGET", "-o", "TARGET"}, {"--json", "--force", "TARGET", "-o", "got"},
			{"--include", "**", "TARGET", "-o", "some"}}
	case "edit", "convert", "split", "merge":
		change := map[string][]string{"edit": {"--set", "a=b"}}[name]
		return [][]string{
			append(change, "TARGET", "-o", name+"-out"), append(change, "--json", "--force", "TARGET", "-o", name+"-out"),
			append(change, "--in-place", "TARGET"), append(change, "TARGET", "-o", "TARGET"), append(change, "--dry-run", "TARGET", "-o", "x"),
			append(change, "TARGET"), append(change, "TARGET", "TARGET", "-o", "y"),
		}
	}
	return withForms(cmd, "TARGET")
}

// withForms returns the arguments for text and for each other form of a command, printed and
// written to a file.
func withForms(cmd *cobra.Command, args ...string) [][]string {
	all := [][]string{args, append([]string{"--cost"}, args...), append([]string{"--force", "-o", "report"}, args...),
		append([]string{"-o", "TARGET"}, args...), append([]string{"--no-such-flag=TARGET"}, args...)}
	for _, form := range []string{"json", "csv", "markdown", "sarif", "junit", "tree", "facts", "pretty", "hex"} {
		if cmd.Flags().Lookup(form) != nil {
			all = append(all, append([]string{"--" + form}, args...), append([]string{"--" + form, "--force", "-o", "report." + form}, args...))
		}
	}
	return all
}

// secretIn returns a secret in a text, or "".
func secretIn(text string) string {
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			return secret
		}
	}
	return ""
}

// checkNoSecrets checks the names and contents of all files in a folder.
func checkNoSecrets(t *testing.T, dir string) {
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text, n = string(b), n+1
		}
		if found := secretIn(path + text); found != "" {
			t.Errorf("the file %s contains %s", path, found)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if n < 10 {
		t.Errorf("only %d files were written", n)
	}
}
