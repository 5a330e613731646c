// Which URLs are pages of the Hub.

package store

import (
	"net/url"
	"os"
	"strings"
)

// A hubSite is a server with the pages of the Hub, below a path without a slash at its end.
type hubSite struct {
	host, path string
	hasOthers  bool // it may have pages that are not the Hub's
}

// hubSites returns the servers of the Hub: the public one, and the endpoint of the environment,
// which is a mirror or an enterprise server.
func hubSites() []hubSite {
	sites := []hubSite{{host: "huggingface.co"}, {host: "www.huggingface.co"}, {host: "hf.co"}}
	if u, err := url.Parse(os.Getenv("HF_ENDPOINT")); err == nil && u.Host != "" {
		sites = append(sites, hubSite{hostOf(u), strings.TrimRight(u.EscapedPath(), "/"), true})
	}
	return sites
}

// hostOf returns the host of a URL in lower case, with its port unless that is the default.
func hostOf(u *url.URL) string {
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	return strings.TrimSuffix(strings.ToLower(u.Host), port)
}

// startsWithHub reports whether s is the URL of a page of the Hub without "https://".
func startsWithHub(s string) bool {
	host, _, ok := strings.Cut(s, "/")
	for _, site := range hubSites() {
		if ok && strings.EqualFold(host, site.host) {
			return true
		}
	}
	return false
}

// hubLink returns the path of a page of the Hub, relative to the path of its server. The Hub's API
// is not a page.
func hubLink(u *url.URL) (link string, ok bool) {
	for _, site := range hubSites() {
		link, below := strings.CutPrefix(u.EscapedPath(), site.path)
		if hostOf(u) != site.host || !below || link != "" && link[0] != '/' || strings.HasPrefix(link, "/api/") {
			continue
		}
		if _, err := parseHubLink(link); err == nil || !site.hasOthers {
			return link, true
		}
	}
	return "", false
}
