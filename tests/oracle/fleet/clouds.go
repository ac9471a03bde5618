package fleet

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	yamlv3 "gopkg.in/yaml.v3"
)

// Variables are the environment variables that the controller takes values of
// cloud-configs from, with what each of them may hold: {n} is a number that
// makes it unlike others.
var Variables = map[string]string{
	"AZURE_TENANT_ID":                  "env-tenant-{n}",
	"AZURE_SUBSCRIPTION_ID":            "env-subscription-{n}",
	"AZURE_CLIENT_ID":                  "env-client-{n}",
	"AZURE_CLIENT_SECRET":              "env <\"secret\"> \\ {n}",
	"GOOGLE_SERVICE_ACCOUNT":           "", // see Environment
	"KUBEVIRT_KUBECONFIG":              "apiVersion: v1\nusers:\n- token: env-{n}\n",
	"OS_APPLICATION_CREDENTIAL_ID":     "env-app-{n}",
	"OS_APPLICATION_CREDENTIAL_SECRET": "env-app-secret-{n}",
	"OS_AUTH_URL":                      "https://keystone-{n}.example.com/v3",
	"OS_DOMAIN_NAME":                   "env-domain-{n}",
	"OS_PASSWORD":                      "env-os-password-{n}",
	"OS_PROJECT_ID":                    "env-project-id-{n}",
	"OS_PROJECT_NAME":                  "env-project-{n}",
	"OS_REGION_NAME":                   "env-region-{n}",
	"OS_TENANT_ID":                     "env-os-tenant-id-{n}",
	"OS_TENANT_NAME":                   "env-os-tenant-{n}",
	"OS_USER_NAME":                     "env-os-user-{n}",
	"POD_NAMESPACE":                    "cluster-{n}",
	"VSPHERE_ADDRESS":                  "https://vcenter-{n}.example.com:8443",
	"VSPHERE_ALLOW_INSECURE":           "T",
	"VSPHERE_PASSWORD":                 "env-vs-password-{n}",
	"VSPHERE_USERNAME":                 "env-vs-user-{n}",
}

// VariableNames are theirs, sorted.
func VariableNames() []string { return slices.Sorted(maps.Keys(Variables)) }

// Environment gives some of the variables a value: all of one in `of`. One in
// `empty` of those is empty; 0: none.
func Environment(seed uint64, of, empty int) map[string]string {
	m := newMaker(seed, 79, "environment", "")
	env := map[string]string{}
	for _, name := range VariableNames() {
		if m.chance(of) {
			env[name] = strings.ReplaceAll(Variables[name], "{n}", m.letters(12))
			if name == "GOOGLE_SERVICE_ACCOUNT" {
				env[name] = base64.StdEncoding.EncodeToString([]byte(`{"project_id":"` + m.letters(16) + `"}`))
			}
			if empty > 0 && m.chance(empty) {
				env[name] = ""
			}
		}
	}
	return env
}

// AllowEnv are the options that let osm-gen read the set's environment; half
// of the names in one option, the others in one each.
func (s *Set) AllowEnv() []string {
	var out []string
	names := slices.Sorted(maps.Keys(s.Env))
	half := len(names) / 2
	if half > 0 {
		out = append(out, "--allow-env="+strings.Join(names[:half], ","))
	}
	for _, name := range names[half:] {
		out = append(out, "--allow-env", name)
	}
	return out
}

// Environ is the environment in the form that programs are started with.
func (s *Set) Environ() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		out = append(out, name+"="+s.Env[name])
	}
	return out
}

// Clouds builds one set of MachineDeployments with legacy cloud-configs: first
// those of Known, then n of whatever a cloudProviderSpec may hold, with values
// in place, from Secrets, ConfigMaps and the environment, and mistakes.
func Clouds(seed uint64, name string, n int, env map[string]string) *Set {
	c := newClouds(seed, name, env)
	for _, known := range Known {
		c.add(known)
	}
	for i := range n {
		c.odd = []int{6, 20, 1000}[c.IntN(3)]
		provider := cloudConfigs[i%len(cloudConfigs)]
		c.add(Cloud{provider, c.spec(provider), c.pick(oldVersions)})
	}
	return c.finish()
}

