// What the environment says about the Hub, by the names of the library huggingface_hub.

package remote

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// token returns the token for the endpoint, or "".
func (h *hub) token() string {
	if h.HubToken != "" {
		return h.HubToken
	}
	return h.hubToken()
}

// hubToken returns the token that the user has for the Hub, or "".
func (o *Opener) hubToken() string {
	if isTrue(o.env("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		return ""
	}
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} {
		if token := strings.TrimSpace(o.env(name)); token != "" {
			return token
		}
	}
	path := o.env("HF_TOKEN_PATH")
	if path == "" {
		path = filepath.Join(o.hubHome(), "token")
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 4096 {
		return "" // who is not logged in has no such file
	}
	return strings.TrimSpace(string(text))
}

// hubHome returns the folder of the library's files.
func (o *Opener) hubHome() string {
	if home := o.env("HF_HOME"); home != "" {
		return home
	}
	cache := o.env("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(orElse(o.env("HOME"), o.env("USERPROFILE")), ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// hubCache returns the folder in which the library keeps files of repositories.
func (o *Opener) hubCache() string {
	for _, name := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"} {
		if dir := o.env(name); dir != "" {
			return dir
		}
	}
	return filepath.Join(o.hubHome(), "hub")
}

// isTrue says whether a variable is set, as the library has it.
func isTrue(value string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(value))
}
