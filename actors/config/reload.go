package config

import (
	"errors"
	"fmt"
)

// Reload reads again what lies in files and may have changed there while the
// server runs: certificates, the users of an aclfile, and of the file of
// settings the log level. What can't be taken stays as it was. It reads files:
// not on an event loop.
func (c *Config) Reload() error {
	return errors.Join(c.reloadTLS(), c.reloadUsers(), c.reloadLevel())
}

func (c *Config) reloadTLS() error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if err := secure(c, c.system); err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	return nil
}

func (c *Config) reloadUsers() error {
	if c.Text("aclfile") == "" {
		return nil
	}
	if err := c.system.Server.ReloadUsers(); err != nil {
		return fmt.Errorf("users: %w", err)
	}
	return nil
}

func (c *Config) reloadLevel() error {
	if c.file == "" {
		return nil
	}
	level := must("loglevel")
	value := ""
	l := &loader{config: newConfig(), seen: map[*Setting]bool{}}
	l.assigned = func(row *Setting, _ string, _ int) {
		if row == level {
			value = l.config.value(row)
		}
	}
	if err := l.open(c.file); err != nil {
		return fmt.Errorf("loglevel: %w", err)
	}
	if value == "" {
		return nil
	}
	return c.Set([]Change{{level.Name, value}}, true)
}