// TheseClouds builds a set of these specifications.
func TheseClouds(name string, all []Cloud) *Set {
	c := newClouds(0, name, nil)
	for _, cloud := range all {
		c.add(cloud)
	}
	return c.finish()
}

func newClouds(seed uint64, name string, env map[string]string) *clouds {
	m := newMaker(seed, 78, name, "kube-system")
	m.common(0)
	m.set.Args = append(m.set.Args, argsServiceAccount(m)...)
	m.set.Env = env
	m.hideEnvironment()
	m.hideKubeconfig("redacted")
	m.set.Derived = append(m.set.Derived, "client-secret", "project-id", "eyJwcm9qZWN0X2lkIjoicHJvamVjdC1pZCJ9", "cmVkYWN0ZWQ=", "password",
		"bnVsbA==", "eyJhIjpudWxsfQ==") // null, and an account without a project
	m.addConfigMap("clouds", "texts", map[string]string{
		"plain": "from a config map", "odd": "\"q\" \\ <&> gr\u00fc\u00dfe\nline", "empty": "", "credential": "redacted", "yes": "TRUE", "no": "0", "maybe": "maybe",
		"url": "https://config-map.example.com:9443/sdk",
	})
	return &clouds{maker: m, random: &random{Rand: m.Rand, maker: m}}
}

func (c *clouds) finish() *Set {
	c.maker.set.Files["machines.yaml"] = strings.Join(c.maker.mds, "---\n")
	c.maker.set.Files["profiles.yaml"] = strings.Join(c.profiles, "---\n")
	return c.maker.set
}

// hideEnvironment: what comes from there is secret, but for two of them.
func (m *maker) hideEnvironment() {
	for _, name := range slices.Sorted(maps.Keys(m.set.Env)) {
		text := m.set.Env[name]
		if name == "POD_NAMESPACE" || name == "VSPHERE_ALLOW_INSECURE" || text == "" {
			continue
		}
		m.isSecret(text)
		switch name {
		case "GOOGLE_SERVICE_ACCOUNT":
			m.hideProject(text)
		case "KUBEVIRT_KUBECONFIG":
			m.hideKubeconfig(text)
		case "VSPHERE_ADDRESS":
			m.set.Derived = append(m.set.Derived, strings.TrimSuffix(strings.TrimPrefix(text, "https://"), ":8443"), "8443")
		}
	}
}

// hideProject: a service account's project is as secret as the account.
func (m *maker) hideProject(encoded string) {
	var account struct {
		ProjectID string `json:"project_id"`
	}
	text, _ := base64.StdEncoding.DecodeString(encoded)
	if json.Unmarshal(text, &account) == nil {
		m.set.Derived = append(m.set.Derived, account.ProjectID, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(account.ProjectID))
	}
}

// hideKubeconfig: as YAML writes it.
func (m *maker) hideKubeconfig(text string) {
	written, err := yamlv3.Marshal(map[string]any{"g": map[string]string{"kubeconfig": text}})
	if err != nil {
		panic(err)
	}
	_, value, _ := strings.Cut(string(written), "kubeconfig: ")
	m.set.Derived = append(m.set.Derived, text, value)
}

// Cloud is one specification.
type Cloud struct {
	Provider string
	Spec     any // nil: absent
	Kubelet  string
}

