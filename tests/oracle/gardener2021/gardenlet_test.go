package gardener2021

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/gardener/gardener/pkg/operation/botanist/component/extensions/operatingsystemconfig"
	"github.com/gardener/gardener/pkg/operation/botanist/component/extensions/operatingsystemconfig/downloader"
	"github.com/gardener/gardener/pkg/operation/botanist/component/extensions/operatingsystemconfig/original/components"
	"github.com/gardener/gardener/pkg/utils/imagevector"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"osm-gen.dev/tests/oracle/gardenercases"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"
)

const (
	namespace = "shoot--acme--prod"
	state     = "/var/lib/cloud-config-downloader"
	// Folders of a node are layers over the machine's own; sleep does not wait.
	onNode = `cd "$NODE" && for name in etc usr opt var/lib; do
		mkdir -p "up/$name" "work/$name" && mount -t overlay overlay -o "lowerdir=/$name,upperdir=$NODE/up/$name,workdir=$NODE/work/$name" "/$name" || exit 9
	done && exec "$@"`
)

// dumped is what kubectl prints of a shoot's OperatingSystemConfigs, which gardenlet writes.
func dumped(t *testing.T, server string) (original, provision v1alpha1.OperatingSystemConfig) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewClientBuilder().WithScheme(scheme).Build()
	version, image := "1.20.2", "ubuntu"
	kubernetes := semver.MustParse(version)
	tag, bundle := "v"+version, "-----BEGIN CERTIFICATE-----\nYnVuZGxl\n-----END CERTIFICATE-----\n"
	values := &operatingsystemconfig.Values{
		Namespace:         namespace,
		KubernetesVersion: kubernetes,
		Workers: []gardencorev1beta1.Worker{{Name: "pool", Machine: gardencorev1beta1.Machine{Type: "large", Image: &gardencorev1beta1.ShootMachineImage{Name: image}},
			CRI: &gardencorev1beta1.CRI{Name: "containerd"}}},
		DownloaderValues: operatingsystemconfig.DownloaderValues{APIServerURL: server},
		OriginalValues: operatingsystemconfig.OriginalValues{CABundle: &bundle, ClusterDNSAddress: "100.64.0.10", ClusterDomain: "cluster.local",
			Images: map[string]*imagevector.Image{"hyperkube": {Name: "hyperkube", Repository: "registry.example/hyperkube", Tag: &tag},
				"pause-container": {Name: "pause-container", Repository: "registry.example/pause", Tag: &tag}},
			KubeletCACertificate: bundle, KubeletCLIFlags: components.ConfigurableKubeletCLIFlags{}, SSHPublicKey: "ssh-rsa AAAA"},
	}
	quiet := logrus.New()
	quiet.SetOutput(&bytes.Buffer{})
	if err := operatingsystemconfig.New(quiet, client, values, time.Second, time.Second, time.Second).Deploy(context.Background()); err != nil {
		t.Fatal(err)
	}
	key := operatingsystemconfig.Key("pool", kubernetes)
	for suffix, osc := range map[string]*v1alpha1.OperatingSystemConfig{"-original": &original, "-downloader": &provision} {
		if err := client.Get(context.Background(), types.NamespacedName{Namespace: namespace, Name: key + suffix}, osc); err != nil {
			t.Fatal(err)
		}
		osc.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "OperatingSystemConfig"}
	}
	return original, provision
}

func manifest(t *testing.T, object any) string {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// apiServer answers for one Secret, to bearers of one of the tokens.
type apiServer struct {
	*httptest.Server
	secret *corev1.Secret
	tokens []string
	asked  []int
}

func newServer(t *testing.T) (*apiServer, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	s := &apiServer{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.answer))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func (s *apiServer) answer(w http.ResponseWriter, request *http.Request) {
	status := http.StatusOK
	switch {
	case !slices.Contains(s.tokens, strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")):
		status = http.StatusUnauthorized
	case request.URL.Path != "/api/v1/namespaces/kube-system/secrets/"+s.secret.Name:
		status = http.StatusForbidden
	}
	s.asked = append(s.asked, status)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status == http.StatusOK {
		_ = json.NewEncoder(w).Encode(s.secret)
	}
}

// clusterInfo is the ConfigMap that kubectl prints.
func clusterInfo(t *testing.T, url, ca string) string {
	kubeconfig := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters:\n- name: \"\"\n  cluster: {server: %q, certificate-authority-data: %s}\n",
		url, base64.StdEncoding.EncodeToString([]byte(ca)))
	return manifest(t, &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "cluster-info", Namespace: "kube-public"}, Data: map[string]string{"kubeconfig": kubeconfig}})
}

