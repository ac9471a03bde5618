package compare_test

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/compare"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
)

// exactCase is one input that the controller takes, or refuses, for a reason
// that is easily missed. What it makes of it osm-gen makes too.
type exactCase struct {
	os      string // of the profile, ubuntu unless given
	data    string // of the profile's one provisioning file
	args    []string
	side    map[string]string
	info    string // the kubeconfig of cluster-info, someKubeconfig unless given
	objects []any  // beside the others
	config  object // added to the MachineDeployment's
	version string // of the kubelet, 1.35.0 unless given
	env     map[string]string
	hidden  []string // must not stand in the clear
	// Both refuse: what the controller says, and what osm-gen does.
	fails, refuses string
}

func (c *exactCase) set(t *testing.T) *fleet.Set {
	os, utility, version, info := "ubuntu", "cloud-init", "1.35.0", someKubeconfig
	if c.os != "" {
		os = c.os
	}
	if os == "flatcar" {
		utility = "ignition"
	}
	if c.version != "" {
		version = c.version
	}
	if c.info != "" {
		info = c.info
	}
	data := c.data
	if data == "" {
		data = "{{ .CloudConfig }}|{{ .NetworkConfig }}"
	}
	osp := profile("p", os, utility, object{}, object{"files": []object{
		{"path": "/f", "content": object{"inline": object{"data": data}}},
		{"path": "/g", "content": object{"inline": object{"data": data, "encoding": "b64"}}},
	}})
	osp["spec"].(object)["supportedCloudProviders"] = []object{
		{"name": "aws"}, {"name": "azure"}, {"name": "gce"}, {"name": "kubevirt"}, {"name": "openstack"}, {"name": "vsphere"},
	}
	config := object{"cloudProvider": "aws", "cloudProviderSpec": object{}, "operatingSystem": os}
	maps.Copy(config, c.config)
	token := named("Secret", "kube-system", "bootstrap-token-abcdef", object{"stringData": object{
		"token-id": "abcdef", "token-secret": "0123456789abcdef", "expiration": "2099-01-01T00:00:00Z",
	}})
	token["metadata"].(object)["labels"] = object{"machinedeployment.k8s.io/name": "kube-system-m"}
	all := slices.Concat(cluster(info), c.objects, []any{token, osp, machineDeployment("m", version, onProfile("p"), config)})
	return &fleet.Set{
		Args:  append([]string{"-namespace=kube-system"}, c.args...),
		Files: map[string]string{"objects.yaml": manifest(t, all...)},
		Side:  c.side,
		Env:   c.env,
	}
}

func (c *exactCase) run(t *testing.T) {
	for name, value := range c.env {
		t.Setenv(name, value)
	}
	set := c.set(t)
	flags, objects := load(t, set)
	var want *controller.Rendering
	cluster, err := controller.NewCluster(flags, objects)
	if err == nil {
		want, err = cluster.Render(context.Background(), objects[len(objects)-1].(*clusterv1alpha1.MachineDeployment))
	}
	if c.fails != "" {
		if err == nil || !strings.Contains(err.Error(), c.fails) {
			t.Fatalf("the controller says %v, want %q", err, c.fails)
		}
		c.isRefused(t, set)
		return
	}
	if err != nil {
		t.Fatalf("the controller: %v", err)
	}
	for _, form := range []string{"sealed", ""} {
		run := generate(t, set, form)
		if run == nil {
			return
		}
		compareSecrets(t, run, want)
		if len(c.hidden) > 0 {
			noLeak(t, run, c.hidden)
		}
		if form != "sealed" {
			continue
		}
		// only what holds a secret is sealed
		osc, err := run.OSC(want.OSC.Namespace, want.OSC.Name)
		if err != nil {
			t.Fatal(err)
		}
		if osc.Sealed {
			compareOSC(t, run, want, nil)
		} else {
			compareOSC(t, run, want, compare.Exact)
		}
	}
}

func (c *exactCase) isRefused(t *testing.T, set *fleet.Set) {
	t.Helper()
	run, err := compare.Generate(t.TempDir(), set, "sealed")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Fatalf("osm-gen: %v, want exit status 2", err)
	}
	if !strings.Contains(run.Stderr, c.refuses) {
		t.Errorf("osm-gen does not say %q: %s", c.refuses, run.Stderr)
	}
}

