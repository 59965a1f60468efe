package model

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Config says how a provider is reached. Nothing in it is read from the
// environment here.
type Config struct {
	// BaseURL is the address of the API; "" is the provider's own.
	BaseURL string
	// Key is the API key. A server on this machine may need none.
	Key string
	// Model is the model's name.
	Model string
	// MaxTokens limits a reply, in tokens; 0 is the provider's default.
	MaxTokens int64
}

// Check looks at a configuration before it is used and returns it with the
// provider's own address where none is given. A server on this
// machine does without a key, and a key goes over an unencrypted connection to
// this machine only.
func (c Config) Check(provider, home string) (Config, error) {
	if c.BaseURL == "" {
		c.BaseURL = home
	}
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil:
		// The error of url.Parse would repeat the address with what is in it.
		return c, fmt.Errorf("%s: the base URL cannot be read; it should look like %s", provider, home)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return c, fmt.Errorf("%s: the base URL must begin with http:// or https:// and name a host, such as %s", provider, home)
	case u.User != nil:
		return c, fmt.Errorf("%s: the base URL must not hold a user or password; give the key apart", provider)
	}
	local := isLocal(u.Hostname())
	if c.Key == "" && !local {
		return c, fmt.Errorf("%s: no API key for %s; give one, or use the scripted model, which needs none", provider, u.Host)
	}
	if c.Key != "" && u.Scheme == "http" && !local {
		return c, fmt.Errorf("%s: the key would go unencrypted to %s; use https://", provider, u.Host)
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return c, errors.New(provider + ": the API key holds blanks or characters that no key has; copy it again")
	}
	if c.Model == "" {
		return c, errors.New(provider + ": no model named; say which one to use")
	}
	if c.MaxTokens < 0 {
		return c, fmt.Errorf("%s: the limit of a reply is %d tokens; it must not be negative", provider, c.MaxTokens)
	}
	return c, nil
}

// Where is the provider and its address, for errors.
func (c Config) Where(provider string) string {
	if u, err := url.Parse(c.BaseURL); err == nil && u.Host != "" {
		return fmt.Sprintf("%s (%s)", provider, u.Host)
	}
	return provider
}

// isLocal says whether host is this machine.
func isLocal(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