// Known are the values that the controller's own tests of cloud-configs have,
// as far as a specification leads to them.
var Known = []Cloud{
	{"aws", map[string]any{"availabilityZone": "zone", "vpcId": "vpc-id", "subnetId": "subnet-id"}, "1.28.0"},
	{"azure", map[string]any{
		"tenantID": "t", "subscriptionID": "s", "clientID": "c", "clientSecret": map[string]any{"value": "client-secret"},
		"resourceGroup": "rg-name", "location": "unknown", "vnetName": "vnet-name", "subnetName": "subnet-name",
		"routeTableName": "route-table-name", "securityGroupName": "sg-name", "vnetResourceGroup": "vnet-rg-name", "loadBalancerSku": "sku",
	}, "1.28.0"},
	{"gce", map[string]any{
		"serviceAccount": base64.StdEncoding.EncodeToString([]byte(`{"project_id":"project-id"}`)), "zone": "zone", "network": "network",
		"subnetwork": "subnetwork", "multizone": true, "regional": true, "tags": []string{"tag1", "tag2"},
	}, "1.30.0-rc.0"},
	{"kubevirt", map[string]any{"auth": map[string]any{"kubeconfig": base64.StdEncoding.EncodeToString([]byte("redacted"))}}, "1.28.0"},
	{"openstack", map[string]any{
		"identityEndpoint": "https://test", "username": "username", "password": "password", "applicationCredentialID": "application",
		"applicationCredentialSecret": map[string]any{"configMapKeyRef": map[string]any{"namespace": "clouds", "name": "texts", "key": "credential"}}, "projectName": "test-project", "projectID": "test-id", "domainName": "domain",
		"region": "unknown", "trustDevicePath": true,
	}, "v0.0.1"},
	{"vsphere", map[string]any{
		"username": "username", "password": "password", "vsphereURL": "https://hostname:9090", "allowInsecure": true, "cluster": "test",
		"datacenter": "datacenter", "datastore": "datastore", "folder": "workingDir",
	}, "1.30.0-rc.0"},
	{"gce", nil, "1.28.0"},
	{"fake", map[string]any{}, "1.28.0"},
	{"external", nil, "1.36.0-alpha.1"},
	{"hetzner", nil, "1.28.0"},
	{"aws", []any{"no map"}, "1.28.0"},
}

type clouds struct {
	*random
	maker    *maker
	profiles []string
}

func (c *clouds) add(cloud Cloud) {
	m := c.maker
	name := fmt.Sprintf("c%04d", len(m.mds))
	config := map[string]any{"cloudProvider": cloud.Provider, "operatingSystem": "ubuntu", "operatingSystemSpec": map[string]any{}}
	if cloud.Spec != nil {
		config["cloudProviderSpec"] = cloud.Spec
	}
	m.mds = append(m.mds, toYAML(map[string]any{
		"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
		"metadata": map[string]any{"name": name, "namespace": "kube-system", "annotations": map[string]any{
			"k8c.io/operating-system-profile": "osp-" + name, "machinedeployment.clusters.k8s.io/revision": "1",
		}},
		"spec": map[string]any{"selector": map[string]any{"matchExpressions": []any{map[string]any{"key": "pool", "operator": "DoesNotExist"}}}, "template": map[string]any{"spec": map[string]any{
			"providerSpec": map[string]any{"value": config}, "versions": map[string]any{"kubelet": cloud.Kubelet},
		}}},
	}))
	m.set.MDs = append(m.set.MDs, MD{"kube-system", name})
	files := func(encoding string) map[string]any {
		inline := map[string]any{"data": "{{ .CloudConfig }}"}
		if encoding != "" {
			inline["encoding"] = encoding
		}
		return map[string]any{"files": []any{map[string]any{"path": "/etc/kubernetes/cloud-config", "content": map[string]any{"inline": inline}}}}
	}
	c.profiles = append(c.profiles, toYAML(map[string]any{
		"apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemProfile",
		"metadata": map[string]any{"name": "osp-" + name, "namespace": "kube-system"},
		"spec": map[string]any{
			"osName": "ubuntu", "osVersion": "1", "version": "v1.0.0", "provisioningUtility": "cloud-init",
			"supportedCloudProviders": []any{map[string]any{"name": cloud.Provider}},
			"bootstrapConfig":         files(""), "provisioningConfig": files("b64"),
		},
	}))
}

// strange is true now and then.
func (c *clouds) strange() bool { return c.chance(c.odd) }

func (c *clouds) ref(kind, name, key string) map[string]any {
	ref := map[string]any{"namespace": "clouds", "name": name, "key": key}
	if c.strange() {
		switch c.IntN(5) {
		case 0:
			ref["name"] = "gone"
		case 1:
			ref["key"] = "gone"
		case 2:
			delete(ref, c.pick([]string{"namespace", "name", "key"}))
		case 3:
			ref["uid"] = 5
		case 4:
			ref["key"] = nil
		}
	}
	return map[string]any{kind: ref}
}

