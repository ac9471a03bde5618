package fleet

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// System is one profile with the operating system and the providers it is for.
type System struct {
	Profile   string // its name
	Text      string // the manifest
	OS        string
	Utility   string
	Providers []string
	// Builtin: osm-gen has it inside.
	Builtin bool
	// Functions: the profile passes secrets through template functions, so
	// that a text which holds one is secret as a whole.
	Functions bool
}

// ReadSystem reads what a profile's manifest says about itself. name is the
// one that the profile shall have here.
func ReadSystem(name, text string) (*System, error) {
	var osp struct {
		Metadata struct{ Name string }
		Spec     struct {
			OSName, ProvisioningUtility string
			SupportedCloudProviders     []struct{ Name string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &osp); err != nil {
		return nil, err
	}
	s := &System{Profile: name, OS: osp.Spec.OSName, Utility: osp.Spec.ProvisioningUtility}
	if s.Utility == "" {
		s.Utility = "cloud-init"
	}
	for _, p := range osp.Spec.SupportedCloudProviders {
		s.Providers = append(s.Providers, p.Name)
	}
	if s.OS == "" || len(s.Providers) == 0 || !strings.Contains(text, "\nmetadata:\n") {
		return nil, fmt.Errorf("%s is no profile", name)
	}
	s.Text = withMeta(text, "name", name)
	return s, nil
}

// withMeta gives a manifest's metadata another value of a key.
func withMeta(manifest, key, value string) string {
	lines := strings.Split(manifest, "\n")
	out := make([]string, 0, len(lines)+1)
	inMeta := false
	for _, l := range lines {
		if inMeta && strings.HasPrefix(l, "  "+key+":") {
			continue
		}
		if l == "metadata:" {
			inMeta = true
			out = append(out, l, "  "+key+": "+value)
			continue
		}
		if inMeta && l != "" && !strings.HasPrefix(l, " ") {
			inMeta = false
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// spec is some operatingSystemSpec; nil: absent.
func (s *System) spec(m *maker) map[string]any {
	switch s.OS {
	case "flatcar":
		return s.flatcarSpec(m)
	case "rhel":
		return rhelSpec(m, m.IntN(6))
	}
	switch m.IntN(4) {
	case 0:
		return map[string]any{"distUpgradeOnBoot": true, "attachSubscription": "not this system's"}
	case 1:
		return map[string]any{"distUpgradeOnBoot": false}
	case 2:
		return map[string]any{}
	}
	return nil
}

func (s *System) flatcarSpec(m *maker) map[string]any {
	if s.Utility == "ignition" && m.chance(5) {
		return nil
	}
	spec := map[string]any{"unknownToAll": "x"}
	for _, key := range []string{"disableAutoUpdate", "disableLocksmithD", "disableUpdateEngine"} {
		if !m.chance(3) {
			spec[key] = m.chance(2)
		}
	}
	if s.Utility == "cloud-init" || m.chance(3) {
		spec["provisioningUtility"] = s.Utility
	}
	if m.chance(3) {
		spec["distUpgradeOnBoot"] = m.chance(2)
	}
	return spec
}

func rhelSpec(m *maker, n int) map[string]any {
	switch n {
	case 0:
		return map[string]any{
			"rhelSubscriptionManagerUser": "robot", "rhelSubscriptionManagerPassword": m.secret("p#: "),
			"attachSubscription": true, "rhsmOfflineToken": m.secret("off-"), "distUpgradeOnBoot": true,
		}
	case 1:
		return map[string]any{
			"rhelUseSatelliteServer": true, "rhelSatelliteServer": "satellite.example.com",
			"rhelOrganizationName": "Org & <Co>", "rhelActivationKey": m.secret("key-"),
			"rhelSubscriptionManagerPassword": m.secret("unused-"),
		}
	case 2:
		return map[string]any{"attachSubscription": false, "rhelSubscriptionManagerUser": ""}
	case 3:
		return map[string]any{"rhelUseSatelliteServer": true}
	case 4:
		return map[string]any{"RHELSubscriptionManagerPassword": m.secret("folded-"), "rhelActivationKey": nil}
	}
	return nil
}