func runExact(t *testing.T, cases map[string]exactCase) {
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		t.Run(name, func(t *testing.T) { c.run(t) })
	}
}

// ---- invalid UTF-8 -------------------------------------------------------------------------

// The controller stores the OSC as JSON before it makes user-data of it.
func TestInvalidUTF8(t *testing.T) {
	latin1 := "# Gr\xf6\xdfe, \xe2\x82 and \xed\xa0\x80\n" + someCA(t)
	registries := named("Secret", "kube-system", "pull", object{
		"type": "kubernetes.io/dockerconfigjson",
		// "robot:pass\xfcword-of-it"
		"stringData": object{".dockerconfigjson": `{"auths":{"r.example.com":{"auth":"cm9ib3Q6cGFzc/x3b3JkLW9mLWl0"}}}`},
	})
	password := named("Secret", "kube-system", "cloud", object{"data": object{"password": "cGFzc/x3b3JkLW9mLWl0LWFsbA=="}})
	cases := map[string]exactCase{}
	for _, os := range []string{"ubuntu", "flatcar"} {
		maps.Copy(cases, map[string]exactCase{
			os + " host CA": {
				data: "{{ .HostCACert }}", args: []string{"-host-ca-bundle=@ca.pem"}, side: map[string]string{"ca.pem": latin1},
			},
			os + " kubernetes CA": {
				data: "{{ .KubernetesCACert }}", args: []string{"-kubernetes-ca-bundle=@ca.pem"}, side: map[string]string{"ca.pem": latin1},
			},
			os + " half a rune":    {data: `x{{ trunc 3 "Größe" }}y`},
			os + " joined halves":  {data: `{{ trunc 3 "Größe" }}{{ b64dec "tg==" }}`},
			os + " decoded":        {data: `{{ b64dec "/w==" }}{{ b64dec "4oKC7aCA8J+Y/w==" }}`},
			os + " a rune in time": {data: "\uFFFD{{ b64dec \"77+9\" }}"},
			os + " registry": {
				data: "{{ .ContainerRuntimeConfig }}", args: []string{"-node-registry-credentials-secret=kube-system/pull"}, objects: []any{registries},
			},
			os + " cloud password": {
				data: "{{ .CloudConfig }}", version: "1.28.0", objects: []any{password},
				config: object{"cloudProvider": "openstack", "cloudProviderSpec": object{
					"identityEndpoint": "https://i.example.com", "region": "r", "username": "u", "domainName": "d", "tenantName": "t", "tenantID": "t",
					"password": object{"secretKeyRef": object{"namespace": "kube-system", "name": "cloud", "key": "password"}},
				}},
			},
		})
	}
	for name, c := range cases {
		c.os, _, _ = strings.Cut(name, " ")
		cases[name] = c
	}
	runExact(t, cases)
}

func someCA(t *testing.T) string {
	t.Helper()
	source, _ := table(t, "pkg/controllers/osc/osc_reconciler_test.go", "TestReconciler_Reconcile")
	return constant(t, source, "dummyCACert")
}

// ---- a ServiceAccount's token --------------------------------------------------------------

func accountSecret(name, kind, token string) object {
	out := named("Secret", "kube-system", name, object{"type": kind, "stringData": object{"token": token}})
	out["metadata"].(object)["annotations"] = object{"kubernetes.io/service-account.name": "boot"}
	return out
}

// The order of the list counts, not that of names.
func TestAccountLists(t *testing.T) {
	const tokens = "kubernetes.io/service-account-token"
	plain := accountSecret("s4", tokens, "token-of-s4-which-is-long")
	delete(plain["metadata"].(object), "annotations")
	secrets := []any{
		accountSecret("s1", tokens, "token-of-s1-which-is-long"), accountSecret("s2", tokens, "token-of-s2-which-is-long"),
		accountSecret("s3", "kubernetes.io/dockercfg", "no-token-of-kubelets"), plain, accountSecret("s5", tokens, ""),
		accountSecret("s6", tokens, "t\u00f6ken of a line\nand \u2028 another"),
	}
	list := func(names ...string) exactCase {
		refs := []object{}
		for _, name := range names {
			refs = append(refs, object{"name": name})
		}
		return exactCase{
			data: "{{ .BootstrapKubeconfig }}", args: []string{"-bootstrap-token-service-account-name=kube-system/boot"},
			objects: slices.Insert(slices.Clone(secrets), 0, any(named("ServiceAccount", "kube-system", "boot", object{"secrets": refs}))),
		}
	}
	gone := list("gone", "s1")
	gone.fails, gone.refuses = `secrets "gone" not found`, "Secret kube-system/gone, which ServiceAccount kube-system/boot lists"
	last := list("s3", "gone")
	last.fails, last.refuses = gone.fails, gone.refuses
	runExact(t, map[string]exactCase{
		"second first": list("s2", "s1"), "other types": list("s3", "s2", "s1"), "no annotation": list("s4", "s1"), "empty": list("s5"),
		"text": list("s6"), "gone behind it": list("s1", "gone"), "gone": gone, "gone last": last,
	})
}