// text is a ConfigVarString around a value that is no secret; empty: any.
func (c *clouds) text(value string) any {
	if c.strange() {
		return c.pickAny(nil, 5, -1.5, true, []any{}, []any{1, nil}, []any{"x"}, map[string]any{"value": 5}, map[string]any{"secretKeyRef": "x"},
			map[string]any{"value": nil, "other": 1}, map[string]any{}, "")
	}
	switch c.IntN(8) {
	case 0:
		out := c.ref("configMapKeyRef", "texts", "plain")
		out["value"] = "not used"
		return out
	case 1:
		return c.secretText(c.maker.secret(c.pick([]string{"", "\"q\"", "\\", "<&>", "\u00fc"})), "")
	case 2:
		if value == "" {
			return c.ref("configMapKeyRef", "texts", c.pick([]string{"plain", "odd", "empty"}))
		}
	case 3:
		if value == "" {
			value = "a \"b\" \\ <c>\nd\te \u2028"
		}
	case 4:
		if value == "" {
			value = "plain"
		}
		return map[string]any{"Value": value, "secretKeyRef": nil, "configMapKeyRef": map[string]any{"name": "incomplete"}}
	}
	if value == "" {
		return c.pick([]string{"x", "some name", "'single'", "#no comment", "-", "{}", "null"})
	}
	return value
}

// secretText is a reference to a Secret that holds the text, or the text in
// place, if that is allowed: a name that means a credential.
func (c *clouds) secretText(value, inPlace string) any {
	if inPlace != "" && c.chance(2) {
		if c.chance(3) {
			return map[string]any{"value": value}
		}
		return value
	}
	name := fmt.Sprintf("cloud-%04d", len(c.maker.set.Files))
	c.maker.addSecret("clouds", name, "Opaque", nil, map[string]string{"text": value}, c.chance(2))
	return c.ref("secretKeyRef", name, "text")
}

// credential is a ConfigVarString around a secret.
func (c *clouds) credential() any {
	if c.strange() {
		return c.pickAny(nil, "", map[string]any{"value": 5}, map[string]any{})
	}
	return c.secretText(c.maker.secret(c.pick([]string{"", "pw \"q\" \\", "<&>"})), "in place")
}

func (c *clouds) flag() any {
	if c.strange() {
		return c.pickAny(nil, 1, "true", map[string]any{"value": "true"}, map[string]any{}, c.ref("configMapKeyRef", "texts", "maybe"))
	}
	switch c.IntN(4) {
	case 0:
		return map[string]any{"value": c.chance(2)}
	case 1:
		return c.ref("configMapKeyRef", "texts", c.pick([]string{"yes", "no"}))
	case 2:
		return c.secretText(c.pick([]string{"t", "False", "1"}), "")
	}
	return c.chance(2)
}

func (c *clouds) pickAny(from ...any) any { return from[c.IntN(len(from))] }

// set gives a field a value, or leaves it out.
func (c *clouds) set(spec map[string]any, name string, value any) {
	if c.chance(5) {
		return
	}
	if c.chance(10) {
		name = strings.ToUpper(name)
	}
	spec[name] = value
}

func (c *clouds) texts(spec map[string]any, names ...string) {
	for _, name := range names {
		c.set(spec, name, c.text(""))
	}
}