// machine is a folder that scripts take for parts of the machine.
type machine struct{ folder string }

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t.TempDir()}
	// The root of an overlay must not be one itself.
	mount := exec.Command("unshare", "-rm", "sh", "-c", "mkdir "+m.folder+"/1 "+m.folder+"/2 && mount -t overlay overlay -o lowerdir=/etc,upperdir="+m.folder+"/1,workdir="+m.folder+"/2 /etc")
	if out, err := mount.CombinedOutput(); err != nil {
		t.Skipf("no overlays in namespaces: %s", out)
	}
	for name, text := range map[string]string{"systemctl": "#!/bin/sh\necho \"$*\" >>\"$NODE/calls\"\n", "sleep": "#!/bin/sh\n", "apt-get": "#!/bin/sh\n",
		"containerd": "#!/bin/sh\n", "modprobe": "#!/bin/sh\n"} {
		if err := os.MkdirAll(m.folder+"/stubs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(m.folder, "stubs", name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *machine) run(command ...string) (string, error) {
	process := exec.Command("unshare", append([]string{"-rm", "sh", "-c", onNode, "sh"}, command...)...)
	process.Env = []string{"PATH=" + m.folder + "/stubs:" + os.Getenv("PATH"), "NODE=" + m.folder, "LC_ALL=C"}
	out, err := process.CombinedOutput()
	return string(out), err
}

func (m *machine) file(path string) (string, os.FileMode) {
	text, err := os.ReadFile(filepath.Join(m.folder, "up", path))
	if err != nil {
		return "missing", 0
	}
	info, _ := os.Stat(filepath.Join(m.folder, "up", path))
	return string(text), info.Mode().Perm()
}

// isDownloaders is true for what gardenlet writes of its own downloader.
func isDownloaders(path string) bool {
	return strings.HasPrefix(path, downloader.PathCCDDirectory+"/") || path == "/etc/systemd/system/"+downloader.UnitName
}

// A shoot's dumped OperatingSystemConfigs, one of them or both, bring a new node to its first download, its configuration, and the next change.
// What gardenlet writes of its own downloader replaces nothing.
func TestGardenletsDocuments(t *testing.T) {
	for name, isPair := range map[string]bool{"original": false, "pair": true} {
		t.Run(name, func(t *testing.T) { bootDumped(t, isPair) })
	}
}

func bootDumped(t *testing.T, isPair bool) {
	m := newMachine(t)
	server, ca := newServer(t)
	original, provision := dumped(t, server.URL)
	stem := strings.TrimSuffix(original.Name, "-original")
	files := map[string]string{"original.yaml": manifest(t, &original), "cluster-info.yaml": clusterInfo(t, server.URL, ca)}
	if isPair {
		files["provision.yaml"] = manifest(t, &provision)
		// Without it the test above shows that it is not needed.
		files["secret.yaml"] = manifest(t, &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: downloader.SecretName, Namespace: namespace}, Data: map[string][]byte{"ca.crt": []byte(ca),
				downloader.SecretName + ".crt": []byte("certificate of the downloader"), downloader.SecretName + ".key": []byte("key of the downloader")}})
	}
	repository, err := gardenercases.NewRepository(t.TempDir(), files, `gardenerContract: "2021"`, "gardenerFlow: downloader", "gardenerApplySpread: 0")
	if err != nil {
		t.Fatal(err)
	}
	publish := func() {
		t.Helper()
		if err := repository.Generate(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(repository.Stderr, "OSG4133") || strings.Contains(repository.Stderr, "OSG4131") {
			t.Errorf("warnings:\n%s", repository.Stderr)
		}
		secret, err := repository.NodeAgent(&gardenercases.Case{Name: original.Name})
		if err != nil || secret == nil {
			t.Fatal(err)
		}
		server.secret = &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: stem, Namespace: "kube-system"},
			Data: secret.Values}
		server.tokens = []string{string(regexp.MustCompile(`(?m)^token=(\S+)$`).FindSubmatch(secret.Values["script"])[1])}
	}
	publish()
	result, err := repository.Result(&gardenercases.Case{Name: stem + "-downloader", Namespace: namespace})
	if err != nil || result == nil {
		t.Fatal("no user-data for new nodes", err)
	}
	if err := os.WriteFile(m.folder+"/user-data", result.Values["cloud_config"], 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := m.run("bash", m.folder+"/user-data"); err != nil {
		t.Fatalf("user-data: %v\n%s", err, out)
	}
	ours := map[string]string{}
	for _, path := range []string{state + "/download-cloud-config.sh", state + "/credentials/server", state + "/credentials/ca.crt", "/etc/systemd/system/" + downloader.UnitName} {
		ours[path], _ = m.file(path)
	}
	if ours[state+"/credentials/server"] != server.URL || ours[state+"/credentials/ca.crt"] != ca || strings.Contains(ours[state+"/download-cloud-config.sh"], "client.crt") {
		t.Errorf("the first downloader: %q", ours)
	}
	// Only the first download needs the token of user-data.
	first, mode := m.file(state + "/credentials/bootstrap-token")
	if mode != 0o600 {
		t.Errorf("the token's mode: %o", mode)
	}
	server.tokens = append(server.tokens, strings.TrimSpace(first))
	download := func() {
		t.Helper()
		server.asked = nil
		if out, err := m.run("sh", state+"/download-cloud-config.sh"); err != nil || !slices.Equal(server.asked, []int{200}) {
			t.Fatalf("download: %v %v\n%s", err, server.asked, out)
		}
		for path, text := range ours {
			if got, _ := m.file(path); got != text {
				t.Errorf("%s has become\n%s", path, got)
			}
		}
		for _, path := range []string{"/credentials/client.crt", "/credentials/client.key"} {
			if got, _ := m.file(state + path); got != "missing" {
				t.Errorf("%s is on the node", path)
			}
		}
	}
	download()
	checkConfiguration(t, m, &original)
	// The next change arrives, too.
	original.Spec.Files = append(original.Spec.Files, v1alpha1.File{Path: "/etc/later", Content: v1alpha1.FileContent{Inline: &v1alpha1.FileContentInline{Data: "later"}}})
	if err := repository.Commit(map[string]string{"original.yaml": manifest(t, &original)}); err != nil {
		t.Fatal(err)
	}
	publish()
	download()
	checkConfiguration(t, m, &original)
}