// ---- the kubeconfig of cluster-info --------------------------------------------------------

func TestKubeconfigs(t *testing.T) {
	config := func(cluster, more string) exactCase {
		return exactCase{data: "{{ .BootstrapKubeconfig }}", info: "apiVersion: v1\nkind: Config\nclusters:\n- name: x\n" +
			"  cluster: {server: 'https://x', certificate-authority-data: Zm9v" + cluster + "}\n" + more}
	}
	fails := func(c exactCase, theirs, ours string) exactCase {
		c.fails, c.refuses = theirs, ours
		return c
	}
	const control, key = "control characters are not allowed", "did not find expected ',' or '}'"
	runExact(t, map[string]exactCase{
		"extensions":          config(", extensions: [{name: b, extension: {z: 1, a: [x]}}, {name: a, extension: 5}]", "extensions: [{name: d}, {name: c, extension: 'null'}]\n"),
		"preferences":         config("", "preferences: {colors: true, extensions: [{name: q, extension: {k: v}}, {name: p, extension: text}]}\n"),
		"preferences alone":   config("", "preferences: {extensions: [{name: q, extension: 1e3}]}\n"),
		"no preferences":      config(", extensions: null", "preferences: {colors: false, extensions: []}\n"),
		"nothing in a name":   config(", extensions: [null, {name: b}, {name: b, extension: 1}]", ""),
		"unicode":             config(", tls-server-name: \"\\u00e9\\u2028\\uFEFF\"", "extensions: [{name: \"\\U0001F600\", extension: {\"\\u00e9\": \"<&>\"}}]\n"),
		"line break in text":  config(", tls-server-name: \"a \\N\\N b\"", "extensions: [{name: \"a\\Nb\", extension: {k: \"c\\Nd\"}}]\n"),
		"dropped keys":        config("", "\"a\\x7Fb\": 1\n\"a\\Nb\": 1\n"),
		"DEL in a key":        fails(config("", "extensions: [{name: x, extension: {\"a\\x7Fb\": 1}}]\n"), control, "OSG2106"),
		"DEL in a text":       fails(config("", "extensions: [{name: x, extension: {k: \"a\\x7Fb\"}}]\n"), control, "OSG2106"),
		"DEL in a name":       fails(config("", "extensions: [{name: \"a\\x7Fb\"}]\n"), control, "OSG2106"),
		"DEL in the server":   fails(config(", tls-server-name: \"a\\x7Fb\"", ""), control, "OSG2106"),
		"C1 in a key":         fails(config("", "extensions: [{name: x, extension: {\"a\\x9Fb\": 1}}]\n"), control, "OSG2106"),
		"no character":        fails(config("", "extensions: [{name: x, extension: {k: \"\\uFFFE\"}}]\n"), control, "OSG2106"),
		"line break in a key": fails(config("", "extensions: [{name: x, extension: {\"a\\Nb\": 1}}]\n"), key, "OSG2106"),
		"twice":               fails(config("", "extensions: [{name: x, extension: 1}, {name: x}]\n"), "duplicate name", "two extensions"),
		"no list":             fails(config("", "preferences: {extensions: 5}\n"), "cannot unmarshal number", "extensions of a kubeconfig must be a list"),
		"no name":             fails(config(", extensions: [{name: 5}]", ""), "cannot unmarshal number", "the name of an extension"),
	})
}

// ---- registry credentials ------------------------------------------------------------------

