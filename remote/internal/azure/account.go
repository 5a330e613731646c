// Storage accounts: their endpoints, keys and signatures, by the environment.

package azure

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/weightools/safetensors/remote/internal/auth"
)

// An account is a storage account and the credentials that belong to it.
type account struct {
	name     string
	endpoint *url.URL // of its blobs, without a slash at its end
	key      []byte   // of the account; nil if there is none
	sas      string   // a shared access signature, as query; "" if there is none
	setting  string   // environment variable that the key or signature is from
	other    string   // the account that the environment names, if it is another one
}

// The account of the emulator Azurite, and its key, which is public.
const (
	emulator    = "devstoreaccount1"
	emulatorURL = "http://127.0.0.1:10000/" + emulator
	emulatorKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// findAccount returns the account with this name or host. It reads the environment variables of the Azure CLI and of
// other libraries. They apply to the account that they name.
func findAccount(env func(string) string, host string) (*account, error) {
	name, _, isHost := strings.Cut(host, ".")
	a := &account{name: strings.TrimSuffix(name, "-secondary")} // the read-only copy of an account
	if !isHost {
		host += ".blob.core.windows.net"
	}
	a.endpoint = &url.URL{Scheme: "https", Host: host}
	if a.name == emulator && !isHost {
		if err := a.set("", emulatorURL, emulatorKey, ""); err != nil {
			return nil, err
		}
	}
	text := env("AZURE_STORAGE_CONNECTION_STRING")
	s, err := parseConnection(text)
	if err != nil {
		return nil, err
	}
	if s["AccountName"] == a.name && (!isHost || strings.HasSuffix(s["BlobEndpoint"], "://"+host)) {
		return a, a.set("AZURE_STORAGE_CONNECTION_STRING", s["BlobEndpoint"], s["AccountKey"], s["SharedAccessSignature"])
	}
	named := cmp.Or(env("AZURE_STORAGE_ACCOUNT"), env("AZURE_STORAGE_ACCOUNT_NAME"))
	if named != "" && named != a.name {
		a.other = named
		return a, nil
	}
	endpoint := cmp.Or(env("AZURE_STORAGE_SERVICE_ENDPOINT"), env("AZURE_STORAGE_ENDPOINT"))
	if isHost {
		endpoint = "" // the ref is more specific
	}
	if err := a.set("AZURE_STORAGE_SERVICE_ENDPOINT", endpoint, "", ""); err != nil {
		return nil, err
	}
	for _, variable := range []string{"AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"} {
		if key := env(variable); key != "" {
			return a, a.set(variable, "", key, "")
		}
	}
	return a, a.set("AZURE_STORAGE_SAS_TOKEN", "", "", env("AZURE_STORAGE_SAS_TOKEN"))
}

// set takes over those settings from an environment variable that are not empty.
func (a *account) set(variable, endpoint, key, sas string) error {
	invalid := func(what string) error {
		return fmt.Errorf("remote: the environment variable %s %s", variable, what)
	}
	if endpoint != "" {
		u, ok := auth.Endpoint(endpoint)
		if !ok || u.User != nil {
			return invalid("has an endpoint that is not an http or https URL")
		}
		a.endpoint = u
	}
	if key != "" {
		b, err := base64.StdEncoding.DecodeString(key)
		if err != nil || len(b) == 0 {
			return invalid("has a key that is not Base64")
		}
		a.key, a.sas, a.setting = b, "", variable
	} else if sas != "" {
		sas = strings.TrimPrefix(sas, "?")
		if values, err := url.ParseQuery(sas); err != nil || values.Get("sig") == "" {
			return invalid("has a SAS without a signature; want sv=...&sig=...")
		}
		a.key, a.sas, a.setting = nil, sas, variable
	}
	return nil
}

// parseConnection parses a connection string, and completes what follows from the rest. Errors contain none of it.
func parseConnection(s string) (map[string]string, error) {
	settings := make(map[string]string)
	for part := range strings.SplitSeq(s, ";") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if part != "" && !ok {
			return nil, errors.New("remote: the environment variable AZURE_STORAGE_CONNECTION_STRING is not a list such " +
				"as AccountName=NAME;AccountKey=KEY")
		}
		settings[key] = value
	}
	if strings.EqualFold(settings["UseDevelopmentStorage"], "true") {
		settings["AccountName"], settings["AccountKey"], settings["BlobEndpoint"] = emulator, emulatorKey, emulatorURL
	}
	name, endpoint := settings["AccountName"], settings["BlobEndpoint"]
	switch u, err := url.Parse(endpoint); {
	case endpoint == "" && name != "":
		settings["BlobEndpoint"] = cmp.Or(settings["DefaultEndpointsProtocol"], "https") + "://" + name + ".blob." +
			cmp.Or(settings["EndpointSuffix"], "core.windows.net")
	case name == "" && err == nil: // usual with a signature
		settings["AccountName"], _, _ = strings.Cut(u.Host, ".")
	}
	return settings, nil
}