// checkConfiguration compares all but the downloader.
func checkConfiguration(t *testing.T, m *machine, osc *v1alpha1.OperatingSystemConfig) {
	t.Helper()
	count := 0
	for _, file := range osc.Spec.Files {
		if isDownloaders(file.Path) {
			continue
		}
		want := file.Content.Inline.Data
		if file.Content.Inline.Encoding == "b64" {
			decoded, err := base64.StdEncoding.DecodeString(want)
			if err != nil {
				t.Fatal(err)
			}
			want = string(decoded)
		}
		got, mode := m.file(file.Path)
		if got != want || (file.Permissions != nil && mode != os.FileMode(*file.Permissions&0o777)) {
			t.Errorf("%s: mode %o, %.200q, want %.200q", file.Path, mode, got, want)
		}
		count++
	}
	units := map[string]bool{}
	for _, unit := range osc.Spec.Units {
		if unit.Content != nil {
			if got, _ := m.file("/etc/systemd/system/" + unit.Name); got != *unit.Content {
				t.Errorf("%s: %.200q, want %.200q", unit.Name, got, *unit.Content)
			}
		}
		units[unit.Name] = true
	}
	if count < 5 || !units["kubelet.service"] {
		t.Errorf("gardenlet wrote %d files, and units %v", count, slices.Collect(maps.Keys(units)))
	}
}

// Other files at the paths of the flow are refused by name.
func TestForeignDownloader(t *testing.T) {
	server, ca := newServer(t)
	for path, text := range map[string]string{state + "/download-cloud-config.sh": "#!/bin/sh\necho mine\n", state + "/credentials/bootstrap-token": "abcdef.0123456789abcdef",
		"/etc/systemd/system/" + downloader.UnitName: "[Service]\nExecStart=/opt/mine\n", state + "/applied/checksum": "x", state + "/script": "x", state + "/credentials/token": "x"} {
		original, _ := dumped(t, server.URL)
		original.Spec.Files = slices.DeleteFunc(original.Spec.Files, func(file v1alpha1.File) bool { return file.Path == path })
		original.Spec.Files = append(original.Spec.Files, v1alpha1.File{Path: path, Content: v1alpha1.FileContent{Inline: &v1alpha1.FileContentInline{Data: text}}})
		repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{"original.yaml": manifest(t, &original), "cluster-info.yaml": clusterInfo(t, server.URL, ca)},
			`gardenerContract: "2021"`, "gardenerFlow: downloader")
		if err != nil {
			t.Fatal(err)
		}
		_, status, err := repository.Run("--out", "out")
		if err != nil || status != 2 || !strings.Contains(repository.Stderr, "OSG4183") || !strings.Contains(repository.Stderr, path) {
			t.Errorf("%s: exit status %d, %v\n%s", path, status, err, repository.Stderr)
		}
	}
}

// A dumped pair needs the API server that nodes reach.
func TestDumpedWithoutServer(t *testing.T) {
	original, provision := dumped(t, "https://api.example.com")
	repository, err := gardenercases.NewRepository(t.TempDir(), map[string]string{"original.yaml": manifest(t, &original), "provision.yaml": manifest(t, &provision)},
		`gardenerContract: "2021"`, "gardenerFlow: downloader")
	if err != nil {
		t.Fatal(err)
	}
	_, status, err := repository.Run("--out", "out")
	if err != nil || status != 2 || !strings.Contains(repository.Stderr, "cluster-info, which is missing") {
		t.Errorf("exit status %d, %v\n%s", status, err, repository.Stderr)
	}
}