func TestRegistryCredentials(t *testing.T) {
	docker := func(text string) exactCase {
		return exactCase{
			data: "{{ .ContainerRuntimeConfig }}", args: []string{"-node-registry-credentials-secret=kube-system/pull"},
			objects: []any{named("Secret", "kube-system", "pull", object{
				"type": "kubernetes.io/dockerconfigjson", "stringData": object{".dockerconfigjson": text},
			})},
		}
	}
	plain := func(text string) exactCase {
		c := docker("")
		c.objects = []any{named("Secret", "kube-system", "pull", object{"stringData": object{"r.example.com": text}})}
		return c
	}
	fails := func(c exactCase) exactCase {
		c.fails, c.refuses = "json: cannot unmarshal", "OSG4020"
		return c
	}
	runExact(t, map[string]exactCase{
		"none": docker("{}"), "null": docker("null"), "auths null": docker(`{"auths":null}`), "auths empty": docker(`{"auths":{}}`),
		"registry null": docker(`{"auths":{"a.example.com":null}}`), "registry empty": docker(`{"auths":{"a.example.com":{}}}`),
		"case": docker(`{"Auths":{"a.example.com":{"UserName":"first","username":"second","Password":null,"pa\u017fsword":"password-with-s"}}}`),
		"together": docker(`{"auths":{"b.example.com":{"username":"b","password":"password-of-b"},"a.example.com":{"username":"first"}},` +
			`"Auths":{"a.example.com":{"password":"password-of-a"}},"AUTHS":{"c.example.com":{"auth":"auth-of-c-example"}}}`),
		"null between":  docker(`{"auths":{"b.example.com":{"username":"b"}},"AUTHS":null,"Auths":{"a.example.com":{"username":"a"}}}`),
		"as written":    docker(`{"auths":{"a.example.com":{"username":"first","Username":"second"}}}`),
		"plain null":    plain("null"),
		"plain case":    plain(`{"username":"first","USERNAME":"second","password":"password-of-it","PASSWORD":null}`),
		"list":          fails(docker("[]")),
		"auths list":    fails(docker(`{"auths":[]}`)),
		"auths items":   fails(docker(`{"auths":[{"a.example.com":{}}]}`)),
		"auths number":  fails(docker(`{"auths":5}`)),
		"auths text":    fails(docker(`{"auths":""}`)),
		"auths then":    fails(docker(`{"auths":[],"Auths":{}}`)),
		"registry list": fails(docker(`{"auths":{"a.example.com":[]}}`)),
		"number":        fails(docker(`{"auths":{"a.example.com":{"username":5,"Username":"u"}}}`)),
		"plain list":    fails(plain("[]")),
	})
}

// ---- keys that differ in case only ---------------------------------------------------------

