package store

import (
	"strings"
	"testing"
)

func TestParseAzure(t *testing.T) {
	az := func(root, path string) Ref { return Ref{Scheme: "az", Root: root, Path: path} }
	for _, test := range []refTest{
		{"az://acct/weights", az("acct/weights", ""), ""},
		{"az://acct/weights/", az("acct/weights", ""), "az://acct/weights"},
		{"az://Acct/weights/a b%20c?d#e@f", az("acct/weights", "a b%20c?d#e@f"), "az://acct/weights/a b%20c?d#e@f"},
		{"az://acct/$web/a/b", az("acct/$web", "a/b"), ""},
		{"az://acct.blob.core.windows.net/c/p", az("acct/c", "p"), "az://acct/c/p"},
		{"az://acct-secondary/c/p", az("acct-secondary/c", "p"), ""},
		{"az://acct.blob.core.chinacloudapi.cn/c/p", az("acct.blob.core.chinacloudapi.cn/c", "p"), ""},
		{"az://acct.z12.blob.storage.azure.net/c/p", az("acct.z12.blob.storage.azure.net/c", "p"), ""},
		{"abfss://c@acct.dfs.core.windows.net/a/b/", az("acct/c", "a/b"), "az://acct/c/a/b"},
		{"abfs://c@acct.dfs.core.usgovcloudapi.net", az("acct.blob.core.usgovcloudapi.net/c", ""),
			"az://acct.blob.core.usgovcloudapi.net/c"},
		{"wasbs://c@acct.blob.core.windows.net/a", az("acct/c", "a"), "az://acct/c/a"},
		{"https://acct.blob.core.windows.net/c/a%20b/x%252Fy", az("acct/c", "a b/x%2Fy"), "az://acct/c/a b/x%2Fy"},
		{"https://ACCT.blob.core.windows.net/c/", az("acct/c", ""), "az://acct/c"},
		{"https://acct.blob.core.chinacloudapi.cn/c/p#f", az("acct.blob.core.chinacloudapi.cn/c", "p"),
			"az://acct.blob.core.chinacloudapi.cn/c/p"},
	} {
		test.check(t)
	}
}

// A SAS replaces all other credentials. Other URLs are not those of blobs, or are not for credentials.
func TestParseAzureStaysWeb(t *testing.T) {
	for _, text := range []string{
		"https://acct.blob.core.windows.net/c/p?sv=2022-11-02&sig=SECRET",
		"https://acct.blob.core.windows.net/c/p?versionid=1",
		"https://acct.blob.core.windows.net/p", // in the root container
		"https://acct.blob.core.windows.net/c//p",
		"http://acct.blob.core.windows.net/c/p",
		"https://acct.blob.core.windows.net:8443/c/p",
		"https://user@acct.blob.core.windows.net/c/p",
		"https://acct.blob.core.windows.net.example/c/p",
		"https://blob.core.windows.net/c/p",
		"https://acct.table.core.windows.net/c/p",
	} {
		if r, err := Parse(text); err != nil || r.Scheme != "https" && r.Scheme != "http" {
			t.Errorf("Parse(%q) = %+q, %v; want a web server", text, fields(r), err)
		}
	}
}

func TestParseAzureErrors(t *testing.T) {
	for text, want := range map[string]string{
		"az://":                 `account "" has characters`,
		"az://acct":             "want az://account/container[/path]",
		"az://acct/":            "no container",
		"az://my-models/c/p":    `account "my-models" has characters other than letters and digits: want az://account/`,
		"az://acct/a:b/p":       `container "a:b" has characters`,
		"az://acct/c//p":        "has an element that is empty",
		"az://evil.example/c/p": `host "evil.example" is not one of Azure Blob Storage`,
		"az://acct.blob.core.windows.net.evil/c/p": "is not one of Azure Blob Storage",
		"abfss://c/p":                                      "want abfss://container@account.dfs.core.windows.net[/path]",
		"abfss://c@evil.example/p":                         "is not one of Azure Blob Storage",
		"abfss://@acct.dfs.core.windows.net/p":             "no container",
		"az://USER:SECRET@acct/c/p":                        "credentials are not allowed",
		"az://acct:SECRET/c/p":                             "credentials are not allowed",
		"abfss://c@USER:SECRET@acct.dfs.x/p":               "credentials are not allowed",
		"az://acct/c/p?sv=2022-11-02&sig=SECRET":           "set AZURE_STORAGE_SAS_TOKEN",
		"abfss://c@acct.dfs.core.windows.net/p?sig=SECRET": "set AZURE_STORAGE_SAS_TOKEN",
	} {
		r, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") || r != (Ref{}) {
			t.Errorf("Parse(%q) = %+q, %v; want an error with %q", text, fields(r), err, want)
		}
	}
}
