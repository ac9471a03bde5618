package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
	Functions bool // see Set
}

// ReadSystem reads what a profile's manifest says about itself. name is its
// name where the manifest leaves it to the file's.
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
	s := &System{Profile: osp.Metadata.Name, Text: text, OS: osp.Spec.OSName, Utility: osp.Spec.ProvisioningUtility}
	if s.Profile == "" {
		s.Profile = name
	}
	if s.Utility == "" {
		s.Utility = "cloud-init"
	}
	for _, p := range osp.Spec.SupportedCloudProviders {
		s.Providers = append(s.Providers, p.Name)
	}
	if s.OS == "" || len(s.Providers) == 0 {
		return nil, fmt.Errorf("%s is no profile", name)
	}
	return s, nil
}

// MakeSystem builds eight sets for one profile: every provider of it in every
// one, under other flags, versions, networks, annotations and specs.
// asManifest puts the profile into the repository.
func MakeSystem(seed uint64, s *System, asManifest bool) []*Set {
	recipes := []struct {
		name      string
		namespace string
		args      func(m *maker) []string
		sa        bool
	}{
		{"external", "kube-system", argsExternal, false},
		{"defaults", "kube-system", argsNone, false},
		{"mirrors", "kube-system", argsMirrors, false},
		{"legacy-mirrors", "kube-system", argsLegacyMirrors, false},
		{"dockerconfig", "kube-system", argsDockerConfig, false},
		{"credentials", "osm-system", argsPlain, false},
		{"service-account", "kube-system", argsServiceAccount, true},
		{"bundles", "kubermatic", argsBundles, false},
	}
	var sets []*Set
	for i, r := range recipes {
		m := &maker{
			rnd:       rand.New(rand.NewPCG(seed, uint64(1000+i))),
			set:       &Set{Name: r.name, Functions: s.Functions, Files: map[string]string{}, Side: map[string]string{}},
			useTokens: !r.sa, profile: s.Profile, profileNS: r.namespace, system: s,
		}
		m.set.Args = append([]string{"-namespace=" + r.namespace}, r.args(m)...)
		m.common(i)
		m.set.Floats = i%4 == 3
		for j, p := range s.Providers {
			m.machineDeployment(i, j, p)
		}
		m.set.Files["machines/machinedeployments.yaml"] = strings.Join(m.mds, "---\n")
		if asManifest {
			m.set.Files["profiles/"+s.Profile+".yaml"] = inNamespace(named(s), r.namespace)
		}
		sets = append(sets, m.set)
	}
	return sets
}

// named is the manifest with the name that the controller would give it.
func named(s *System) string {
	if strings.Contains(s.Text, "\n  name: "+s.Profile+"\n") {
		return s.Text
	}
	return strings.Replace(s.Text, "metadata:\n", "metadata:\n  name: "+s.Profile+"\n", 1)
}

// apply makes a provider config one of this operating system, and returns the
// kubelet's version.
func (s *System) apply(m *maker, i, j int, config map[string]any) string {
	config["operatingSystem"] = s.OS
	delete(config, "operatingSystemSpec")
	if spec := s.spec(m, i+j); spec != nil {
		config["operatingSystemSpec"] = spec
	}
	if s.OS == "flatcar" {
		flatcarNetwork(i+j, config)
	}
	// releases alone need no legacy cloud-config without an external cloud provider
	external := slices.ContainsFunc(m.set.Args, func(a string) bool { return strings.HasPrefix(a, "-external-cloud-provider") })
	if external {
		return kubeletVersion(i, j)
	}
	return versions[(i*3+j)%len(versions)]
}

// spec is the n-th form of operatingSystemSpec; nil: absent.
func (s *System) spec(m *maker, n int) map[string]any {
	switch s.OS {
	case "flatcar":
		spec := map[string]any{
			"disableAutoUpdate": n%2 == 0, "disableLocksmithD": n%3 == 0, "disableUpdateEngine": n%4 == 1,
			"unknownToAll": "x",
		}
		if s.Utility == "cloud-init" || n%5 == 2 {
			spec["provisioningUtility"] = s.Utility
		} else if n%5 == 3 {
			return nil
		}
		if n%4 == 3 {
			spec["distUpgradeOnBoot"] = true
		}
		return spec
	case "rhel":
		return rhelSpec(m, n)
	}
	switch n % 4 {
	case 0:
		return map[string]any{"distUpgradeOnBoot": true, "attachSubscription": "not this system's"}
	case 1:
		return map[string]any{"distUpgradeOnBoot": false}
	case 2:
		return map[string]any{}
	}
	return nil
}

func rhelSpec(m *maker, n int) map[string]any {
	switch n % 6 {
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

// flatcarNetwork: addresses of one's own are for Flatcar alone.
func flatcarNetwork(n int, config map[string]any) {
	network, _ := config["network"].(map[string]any)
	if network == nil {
		network = map[string]any{}
	}
	switch n % 4 {
	case 0:
		network["cidr"] = "192.168.81.4/24"
		network["gateway"] = "192.168.81.1"
		network["dns"] = map[string]any{"servers": []string{"8.8.8.8", "fd00::53"}}
	case 1:
		network["dns"] = map[string]any{"servers": []string{"10.0.0.53"}}
	case 2:
		network["cidr"] = "fd00:1::4/64"
		network["gateway"] = ""
		network["dns"] = nil
	default:
		return
	}
	config["network"] = network
}
