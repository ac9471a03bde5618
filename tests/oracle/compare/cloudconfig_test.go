package compare_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/fleet"
)

// setEnvironment is the controller's for one test.
func setEnvironment(t *testing.T, env map[string]string) {
	t.Helper()
	for _, name := range fleet.VariableNames() {
		t.Setenv(name, "") // to have it back afterwards
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
		if value, ok := env[name]; ok {
			if err := os.Setenv(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Where osm-gen is stricter than the controller: a value that is needed and
// comes from nowhere (OSG4030), and a reference that leads nowhere though a
// variable, which is not there, would take its place (OSG2103, OSG2105; a
// truth value that is none, OSG4017). The controller renders an empty text.
func isStricter(set *fleet.Set, refusals []string) bool {
	return !slices.ContainsFunc(refusals, func(refusal string) bool {
		code, message, _ := strings.Cut(refusal, " ")
		switch code {
		case "OSG4030", "OSG2103", "OSG2105":
			return false
		case "OSG4017":
			_, spoken := set.Env["VSPHERE_ALLOW_INSECURE"]
			return spoken || !strings.Contains(message, "allowInsecure")
		}
		return true
	})
}

func cloudConfigs(t *testing.T, set *fleet.Set) {
	setEnvironment(t, set.Env)
	want, wrong := renderEach(t, set)
	t.Logf("the controller renders %d and refuses %d", len(want), len(wrong))
	if len(wrong) < len(set.MDs)/20 || len(want) < len(set.MDs)/4 {
		t.Fatal("not a mixture worth comparing")
	}
	refused := refusals(t, set)
	all := len(set.Env) == len(fleet.Variables)
	gone, stricter := map[fleet.MD]bool{}, 0
	machines := documents(set, "machines.yaml")
	for i, md := range set.MDs {
		message, isWrong := wrong[md]
		codes, isRefused := refused[md.Namespace+"/"+md.Name]
		gone[md] = isWrong || isRefused
		// machine-controller's webhook, which nobody asks here, refuses some (tests/oracle/machines).
		ours := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { return strings.HasPrefix(code, "OSG4050 ") })
		switch {
		case isWrong && !isRefused:
			t.Errorf("%s: osm-gen renders what the controller refuses: %s\n%s", md.Name, message, machines[i])
		case !isWrong && len(ours) > 0 && (all || !isStricter(set, ours)):
			t.Errorf("%s: osm-gen refuses what the controller renders: %s\n%s", md.Name, codes, machines[i])
		case !isWrong && len(ours) > 0:
			stricter++
		}
	}
	t.Logf("osm-gen refuses %d more for want of a value", stricter)
	if t.Failed() {
		return
	}
	good := set.Without(gone)
	run := generate(t, good, "")
	if run == nil {
		return
	}
	hidden := slices.Concat(set.Secrets, set.Derived, []string{"true", "false"})
	for _, md := range good.MDs {
		t.Run(md.Name, func(t *testing.T) {
			compareSecrets(t, run, want[md])
			compareOSC(t, run, want[md], compare.Redacted(hidden, false))
		})
	}
	noLeak(t, run, set.Secrets)
}

// TestCloudConfigs: every cloud with a legacy cloud-config, whatever its
// specification may hold, in three environments.
func TestCloudConfigs(t *testing.T) {
	for _, c := range []struct {
		name      string
		of, empty int
	}{
		{"every variable", 1, 0},
		{"some variables", 2, 4},
		{"every variable empty", 1, 1},
		{"no variable", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{}
			if c.of > 0 {
				env = fleet.Environment(*seed, c.of, c.empty)
			}
			cloudConfigs(t, fleet.Clouds(*seed+uint64(c.of), "clouds", 240, env))
		})
	}
}

// TestCloudConfigWords: what the controller says, osm-gen says too, as far as
// no secret is quoted.
func TestCloudConfigWords(t *testing.T) {
	const parse = "failed to fetch cloud-config: failed to parse config: "
	text := func(s string) any { return s }
	ref := func(key string) any {
		return map[string]any{"configMapKeyRef": map[string]any{"namespace": "clouds", "name": "texts", "key": key}}
	}
	account := func(s string) any { return map[string]any{"serviceAccount": s} }
	kubeconfig := func(v any) any { return map[string]any{"auth": map[string]any{"kubeconfig": v}} }
	vsphere := func(url any) any {
		return map[string]any{"username": "u", "password": "a-password", "vsphereURL": url}
	}
	cases := []struct {
		provider string
		spec     any
		words    string
	}{
		{"aws", nil, parse + "CloudProviderSpec in the MachineDeployment cannot be empty"},
		{"azure", nil, parse + "CloudProviderSpec in the MachineDeployment cannot be empty"},
		{"gce", nil, parse + "CloudProviderSpec in the MachineDeployment cannot be empty"},
		{"kubevirt", nil, parse + "CloudProviderSpec in the MachineDeployment cannot be empty"},
		{"openstack", nil, parse + "CloudProviderSpec in the MachineDeployment cannot be empty"},
		{"vsphere", nil, parse + "CloudProviderSpec in the MachineDeployment cannot be empty"},
		{"aws", []any{}, parse + "failed to unmarshal CloudProviderSpec: "},
		{"vsphere", "text", parse + "failed to unmarshal CloudProviderSpec: "},
		{"kubevirt", map[string]any{"auth": 1}, parse + "failed to unmarshal CloudProviderSpec: "},
		{"fake", map[string]any{}, "failed to fetch cloud-config: unknown cloud provider"},
		{"external", nil, "failed to fetch cloud-config: unknown cloud provider"},
		{"kubevirt", kubeconfig("apiVersion: v1"), parse + "failed to decode base64 encoded kubeconfig. Expected value is a base64 encoded Kubeconfig in JSON or YAML format: illegal base64 data at input byte 10"},
		{"kubevirt", kubeconfig(map[string]any{"value": "AAA"}), parse + "failed to decode base64 encoded kubeconfig. Expected value is a base64 encoded Kubeconfig in JSON or YAML format: illegal base64 data at input byte "},
		{"gce", account("AAA*"), parse + "failed to decode base64 service account: illegal base64 data at input byte 3"},
		{"gce", account("eyI="), parse + "failed unmarshalling service account: unexpected end of JSON input"},
		{"gce", account("e30g//8="), parse + "failed unmarshalling service account: "}, // quotes the text
		{"gce", account("W10="), parse + "failed unmarshalling service account: json: cannot unmarshal array into Go value of type map[string]string"},
		{"gce", account("dHJ1ZQ=="), parse + "failed unmarshalling service account: json: cannot unmarshal bool into Go value of type map[string]string"},
		{"gce", account("MQ=="), parse + "failed unmarshalling service account: json: cannot unmarshal number into Go value of type map[string]string"},
		{"gce", account("eyJhIjpbXX0="), parse + "failed unmarshalling service account: json: cannot unmarshal array into Go value of type string"},
		{"gce", map[string]any{"serviceAccount": "e30=", "regional": ref("maybe")}, "strconv.ParseBool: parsing \"maybe\": invalid syntax"},
		{"vsphere", vsphere(text("a b")), parse + "failed to parse 'https://a b' as url: parse \"https://a b\": invalid character \" \" in host name"},
		{"vsphere", vsphere(text("h:port")), parse + "failed to parse 'https://h:port' as url: parse \"https://h:port\": invalid port \":port\" after host"},
		{"vsphere", vsphere(text("https://[::1")), parse + "failed to parse 'https://[::1' as url: parse \"https://[::1\": missing ']' in host"},
	}
	var all []fleet.Cloud
	for _, c := range cases {
		all = append(all, fleet.Cloud{Provider: c.provider, Spec: c.spec, Kubelet: "1.28.0"})
	}
	set := fleet.TheseClouds("words", all)
	setEnvironment(t, nil)
	_, wrong := renderEach(t, set)
	refused := refusals(t, set)
	for i, md := range set.MDs {
		words := cases[i].words
		if !strings.Contains(wrong[md], words) {
			t.Errorf("%d: the controller says %q, not %q", i, wrong[md], words)
		}
		// The webhook refuses some of them, too (OSG4050), which stands beside it.
		got := refused[md.Namespace+"/"+md.Name]
		if !slices.ContainsFunc(got, func(one string) bool { return strings.Contains(one, words) }) {
			t.Errorf("%d: osm-gen says %q, want %q", i, got, words)
		}
	}
}
