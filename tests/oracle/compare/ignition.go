package compare

import (
	"encoding/json"
	"fmt"

	"github.com/flatcar/ignition/config/v2_4"
	"github.com/flatcar/ignition/config/validate/report"
)

// Ignition lets the reader of Ignition 2 read a configuration, the newest one
// as machines run it: it has the reader of version 2.3.0 read it first. nil:
// it has no remark.
func Ignition(text []byte) error {
	_, said, err := v2_4.Parse(text)
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
	var config struct{ Ignition struct{ Version string } }
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	if v := config.Ignition.Version; v != "2.3.0" {
		return fmt.Errorf("a configuration of version %q", v)
	}
	return nil
}
