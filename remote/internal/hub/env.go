// The environment variables and files of the Python library huggingface_hub.

package hub

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

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
	path := cmp.Or(s.Env("HF_TOKEN_PATH"), filepath.Join(home(s), "token"))
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 4096 {
		return "" // without a login there is no such file
	}
	return strings.TrimSpace(string(text))
}

// home returns the folder of the library's files.
func home(s *fetch.Shared) string {
	if home := s.Env("HF_HOME"); home != "" {
		return home
	}
	cache := s.Env("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(cmp.Or(s.Env("HOME"), s.Env("USERPROFILE")), ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// cacheFolder returns the folder of the library's cache of repositories.
func cacheFolder(s *fetch.Shared) string {
	for _, name := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"} {
		if dir := s.Env(name); dir != "" {
			return dir
		}
	}
	return filepath.Join(home(s), "hub")
}
