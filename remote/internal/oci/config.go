// Credentials in the configurations of Docker and Podman, and from credential helpers.

package oci

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// A credential is what a login to a registry has left. The zero credential is anonymous.
type credential struct {
	what           string // for errors
	user, password string
	identity       string // a token that is exchanged for others
	token          string // a token for the registry itself
}

// A config is the configuration of Docker or Podman, with the fields for registries.
type config struct {
	file    string
	Auths   map[string]entry  `json:"auths"`
	Helpers map[string]string `json:"credHelpers"`
	Store   string            `json:"credsStore"`
}

// An entry is what a configuration has for a registry.
type entry struct {
	Auth          string `json:"auth"` // user:password in Base64
	Username      string `json:"username"`
	Password      string `json:"password"`
	IdentityToken string `json:"identitytoken"`
	RegistryToken string `json:"registrytoken"`
}

// findCredential returns the credential for a repository: the first one in REGISTRY_AUTH_FILE, in Docker's
// configuration and in Podman's configuration.
func findCredential(ctx context.Context, s *fetch.Shared, host, repository string) (*credential, error) {
	files := []string{s.Env("REGISTRY_AUTH_FILE"), under(s.Env("DOCKER_CONFIG"), "config.json")}
	if s.Env("DOCKER_CONFIG") == "" {
		files[1] = under(auth.Home(s), ".docker", "config.json")
	}
	files = append(files, under(s.Env("XDG_RUNTIME_DIR"), "containers", "auth.json"),
		under(cmp.Or(s.Env("XDG_CONFIG_HOME"), under(auth.Home(s), ".config")), "containers", "auth.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		c := config{file: file}
		if json.Unmarshal(text, &c) != nil {
			return nil, fmt.Errorf("%s is not a configuration of Docker: correct it, or log in with `docker login`", file)
		}
		if found, err := c.find(ctx, host, repository); err != nil || *found != (credential{}) {
			return found, err
		}
	}
	return new(credential), nil
}

// under returns a path in a folder, or "" if the folder is unknown. It would be in the current folder otherwise.
func under(folder string, elements ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, filepath.Join(elements...))
}

// keys returns the names that a configuration may have for a registry and a repository, the most specific first.
func keys(host, repository string) []string {
	var list []string
	for name := host + "/" + repository; strings.Contains(name, "/"); name = name[:strings.LastIndexByte(name, '/')] {
		list = append(list, name)
	}
	list = append(list, host)
	if host == dockerHub {
		list = append(list, "https://index.docker.io/v1/", "index.docker.io", "registry-1.docker.io")
	}
	return list
}

// find returns the credential for a repository: from the program of the registry or of all, or else from the file.
func (c *config) find(ctx context.Context, host, repository string) (*credential, error) {
	names := keys(host, repository)
	for _, name := range names {
		if helper := c.Helpers[name]; helper != "" {
			return c.run(ctx, helper, name)
		}
	}
	for _, name := range names {
		if e, ok := c.Auths[name]; ok && e != (entry{}) {
			return c.read(e, host)
		}
	}
	for name, e := range c.Auths { // with scheme and path, as old versions of Docker wrote them
		_, rest, ok := strings.Cut(name, "://")
		if found, _, _ := strings.Cut(rest, "/"); ok && found == host && e != (entry{}) {
			return c.read(e, host)
		}
	}
	if c.Store == "" {
		return new(credential), nil
	}
	name := host
	if host == dockerHub {
		name = "https://index.docker.io/v1/"
	}
	return c.run(ctx, c.Store, name)
}

// read returns the credential in an entry.
func (c *config) read(e entry, host string) (*credential, error) {
	found := &credential{what: fmt.Sprintf("the credentials for %s in %s", host, c.file), user: e.Username,
		password: e.Password, identity: e.IdentityToken, token: e.RegistryToken}
	if e.Auth != "" {
		text, err := base64.StdEncoding.DecodeString(e.Auth)
		user, password, ok := strings.Cut(strings.TrimRight(string(text), "\x00"), ":")
		if err != nil || !ok {
			return nil, fmt.Errorf("%s are not valid: run `docker login %s` again", found.what, host)
		}
		found.user, found.password = user, password
	}
	return found, nil
}

// run asks a credential helper, which Docker calls docker-credential-NAME, for the credential of a server.
func (c *config) run(ctx context.Context, name, server string) (*credential, error) {
	program := "docker-credential-" + name
	if strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("%s names the credential helper %q, which is not a name", c.file, name)
	}
	text, failure, err := auth.Run(ctx, server, program, "get")
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s names a credential helper that cannot be run: %w", c.file, err)
	case slices.Contains([]string{"credentials not found in native keychain", "no credentials server URL",
		"no credentials username"}, failure):
		return new(credential), nil
	case failure != "":
		return nil, fmt.Errorf("`%s get` fails for %s: %.300q", program, server, failure)
	}
	var answer struct{ Username, Secret string }
	if json.Unmarshal(text, &answer) != nil || answer.Secret == "" {
		return nil, fmt.Errorf("`%s get` prints no credentials for %s", program, server)
	}
	found := &credential{what: "the credentials of " + program, user: answer.Username, password: answer.Secret}
	if answer.Username == "<token>" {
		found.user, found.password, found.identity = "", "", answer.Secret
	}
	return found, nil
}

// dockerHub is the host of Docker Hub in names of images. Its registry has another one.
const dockerHub = "docker.io"