// The API server sorts keys, and encoding/json takes all of them, one after the other.
func TestKeysOfOneField(t *testing.T) {
	fails := func(c exactCase, ours string) exactCase {
		c.fails, c.refuses = "json: cannot unmarshal", ours
		return c
	}
	root := func(config object) exactCase { return exactCase{config: config} }
	network := func(config object) exactCase {
		return exactCase{os: "flatcar", data: "{{ with .NetworkConfig }}{{ .CIDR }}|{{ .Gateway }}|{{ .DNS.Servers }}|{{ .IPFamily }}{{ end }}", config: config}
	}
	legacy := func(provider string, spec object) exactCase {
		return exactCase{version: "1.28.0", config: object{"cloudProvider": provider, "cloudProviderSpec": spec}}
	}
	openstack := func(more object) exactCase {
		spec := object{
			"identityEndpoint": "https://i.example.com", "region": "r", "username": "u", "password": "password-of-openstack", "domainName": "d",
			"tenantName": "t", "tenantID": "t",
		}
		maps.Copy(spec, more)
		return legacy("openstack", spec)
	}
	azure := func(more object) exactCase {
		spec := object{
			"subscriptionID": "s", "tenantID": "t", "clientID": "c", "clientSecret": "secret-of-azure-client", "location": "l", "resourceGroup": "g",
			"vnetName": "v", "subnetName": "s", "routeTableName": "r", "securityGroupName": "s", "availabilitySet": "a-set",
		}
		maps.Copy(spec, more)
		return legacy("azure", spec)
	}
	gce := func(more object) exactCase {
		spec := object{"serviceAccount": "eyJwcm9qZWN0X2lkIjoicHJvamVjdC1vZi1nY2UifQ==", "zone": "z", "network": "n", "subnetwork": "s"}
		maps.Copy(spec, more)
		return legacy("gce", spec)
	}
	withObjects := func(c exactCase) exactCase {
		c.objects = []any{
			named("ConfigMap", "kube-system", "values", object{"data": object{"one": "value-one", "two": "value-two", "yes": "true"}}),
			named("Secret", "other", "values", object{"stringData": object{"one": "secret-value-one", "two": "secret-value-two"}}),
		}
		return c
	}
	a, b, c, d, e, f := fleet.SSHKey(1), fleet.SSHKey(2), fleet.SSHKey(3), fleet.SSHKey(4), fleet.SSHKey(5), fleet.SSHKey(6)
	runExact(t, map[string]exactCase{
		// of the configuration itself
		"text":             root(object{"CloudProvider": "azure", "cloudProvider": "aws"}),
		"text null":        root(object{"CloudProvider": "aws", "cloudProvider": nil}),
		"text long s":      root(object{"operatingSystem": "flatcar", "operating\u017fy\u017ftem": "ubuntu"}),
		"text wrong":       fails(root(object{"CloudProvider": 5, "cloudProvider": "aws"}), "cloudProvider must be a string"),
		"keys":             root(object{"SSHPublicKeys": []any{a, b, c}, "sshPublicKeys": []any{d}}),
		"keys null":        root(object{"SSHPublicKeys": []any{a, b, c}, "sshPublicKeys": nil}),
		"keys null items":  root(object{"SSHPublicKeys": []any{a, b, c}, "SshPublicKeys": []any{d}, "sshPublicKeys": []any{nil, nil, e, f}}),
		"keys empty last":  root(object{"SSHPublicKeys": []any{a, b}, "sshPublicKeys": []any{}}),
		"keys kelvin":      root(object{"sshPublicKeys": []any{a}, "sshPublic\u212Aeys": []any{b}}),
		"keys wrong":       fails(root(object{"SSHPublicKeys": "a", "sshPublicKeys": []any{"d"}}), "sshPublicKeys must be a list of strings"),
		"keys wrong item":  fails(root(object{"SSHPublicKeys": []any{5}, "sshPublicKeys": []any{"d"}}), "sshPublicKeys must be a string"),
		"raw":              root(object{"CloudProviderSpec": object{"region": "a"}, "cloudProviderSpec": object{"zone": "b"}}),
		"raw null":         root(object{"CloudProviderSpec": object{"region": "a"}, "cloudProviderSpec": nil}),
		"overwrite":        root(object{"OverwriteCloudConfig": "the-first-text", "overwriteCloudConfig": "the-second-text"}),
		"overwrite null":   root(object{"OverwriteCloudConfig": "the-first-text", "overwriteCloudConfig": nil}),
		"overwrite wrong":  fails(root(object{"OverwriteCloudConfig": true, "overwriteCloudConfig": nil}), "overwriteCloudConfig must be a string"),
		"ca wrong":         fails(root(object{"CAPublicKey": 1, "caPublicKey": "x"}), "caPublicKey must be a string"),
		"system":           root(object{"operatingSystemSpec": object{"DistUpgradeOnBoot": true, "distUpgradeOnBoot": nil}}),
		"system wrong":     fails(root(object{"operatingSystemSpec": object{"DistUpgradeOnBoot": "x", "distUpgradeOnBoot": true}}), "distUpgradeOnBoot must be"),
		"network":          network(object{"Network": object{"cidr": "1", "gateway": "2"}, "network": object{"CIDR": "3", "dns": object{"servers": []any{"4"}}}}),
		"network null":     network(object{"Network": object{"cidr": "1", "gateway": "2"}, "network": nil}),
		"network anew":     network(object{"NETWORK": object{"cidr": "1", "gateway": "2"}, "Network": nil, "network": object{"cidr": "3"}}),
		"network wrong":    fails(network(object{"Network": "x", "network": object{}}), "network must be a map"),
		"network text":     fails(network(object{"Network": object{"cidr": 1}, "network": object{"cidr": "x"}}), "network.cidr must be a string"),
		"network emptied":  fails(network(object{"Network": object{"cidr": 1}, "network": nil}), "network.cidr must be a string"),
		"dns":              network(object{"network": object{"DNS": object{"servers": []any{"1", "2"}}, "dns": object{"Servers": []any{nil}}}}),
		"dns null":         network(object{"network": object{"DNS": object{"servers": []any{"1", "2"}}, "dns": nil}}),
		"dns servers null": network(object{"Network": object{"dns": object{"servers": []any{"1", "2"}}}, "network": object{"dns": object{"servers": nil}}}),
		"dns wrong":        fails(network(object{"network": object{"DNS": 5, "dns": object{}}}), "network.dns must be a map"),
		// of cloudProviderSpec
		"variable":            openstack(object{"Region": "a", "REGION": object{"value": "b"}}),
		"variable null":       openstack(object{"Region": "a", "region": nil}),
		"variable reference":  withObjects(openstack(object{"Region": object{"configMapKeyRef": object{"namespace": "kube-system", "name": "values", "key": "one"}}, "region": "b"})),
		"variable kelvin":     openstack(object{"toKenId": "x", "to\u212AenId": "token-of-openstack"}),
		"variable long s":     openstack(object{"pa\u017f\u017fword": "password-with-long-s"}),
		"variable wrong":      fails(openstack(object{"Region": object{"value": 5}, "region": "b"}), "value of region must be a string"),
		"value":               openstack(object{"region": object{"VALUE": "a", "value": "b"}}),
		"value null":          openstack(object{"region": object{"VALUE": "a", "value": nil}}),
		"value wrong":         fails(openstack(object{"region": object{"VALUE": 5, "value": "b"}}), "value of region must be a string"),
		"bool null":           openstack(object{"trustDevicePath": object{"VALUE": true, "value": nil}}),
		"bool bare null":      openstack(object{"TrustDevicePath": true, "trustDevicePath": nil}),
		"bool wrong":          fails(openstack(object{"trustDevicePath": object{"VALUE": "x", "value": true}}), "value of trustDevicePath"),
		"reference":           withObjects(openstack(object{"region": object{"ConfigMapKeyRef": object{"namespace": "kube-system", "Key": "one"}, "configMapKeyRef": object{"name": "values", "key": "two"}}})),
		"reference null":      withObjects(openstack(object{"region": object{"ConfigMapKeyRef": object{"namespace": "kube-system", "name": "values", "key": "one"}, "configMapKeyRef": nil}})),
		"reference text null": withObjects(openstack(object{"region": object{"configMapKeyRef": object{"namespace": "kube-system", "name": "values", "KEY": "one", "key": nil}}})),
		"reference secret":    withObjects(openstack(object{"password": object{"\u017fecret\u212AeyRef": object{"name\u017fpace": "other", "name": "values", "\u212Aey": "one"}}})),
		"reference wrong":     fails(withObjects(openstack(object{"region": object{"ConfigMapKeyRef": 5, "configMapKeyRef": object{}}})), "a reference of region must be a map"),
		"reference wrong key": fails(withObjects(openstack(object{"region": object{"ConfigMapKeyRef": object{"key": 5}, "configMapKeyRef": object{"key": "x"}}})), "each member of a reference"),
		"number":              openstack(object{"NodeVolumeAttachLimit": 5, "nodeVolumeAttachLimit": 6}),
		"number null":         openstack(object{"NodeVolumeAttachLimit": 5, "nodeVolumeAttachLimit": nil}),
		"number wrong":        fails(openstack(object{"NodeVolumeAttachLimit": -5, "nodeVolumeAttachLimit": 6}), "nodeVolumeAttachLimit must be a number"),
		"pointer":             azure(object{"AssignAvailabilitySet": true, "assignAvailabilitySet": false}),
		"pointer null":        azure(object{"AssignAvailabilitySet": false, "assignAvailabilitySet": nil}),
		"pointer wrong":       fails(azure(object{"AssignAvailabilitySet": "x", "assignAvailabilitySet": nil}), "assignAvailabilitySet must be true or false"),
		"tags":                gce(object{"Tags": []any{"a", "b", "c"}, "tags": []any{"d", nil}}),
		"tags null":           gce(object{"Tags": []any{"a", "b", "c"}, "tags": nil}),
		"tags wrong":          fails(gce(object{"Tags": 5, "tags": []any{"d"}}), "tags must be a list of strings"),
		"struct":              legacy("kubevirt", object{"Auth": object{"kubeconfig": "QXBpVmVyc2lvbjogdjEK"}, "auth": object{"other": 1}}),
		"struct null":         legacy("kubevirt", object{"Auth": object{"kubeconfig": "QXBpVmVyc2lvbjogdjEK"}, "auth": nil}),
		"struct last":         legacy("kubevirt", object{"Auth": object{"kubeconfig": "QXBpVmVyc2lvbjogdjEK"}, "auth": object{"Kubeconfig": "a2luZDogQ29uZmlnCg=="}}),
		"struct wrong":        fails(legacy("kubevirt", object{"Auth": 5, "auth": object{"kubeconfig": "a2luZDogQ29uZmlnCg=="}}), "auth must be a map"),
	})
}

