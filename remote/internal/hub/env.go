// The environment variables and files of the Python library huggingface_hub.

package hub

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// envToken returns the token from the environment or the token file, or "".
func (h *hub) envToken() string {
	if h.shared.EnvIsTrue("HF_HUB_DISABLE_IMPLICIT_TOKEN") {
		return ""
	}
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} {
		if token := strings.TrimSpace(h.shared.Env(name)); token != "" {
			return token
		}
	}
	path := cmp.Or(h.shared.Env("HF_TOKEN_PATH"), filepath.Join(h.home(), "token"))
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 4096 {
		return "" // without a login there is no such file
	}
	return strings.TrimSpace(string(text))
}

// home returns the folder of the library's files.
func (h *hub) home() string {
	if home := h.shared.Env("HF_HOME"); home != "" {
		return home
	}
	cache := h.shared.Env("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(cmp.Or(h.shared.Env("HOME"), h.shared.Env("USERPROFILE")), ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// cacheFolder returns the folder of the library's cache of repositories.
func (h *hub) cacheFolder() string {
	for _, name := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"} {
		if dir := h.shared.Env(name); dir != "" {
			return dir
		}
	}
	return filepath.Join(h.home(), "hub")
}
