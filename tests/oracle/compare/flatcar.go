package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	ignition "github.com/coreos/ignition/v2/config"
	shared "github.com/coreos/ignition/v2/config/shared/errors"
	vcontext "github.com/coreos/vcontext/report"
	"github.com/flatcar-linux/ign-converter/translate/v24tov31"
	"github.com/flatcar-linux/ign-converter/util"
	"github.com/flatcar-linux/ignition/config/v2_4"
	"github.com/flatcar-linux/ignition/config/v2_4/types"
)

// Passes is what a machine boots with although Flatcar has a remark on it.
type Passes struct {
	// A unit stands there twice: the translator of this version refuses it,
	// that of 3227.2.3 and later makes one unit of both, and so goes on here.
	UnitTwice bool
	// Permissions have bits that Ignition does not set.
	ModeBits bool
}

// Flatcar does with a configuration of version 2.x what Flatcar does with it
// on a machine's first boot: its translator, of the version that Flatcar built
// in with 3227.2.0, makes version 3.1 of it, and Ignition of today reads that.
// nil: neither has a remark but Passes.
func Flatcar(text []byte) (passes Passes, err error) {
	config, said, err := v2_4.Parse(text)
	if err != nil {
		return passes, fmt.Errorf("%w: %s", err, said.String())
	}
	newer, err := v24tov31.Translate(config, map[string]string{})
	var twice util.DuplicateUnitError
	if errors.As(err, &twice) {
		passes.UnitTwice = true
		for i := range config.Systemd.Units {
			if err := eachOnce(config.Systemd.Units[i]); err != nil {
				return passes, err
			}
		}
		config.Systemd.Units = unite(config.Systemd.Units)
		newer, err = v24tov31.Translate(config, map[string]string{})
	}
	if err != nil {
		return passes, fmt.Errorf("translator: %w", err)
	}
	translated, err := json.Marshal(newer)
	if err != nil {
		return passes, err
	}
	_, report, err := ignition.Parse(translated)
	if err != nil {
		return passes, fmt.Errorf("Ignition: %w: %s", err, report.String())
	}
	for _, entry := range report.Entries {
		switch {
		case entry.Kind == vcontext.Warn && entry.Message == shared.ErrModeSpecialBits.Error():
			passes.ModeBits = true
		case entry.Kind == vcontext.Warn && slices.ContainsFunc(config.Systemd.Units, func(u types.Unit) bool {
			// the reader of version 2 has the same warning, but not on a unit of comments and headers alone
			return entry.Message == shared.NewNoInstallSectionError(u.Name).Error()
		}):
		default:
			return passes, fmt.Errorf("Ignition: %s", entry.String())
		}
	}
	return passes, nil
}

// unite makes one unit of those of one name, as Flatcar does since 3227.2.3:
// what the later one says counts, and drop-ins of both.
func unite(units []types.Unit) (out []types.Unit) {
	for _, unit := range units {
		i := slices.IndexFunc(out, func(u types.Unit) bool { return u.Name == unit.Name })
		if i < 0 {
			unit.Dropins = slices.Clone(unit.Dropins)
			out = append(out, unit)
			continue
		}
		if unit.Contents != "" {
			out[i].Contents = unit.Contents
		}
		if unit.Enabled != nil {
			out[i].Enabled = unit.Enabled
		}
		out[i].Mask = out[i].Mask || unit.Mask
		for _, dropin := range unit.Dropins {
			out[i].Dropins = slices.DeleteFunc(out[i].Dropins, func(d types.SystemdDropin) bool { return d.Name == dropin.Name })
			out[i].Dropins = append(out[i].Dropins, dropin)
		}
	}
	return out
}

// BelowFile: an entry stands below another that is a file. No reader minds
// it, and Ignition fails when it writes them (ignition-apply of v2.26.0: "not a
// directory").
func BelowFile(text []byte) (bool, error) {
	config, said, err := v2_4.Parse(text)
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, said.String())
	}
	files := map[string]bool{}
	var all []string
	for _, file := range config.Storage.Files {
		files[path.Clean(file.Path)] = true
		all = append(all, path.Clean(file.Path))
	}
	for _, unit := range config.Systemd.Units {
		at := path.Join("/etc/systemd/system", unit.Name)
		if unit.Contents != "" {
			all = append(all, at)
		}
		for _, dropin := range unit.Dropins {
			if dropin.Contents != "" {
				all = append(all, path.Join(at+".d", dropin.Name))
			}
		}
	}
	return slices.ContainsFunc(all, func(at string) bool {
		for at != "/" {
			at = path.Dir(at)
			if files[at] {
				return true
			}
		}
		return false
	}), nil
}

// eachOnce: the translator's own words for a drop-in that a unit has twice.
func eachOnce(unit types.Unit) error {
	one := types.Config{Ignition: types.Ignition{Version: "2.4.0"}, Systemd: types.Systemd{Units: []types.Unit{unit}}}
	return v24tov31.Check2_4(one, map[string]string{})
}
