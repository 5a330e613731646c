// Refs to Azure Blob Storage: az://, the schemes of Hadoop, and URLs of blobs.

package store

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// azureClouds are the domains of Azure's clouds: public, China, US government, and of accounts in DNS zones. Stores
// send tokens to their hosts, so no other host can be the account of a ref.
var azureClouds = [...]string{
	"core.windows.net", "core.chinacloudapi.cn", "core.usgovcloudapi.net", "storage.azure.net",
}

// parseAzure parses the text after az://, which is account/container/path.
func parseAzure(_, s string) (Ref, error) {
	account, rest, _ := strings.Cut(s, "/")
	container, path, _ := strings.Cut(rest, "/")
	return azureRef(account, container, path)
}

// parseHadoop parses the text after abfss:// or another scheme of Hadoop, which is container@host/path. The result has
// the scheme az.
func parseHadoop(scheme, s string) (Ref, error) {
	first, path, _ := strings.Cut(s, "/")
	container, account, ok := strings.Cut(first, "@")
	if !ok {
		return Ref{}, fmt.Errorf("no account: want %s://container@account.dfs.core.windows.net[/path]", scheme)
	}
	return azureRef(account, container, path)
}

// azureRef returns the ref to a path in a container of an account, which is given as name or host.
func azureRef(account, container, path string) (Ref, error) {
	name, err := azureAccount(account)
	switch {
	case err != nil:
		return Ref{}, err
	case container == "":
		return Ref{}, errors.New("no container: want az://account/container[/path]")
	case strings.Contains(path, "sig="):
		return Ref{}, errors.New("a SAS is not allowed in the URL: use the https:// URL, or set AZURE_STORAGE_SAS_TOKEN")
	case !plain(strings.TrimPrefix(container, "$")):
		return Ref{}, fmt.Errorf("container %q has characters other than letters, digits and \"-\"", container)
	}
	path, err = cleanPath(path)
	return Ref{Scheme: "az", Root: name + "/" + container, Path: path}, err
}

// azureAccount returns the name of an account of the public cloud, and the blob host of another one.
func azureAccount(s string) (string, error) {
	s = strings.ToLower(s)
	if strings.ContainsAny(s, "@:") {
		return "", errors.New("credentials are not allowed in the URL: set them in the environment")
	}
	name, _, isHost := strings.Cut(s, ".")
	if strings.Trim(strings.TrimSuffix(name, "-secondary"), "abcdefghijklmnopqrstuvwxyz0123456789") != "" || name == "" {
		return "", fmt.Errorf("account %q has characters other than letters and digits: want az://account/container[/path]",
			name)
	}
	if !isHost {
		return name, nil
	}
	// Data Lake Storage has other hosts for the same containers.
	host := strings.Replace(s, ".dfs.", ".blob.", 1)
	switch {
	case !isBlobHost(host):
		return "", fmt.Errorf("host %q is not one of Azure Blob Storage, such as account.blob.core.windows.net", s)
	case host == name+".blob.core.windows.net":
		return name, nil
	}
	return host, nil
}

// isBlobHost reports whether host serves the blobs of an account in one of Azure's clouds.
func isBlobHost(host string) bool {
	return plain(host) && strings.Contains(host, ".blob.") && slices.ContainsFunc(azureClouds[:], func(cloud string) bool {
		return strings.HasSuffix(host, "."+cloud)
	})
}

// isAzureLink reports whether u is an object in a container of Azure Blob Storage. URLs with a query are not, because
// it may be a signature, which replaces all other credentials.
func isAzureLink(u *url.URL) bool {
	return u.Scheme == "https" && u.User == nil && u.RawQuery == "" && isBlobHost(strings.ToLower(u.Host)) &&
		strings.Contains(strings.TrimPrefix(u.Path, "/"), "/")
}

// parseAzureLink parses the link to an object.
func parseAzureLink(u *url.URL) (Ref, error) {
	container, path, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	container, err := url.PathUnescape(container)
	if err != nil {
		return Ref{}, err
	}
	// Azure does not distinguish an escaped slash from others.
	if path, err = url.PathUnescape(path); err != nil {
		return Ref{}, err
	}
	return azureRef(u.Host, container, path)
}

// azureURL returns the URL of an az ref.
func (r Ref) azureURL() *url.URL {
	host, container, _ := strings.Cut(r.Root, "/")
	if !strings.Contains(host, ".") {
		host += ".blob.core.windows.net"
	}
	return &url.URL{Scheme: "https", Host: host, Path: "/" + container + "/" + r.Path}
}

// shownAzure returns the text of an invalid ref without credentials and signatures.
func shownAzure(rest string) string {
	shown, _, _ := strings.Cut(shownBucket(rest), "?")
	return shown
}
