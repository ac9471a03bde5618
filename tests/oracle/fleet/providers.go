package fleet

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// The machine description of a provider. Those with a legacy cloud-config are
// whole, so that the controller can make one of them; credentials stand in
// every place where a provider has them.
func (m *maker) providerSpec(provider string) any {
	switch provider {
	case "aws":
		return m.odd(map[string]any{
			"availabilityZone": m.text("eu-central-1b"), "vpcId": m.text("e-123f"), m.spelled("subnetId"): m.text("sub\"net\\1"),
			"accessKeyId": m.hidden("AKIA"), "secretAccessKey": m.hidden("s3"), "diskSize": 50, "tags": map[string]any{"owner": "a&b <c>"},
		})
	case "azure":
		return m.odd(m.azure())
	case "gce":
		return m.odd(m.gce())
	case "kubevirt":
		return m.odd(map[string]any{"auth": map[string]any{"kubeconfig": m.kubeconfig()}, "virtualMachine": map[string]any{"cpus": 2}})
	case "openstack":
		return m.odd(m.openstack())
	case "vsphere":
		return m.odd(m.vsphere())
	case "hetzner", "digitalocean":
		return m.odd(map[string]any{m.spelled("token"): m.hidden("t"), "location": "fsn1", "networks": []string{"net-1"}})
	case "nutanix", "vmware-cloud-director":
		return m.odd(map[string]any{"username": "u", m.spelled("password"): m.hidden("")})
	case "alibaba":
		return m.odd(map[string]any{"accessKeyID": m.hidden("LTAI"), m.spelled("accessKeySecret"): m.hidden("s"), "regionID": "eu-central-1"})
	case "baremetal":
		return map[string]any{"driver": "tinkerbell", "driverSpec": m.odd(map[string]any{"metal": nil, "nested": []any{1, true, "x\ny"}})}
	case "edge":
		return map[string]any{}
	}
	return m.odd(map[string]any{"region": "r-" + provider})
}

// odd adds what nobody reads and everybody carries.
func (m *maker) odd(spec map[string]any) map[string]any {
	for range m.IntN(3) {
		switch m.IntN(4) {
		case 0:
			spec["big"] = 123456789012
		case 1:
			spec["on"] = m.chance(2)
		case 2:
			spec["nothing"] = nil
		case 3:
			if m.set.Floats {
				spec["ratio"] = 0.25
			}
		}
	}
	return spec
}

// spelled: a key with other letters being capital ones is the same key.
func (m *maker) spelled(key string) string {
	if m.chance(3) {
		return pick(m, strings.ToUpper(key[:1])+key[1:], strings.ToUpper(key), strings.ToLower(key))
	}
	return key
}

// text is a value in one of the forms that it may have.
func (m *maker) text(value string) any {
	if m.chance(8) {
		return map[string]any{"secretKeyRef": m.inSecret(m.secret(value + "-"))}
	}
	return m.clear(value)
}

// clear is one that no Secret holds.
func (m *maker) clear(value string) any {
	switch m.IntN(8) {
	case 0:
		return map[string]any{"value": value}
	case 1:
		return map[string]any{"value": "ignored", "configMapKeyRef": m.inConfigMap(value)}
	case 2:
		return map[string]any{"value": value, "configMapKeyRef": map[string]any{"name": "no-namespace", "key": "k"}}
	}
	return value
}

// hidden is a credential in one of its forms.
func (m *maker) hidden(prefix string) any {
	return m.hide(m.secret(prefix + pick(m, "", "", "\"q\"\\ ", "gr\u00fc\u00df'")))
}

func (m *maker) hide(value string) any {
	switch m.IntN(5) {
	case 0:
		return map[string]any{"value": value}
	case 1, 2:
		return map[string]any{"secretKeyRef": m.inSecret(value)}
	}
	return value
}

func (m *maker) flag(value bool) any {
	switch m.IntN(4) {
	case 0:
		return map[string]any{"value": value}
	case 1:
		words := []string{"false", "F", "0", "False"}
		if value {
			words = []string{"true", "T", "1", "TRUE"}
		}
		return map[string]any{"configMapKeyRef": m.inConfigMap(pick(m, words...))}
	}
	return value
}

func (m *maker) inSecret(value string) map[string]any {
	name := m.object()
	m.addSecret("kube-system", name, "Opaque", nil, map[string]string{"key": value, "other": "x"}, m.chance(2))
	return map[string]any{"namespace": "kube-system", "name": name, "key": "key"}
}

func (m *maker) inConfigMap(value string) map[string]any {
	name := m.object()
	m.addConfigMap("kube-system", name, map[string]string{"key": value})
	return map[string]any{"namespace": "kube-system", "name": name, "key": "key", "kind": "ConfigMap"}
}

