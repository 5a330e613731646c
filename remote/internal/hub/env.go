// The environment variables and files of the Python library huggingface_hub.

package hub

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// envToken returns the token from the environment or the token file, or "".
func envToken(s *fetch.Shared) string {
	if s.EnvIsTrue("HF_HUB_DISABLE_IMPLICIT_TOKEN") {
		return ""
	}
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} {
		if token := strings.TrimSpace(s.Env(name)); token != "" {
			return token
		}
	}
	path := cmp.Or(expand(s, s.Env("HF_TOKEN_PATH")), filepath.Join(home(s), "token"))
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 4096 {
		return "" // without a login there is no such file
	}
	return strings.TrimSpace(string(text))
}

// home returns the folder of the library's files.
func home(s *fetch.Shared) string {
	if home := s.Env("HF_HOME"); home != "" {
		return expand(s, home)
	}
	cache := expand(s, s.Env("XDG_CACHE_HOME"))
	if cache == "" {
		cache = filepath.Join(auth.Home(s), ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// cacheFolder returns the folder of the library's cache of repositories.
func cacheFolder(s *fetch.Shared) string {
	for _, name := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"} {
		if dir := s.Env(name); dir != "" {
			return expand(s, dir)
		}
	}
	return filepath.Join(home(s), "hub")
}

// variable is the name of an environment variable within a value, as in Python's os.path.expandvars.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\w+|\{[^}]*\})`) })

// expand replaces "~" at the start of a path, and the environment variables in it, as the library
// does. Shells do not replace them in quotes and in files of variables.
func expand(s *fetch.Shared, path string) string {
	return variable().ReplaceAllStringFunc(auth.InHome(s, path), func(name string) string {
		return cmp.Or(s.Env(strings.Trim(name, "${}")), name)
	})
}
