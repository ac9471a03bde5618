package compare

import (
	"fmt"

	"github.com/flatcar/ignition/config/v2_3"
	"github.com/flatcar/ignition/config/v2_4"
	"github.com/flatcar/ignition/config/validate/report"
)

// Ignition lets the readers of Ignition 2 read a configuration: that of its
// own version, and the newest one, which machines run. nil: neither of them
// has any remark.
func Ignition(text []byte) error {
	config, said, err := v2_3.Parse(text)
	if err := remarks(said, err); err != nil {
		return err
	}
	if v := config.Ignition.Version; v != "2.3.0" {
		return fmt.Errorf("a configuration of version %q", v)
	}
	later, said, err := v2_4.Parse(text)
	if err := remarks(said, err); err != nil {
		return fmt.Errorf("the newest reader: %w", err)
	}
	if a, b := len(config.Storage.Files), len(later.Storage.Files); a != b {
		return fmt.Errorf("the readers see %d and %d files", a, b)
	}
	return nil
}

func remarks(said report.Report, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	for _, entry := range said.Entries {
		// the reader does not know its own member: the type of it is embedded
		if entry.Kind == report.EntryWarning && entry.Message == "Config has unrecognized key: tls" {
			continue
		}
		return fmt.Errorf("%s", entry.String())
	}
	return nil
}