func (c *clouds) spec(provider string) map[string]any {
	spec := map[string]any{"unknown": []any{1, map[string]any{"x": nil}}}
	switch provider {
	case "aws":
		c.texts(spec, "availabilityZone", "vpcId", "subnetId")
	case "azure":
		c.texts(spec, "tenantID", "subscriptionID", "clientID", "location", "resourceGroup", "vnetResourceGroup", "vnetName", "subnetName",
			"loadBalancerSku", "routeTableName", "availabilitySet", "securityGroupName")
		c.set(spec, "clientSecret", c.credential())
		c.set(spec, "assignAvailabilitySet", c.pickAny(true, false, nil))
		if c.strange() {
			spec["assignAvailabilitySet"] = "true"
		}
	case "gce":
		c.texts(spec, "zone", "network", "subnetwork")
		c.set(spec, "serviceAccount", c.serviceAccount())
		c.set(spec, "multizone", c.flag())
		c.set(spec, "regional", c.flag())
		c.set(spec, "tags", c.pickAny([]any{"a", "b\"\\", nil}, []any{}, nil))
		if c.strange() {
			spec["tags"] = c.pickAny("a", []any{"a", 1}, map[string]any{})
		}
	case "kubevirt":
		auth := map[string]any{}
		c.set(auth, "kubeconfig", c.kubeconfig())
		c.set(spec, "auth", auth)
		if c.strange() {
			spec["auth"] = c.pickAny(nil, "x", []any{})
		}
	case "openstack":
		c.texts(spec, "username", "domainName", "projectName", "projectID", "tenantName", "tenantID", "region")
		c.set(spec, "identityEndpoint", c.text("https://keystone.example.com"))
		c.set(spec, "password", c.credential())
		if c.chance(2) {
			c.texts(spec, "applicationCredentialID")
			c.set(spec, "applicationCredentialSecret", c.credential())
		}
		c.set(spec, "trustDevicePath", c.flag())
		c.set(spec, "nodeVolumeAttachLimit", c.pickAny(0, 7, nil, 4294967296))
		if c.strange() {
			spec["nodeVolumeAttachLimit"] = c.pickAny(-1, 1.5, "1")
		}
		if c.strange() {
			spec["tokenId"] = map[string]any{"value": 1}
		}
	case "vsphere":
		c.texts(spec, "username", "datacenter", "cluster", "folder", "datastore", "datastoreCluster", "templateVMName", "vmNetName")
		c.set(spec, "password", c.credential())
		c.set(spec, "vsphereURL", c.address())
		c.set(spec, "allowInsecure", c.flag())
	}
	return spec
}

func (c *clouds) address() any {
	if c.strange() {
		return c.pickAny("https://a b", "x:y:z", "https://[fd00::7", "%zz", "ftp://x")
	}
	host := "vc-" + c.maker.letters(8) + ".example.com"
	url := strings.ReplaceAll(c.pick([]string{
		"https://HOST", "HOST", "https://HOST:8443/sdk?x#y", "http://HOST:8080", "10.0.0.7:443", "https://[fd00::7]:8443", "https://[fe80::1%25eth0]", "HOST:",
	}), "HOST", host)
	switch c.IntN(4) {
	case 0:
		c.maker.set.Derived = append(c.maker.set.Derived, host, "10.0.0.7", "fd00::7", "8443", "8080", "443", "fe80::1%eth0", "http")
		return c.secretText(c.maker.isSecret(url+"#"+c.maker.letters(20)), "")
	case 1:
		user := c.maker.secret("me:pw-")
		return "https://" + user + "@" + host + ":1"
	case 2:
		return c.ref("configMapKeyRef", "texts", "url")
	}
	return url
}

func (c *clouds) serviceAccount() any {
	if c.strange() {
		return c.secretText(c.pick([]string{
			"*", "e30", "ew==", "eA==", "W10=", "ImEi", "bnVsbA==", "eyJhIjoxfQ==", "eyJhIjp7fX0=", "eyJhIjp0cnVlfQ==", "eyJhIjpudWxsfQ==",
		}), "in place")
	}
	project := c.maker.letters(16) + c.pick([]string{"", "\"", "\\<>"})
	account, _ := json.Marshal(map[string]string{"project_id": project, "private_key": c.maker.secret("key\n"), "type": "service_account"})
	encoded := c.maker.isSecret(base64.StdEncoding.EncodeToString(account))
	c.maker.hideProject(encoded)
	return c.secretText(encoded, "in place")
}

func (c *clouds) kubeconfig() any {
	if c.strange() {
		return c.pickAny("no base64!", "A", nil, map[string]any{"value": "==="}, "")
	}
	text := strings.ReplaceAll(c.pick([]string{
		"apiVersion: v1\nusers:\n- name: u\n  user: {token: SECRET}\n", "SECRET", "SECRET\n\n", "\n  SECRET", "a: SECRET # no comment", "\tSECRET\n", "'SECRET'", "SECRET \n",
		"{\"a\": \"SECRET\"}", "- SECRET", "SECRET\xff", "caf\u00e9 SECRET\r\n",
	}), "SECRET", c.maker.secret("kc"))
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	c.maker.isSecret(encoded)
	c.maker.hideKubeconfig(text)
	if c.chance(3) {
		return c.secretText(text, "")
	}
	return c.secretText(encoded, "in place")
}