func (m *maker) object() string {
	m.objects++
	return fmt.Sprintf("cloud-%04d", m.objects)
}

func (m *maker) azure() map[string]any {
	out := map[string]any{
		"tenantID": m.text("tenant"), "subscriptionID": m.text("subscription"), "clientID": m.text("client"),
		m.spelled("clientSecret"): m.hidden("az"),
	}
	for _, key := range []string{
		"location", "resourceGroup", "vnetResourceGroup", "vnetName", "subnetName", "loadBalancerSku", "routeTableName",
		"availabilitySet", "securityGroupName",
	} {
		if !m.chance(4) {
			out[key] = m.text(pick(m, key+"-1", "<"+key+">", "a \"b\""))
		}
	}
	if m.chance(2) {
		out["assignAvailabilitySet"] = pick(m, any(true), false, nil)
	}
	return out
}

func (m *maker) gce() map[string]any {
	project := "project-" + m.letters(12)
	m.set.Derived = append(m.set.Derived, project)
	account, _ := json.Marshal(map[string]string{"type": "service_account", "project_id": project, "private_key": m.secret("-----BEGIN\n")})
	encoded := m.isSecret(base64.StdEncoding.EncodeToString(account))
	out := map[string]any{
		"serviceAccount": m.hide(encoded), "zone": m.text("europe-west3-a"), "network": m.text("net\"1"), "subnetwork": m.text("sub"),
		"multizone": m.flag(m.chance(2)), "regional": m.flag(m.chance(2)),
	}
	if m.chance(2) {
		out["tags"] = m.some([]string{"one", "t\"wo\\", "three", ""})
	}
	return out
}

// kubeconfig is a whole one, in the clear within an object, as base64 inline.
func (m *maker) kubeconfig() any {
	text := m.isSecret(pick(m,
		"apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user: {token: "+m.secret("kv")+"}\n",
		"one-line-"+m.secret(""),
		"# first\n\n"+m.secret("line-")+"\n\n",
	))
	encoded := m.isSecret(base64.StdEncoding.EncodeToString([]byte(text)))
	// in the cloud-config it is a value of YAML
	inside, _ := yaml.Marshal(map[string]any{"global": map[string]any{"kubeconfig": text}})
	m.set.Derived = append(m.set.Derived, strings.TrimPrefix(string(inside), "global:\n    kubeconfig: "))
	switch m.IntN(4) {
	case 0:
		return encoded
	case 1:
		return map[string]any{"value": encoded}
	case 2:
		return map[string]any{"secretKeyRef": m.inSecret(encoded)}
	}
	return map[string]any{"secretKeyRef": m.inSecret(text)}
}

func (m *maker) openstack() map[string]any {
	out := map[string]any{
		"identityEndpoint": m.text("https://keystone.example.com/v3"), "region": m.text("regionOne"), "domainName": m.text("de\"fault"),
		"image": "x", "flavor": "y",
	}
	if m.chance(2) {
		out["applicationCredentialID"] = m.text("app-id")
		out["applicationCredentialSecret"] = m.hidden("app")
	} else {
		out["username"] = m.text("user")
		out["password"] = m.hidden("os")
		if m.chance(2) {
			out["projectName"], out["projectID"] = m.text("project"), m.text("p-1")
		} else {
			out["tenantName"], out["tenantID"] = m.text("tenant"), m.text("t-1")
		}
	}
	if m.chance(2) {
		out["trustDevicePath"] = m.flag(m.chance(2))
	}
	if m.chance(2) {
		out["nodeVolumeAttachLimit"] = pick(m, any(25), 0, nil)
	}
	return out
}

func (m *maker) vsphere() map[string]any {
	out := map[string]any{
		"username": m.text("user@example.com"), "password": m.hidden("vs"), "datacenter": m.text("dc-1"), "cluster": m.text("cl-1"),
		"vsphereURL": m.clear(pick(m, "https://vcenter.example.com", "https://vcenter.example.com:8443/sdk", "vcenter.example.com:9443",
			"http://plain.example.com", "https://[fd00::7]:443", "10.0.0.7")),
		"templateVMName": m.text("template"), "allowInsecure": m.flag(m.chance(2)),
	}
	if m.chance(5) { // what is taken out of a secret is one
		host := m.secret("vcenter-")
		out["vsphereURL"] = map[string]any{"secretKeyRef": m.inSecret(m.isSecret("https://" + host + ":18443/sdk"))}
		m.set.Derived = append(m.set.Derived, host+`"]`, `"18443"`)
	}
	if m.chance(2) {
		out["folder"] = m.text("/dc-1/vm/folder")
	}
	if m.chance(2) {
		out["datastore"] = m.text("ds")
	} else {
		out["datastoreCluster"] = m.text("ds-cluster")
	}
	return out
}
