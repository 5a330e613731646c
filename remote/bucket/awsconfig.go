// The configuration files of the AWS programs.

package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// An awsConfig is what the files config and credentials say, read as botocore reads them.
type awsConfig struct {
	shared   *fetch.Shared
	file     string             // name of the file config
	profiles map[string]section // of both files
	services map[string]section
	profile  section // the one in use; nil if there is none
	name     string  // of the profile in use
}

// A section holds the settings of a section. Those below a setting, which are indented, have its
// name and a dot in front.
type section map[string]string

// readAWSConfig reads the files. Files that do not exist are empty. It returns an error if the
// environment names a profile that does not exist.
func readAWSConfig(shared *fetch.Shared) (*awsConfig, error) {
	c := &awsConfig{shared: shared, profiles: make(map[string]section), services: make(map[string]section)}
	folder := filepath.Join(auth.Home(shared), ".aws")
	c.file = auth.InHome(shared, cmp.Or(c.shared.Env("AWS_CONFIG_FILE"), filepath.Join(folder, "config")))
	err := readINI(c.file, func(header, key, value string) {
		kind, name, _ := strings.Cut(header, " ")
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		switch {
		case header == "default":
			set(c.profiles, "default", key, value)
		case kind == "profile":
			set(c.profiles, name, key, value)
		case kind == "services":
			set(c.services, name, key, value)
		}
	})
	if err != nil {
		return nil, err
	}
	keys := auth.InHome(shared, cmp.Or(c.shared.Env("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(folder, "credentials")))
	if err := readINI(keys, func(header, key, value string) { set(c.profiles, header, key, value) }); err != nil {
		return nil, err
	}
	given := cmp.Or(c.shared.Env("AWS_PROFILE"), c.shared.Env("AWS_DEFAULT_PROFILE"))
	c.name = cmp.Or(given, "default")
	c.profile = c.profiles[c.name]
	if c.profile == nil && given != "" {
		return nil, c.unknown(given)
	}
	return c, nil
}

// unknown returns the error for a profile that does not exist.
func (c *awsConfig) unknown(name string) error {
	known := strings.Join(slices.Sorted(maps.Keys(c.profiles)), ", ")
	return fmt.Errorf("remote: the AWS profile %q does not exist: the files config and credentials have %s", name,
		cmp.Or(known, "none"))
}

func set(sections map[string]section, name, key, value string) {
	if sections[name] == nil {
		sections[name] = make(section)
	}
	if key != "" {
		sections[name][key] = value
	}
}

// setting returns a setting: the first of the environment variables that has a value, or else the
// profile's.
func (c *awsConfig) setting(key string, variables ...string) string {
	for _, name := range variables {
		if value := c.shared.Env(name); value != "" {
			return value
		}
	}
	return c.profile[key]
}

// isSet reports whether a setting is "true".
func (c *awsConfig) isSet(key, variable string) bool {
	return strings.EqualFold(c.setting(key, variable), "true")
}

// endpoint returns the URL that is configured for a service, by the variable or by the files, or "".
func (c *awsConfig) endpoint(service, variable string) (string, error) {
	if c.isSet("ignore_configured_endpoint_urls", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") {
		return "", nil
	}
	if url := cmp.Or(c.shared.Env(variable), c.shared.Env("AWS_ENDPOINT_URL")); url != "" {
		return url, nil
	}
	if name := c.profile["services"]; name != "" {
		services, ok := c.services[name]
		if !ok {
			return "", fmt.Errorf("remote: the AWS profile %q uses the services %q, but %s has no section [services %s]",
				c.name, name, c.file, name)
		}
		if url := services[service+".endpoint_url"]; url != "" {
			return url, nil
		}
	}
	return c.profile["endpoint_url"], nil
}

// readINI calls add for each setting of a file in the format of Python's module configparser, and
// with an empty key for each section.
func readINI(file string, add func(header, key, value string)) error {
	text, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("remote: reading the AWS configuration: %w", err)
	}
	header, parent := "", ""
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		content := strings.TrimSpace(line)
		if content == "" || content[0] == '#' || content[0] == ';' {
			continue
		}
		indented := line[0] == ' ' || line[0] == '\t'
		if content[0] == '[' && !indented {
			end := strings.LastIndexByte(content, ']')
			if end < 0 {
				return fmt.Errorf("remote: %s, line %d: the section does not end with \"]\"", file, n)
			}
			header, parent = strings.TrimSpace(content[1:end]), ""
			add(header, "", "")
			continue
		}
		i := strings.IndexAny(content, "=:")
		if header == "" || i <= 0 && !indented {
			return fmt.Errorf("remote: %s, line %d: want [section] or key = value", file, n)
		}
		if i <= 0 {
			continue // the rest of a value over several lines, none of which we need
		}
		key, value := strings.ToLower(strings.TrimSpace(content[:i])), strings.TrimSpace(content[i+1:])
		if indented && parent != "" {
			add(header, parent+"."+key, value)
			continue
		}
		parent = ""
		if value == "" {
			parent = key
		}
		add(header, key, value)
	}
	return nil
}

// readFile reads a configuration file.
func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(text), err
}