// ---- names that are the same as a credential -----------------------------------------------

// Hidden like the credential, they are no leak of it.
func TestNamesThatAreCredentials(t *testing.T) {
	const same = "the-name-and-the-password"
	inSecret := object{"secretKeyRef": object{"namespace": "other", "name": "cloud", "key": "password"}}
	inMap := object{"configMapKeyRef": object{"namespace": "other", "name": "names", "key": "user"}}
	openstack := func(user, password any) object {
		return object{
			"identityEndpoint": "https://i.example.com", "region": "r", "domainName": "d", "tenantName": "t", "tenantID": "t",
			"username": user, "password": password,
		}
	}
	azure := object{
		"subscriptionID": "s", "tenantID": "t", "clientID": same, "clientSecret": inSecret, "location": "l", "resourceGroup": "g", "vnetName": "v",
		"subnetName": "s", "routeTableName": "r", "securityGroupName": "s", "availabilitySet": "a-set",
	}
	vsphere := object{
		"username": inMap, "password": inSecret, "vsphereURL": "https://v.example.com", "datacenter": "d", "cluster": "c", "folder": "f", "datastore": "s",
	}
	application := object{
		"identityEndpoint": "https://i.example.com", "region": "r", "applicationCredentialID": same, "applicationCredentialSecret": inSecret,
	}
	cases := map[string]exactCase{
		"registry": {data: "{{ .ContainerRuntimeConfig }}", args: []string{"-node-registry-credentials-secret=other/pull"}},
		"subscription": {os: "rhel", data: "{{ .RhelConfig.RHELSubscriptionManagerUser }}", config: object{"operatingSystemSpec": object{
			"rhelSubscriptionManagerUser": same, "rhelSubscriptionManagerPassword": same,
		}}},
		"organisation": {os: "rhel", data: "{{ .RhelConfig.RHELOrganizationName }}", config: object{"operatingSystemSpec": object{
			"rhelUseSatelliteServer": true, "rhelSatelliteServer": "s.example.com", "rhelOrganizationName": same, "rhelActivationKey": same,
		}}},
	}
	for name, version := range map[string]string{"": "1.35.0", "legacy ": "1.28.0"} {
		for spec, config := range map[string]object{
			"both in place":   {"cloudProvider": "openstack", "cloudProviderSpec": openstack(same, same)},
			"with space":      {"cloudProvider": "openstack", "cloudProviderSpec": openstack(same+" ", object{"value": same})},
			"user in place":   {"cloudProvider": "openstack", "cloudProviderSpec": openstack(object{"value": same}, inSecret)},
			"user in a map":   {"cloudProvider": "openstack", "cloudProviderSpec": openstack(inMap, inSecret)},
			"application":     {"cloudProvider": "openstack", "cloudProviderSpec": application},
			"azure":           {"cloudProvider": "azure", "cloudProviderSpec": azure},
			"vsphere":         {"cloudProvider": "vsphere", "cloudProviderSpec": vsphere},
			"somewhere in it": {"cloudProviderSpec": object{"apiKey": same, "tags": object{"a": same}, "more": object{"name": same}}},
		} {
			cases[name+spec] = exactCase{data: "{{ .CloudConfig }}", version: version, config: config}
		}
	}
	for name, c := range cases {
		c.hidden = []string{same}
		c.objects = []any{
			named("Secret", "other", "cloud", object{"stringData": object{"password": same}}),
			named("Secret", "other", "pull", object{"stringData": object{"r.example.com": `{"username":"` + same + `","password":"` + same + `"}`}}),
		}
		if strings.Contains(name, "a map") || strings.Contains(name, "vsphere") {
			c.objects = append(c.objects, named("ConfigMap", "other", "names", object{"data": object{"user": same}}))
		}
		cases[name] = c
	}
	runExact(t, cases)
}
