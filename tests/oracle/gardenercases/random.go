package gardenercases

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// Contracts of Gardener's OperatingSystemConfig.
const (
	Current = "current"
	Era2021 = "2021"
)

// Types that osm-gen serves, by contract.
var Types = map[string][]string{
	Current: {"ubuntu", "ubuntu-pro", "suse-chost", "memoryone-chost", "gardenlinux", "gardenlinux-fips",
		"memoryone-gardenlinux", "coreos", "flatcar", "flatcar-stable"},
	Era2021: {"ubuntu", "ubuntu-pro", "suse-chost", "suse-jeos", "memoryone-chost", "gardenlinux", "coreos", "flatcar"},
}

// Case is an OperatingSystemConfig with the Secrets that it refers to.
type Case struct {
	Name, Namespace string
	Type, Purpose   string
	Contract        string
	Object          Map
	Secrets         []Map
	// What is wrong, with the lines that say so; empty: nothing is.
	Mistake string
	Lines   []int
	Text    string // of the manifest, with all its documents
}

// IsProvision says what user-data is rendered for in both contracts.
func (c *Case) IsProvision() bool { return c.Purpose == "provision" }

// IsIgnition: the current contract's user-data of Container Linux.
func (c *Case) IsIgnition() bool {
	return c.Contract == Current && (c.Type == "coreos" || strings.HasPrefix(c.Type, "flatcar"))
}

// File is below the repository.
func (c *Case) File() string { return "osc/" + c.Name + ".yaml" }

// Random makes the case of a number, always the same one for a seed.
func Random(contract string, seed uint64, number int) *Case {
	random := rand.New(rand.NewPCG(seed, uint64(number)))
	g := &generator{random: random, c: &Case{Contract: contract}}
	g.make(number)
	g.c.write(random)
	return g.c
}

func (c *Case) write(random *rand.Rand) {
	text, lines := WriteYAML(random, c.Object)
	c.Text, c.Lines = text, lines
	for _, secret := range c.Secrets {
		text, _ := WriteYAML(random, secret)
		c.Text += text
	}
}

type generator struct {
	random *rand.Rand
	c      *Case
	paths  []string
	serial int
}

func (g *generator) make(number int) {
	c, random := g.c, g.random
	c.Type = pick(random, wanted(Types[c.Contract])...)
	c.Purpose = pick(random, "provision", "provision", "reconcile")
	c.Namespace = pick(random, "shoot--core--prod", "garden", "default")
	c.Name = g.name(number)

	files, units := g.files(), g.units()
	spec := Map{{"type", c.Type}, {"purpose", c.Purpose}}
	if cri := g.cri(); cri != nil {
		spec = spec.Set("criConfig", cri)
	}
	if config := g.providerConfig(); config != nil {
		spec = spec.Set("providerConfig", config)
	}
	if c.Contract == Era2021 && chance(random, 60) {
		spec = spec.Set("reloadConfigFilePath", g.path())
	}
	if c.Contract == Current && !c.IsProvision() && chance(random, 25) {
		spec = spec.Set("inPlaceUpdates", g.inPlaceUpdates())
	}
	if len(files) > 0 || chance(random, 50) {
		spec = spec.Set("files", files)
	}
	if len(units) > 0 || chance(random, 50) {
		spec = spec.Set("units", units)
	}
	random.Shuffle(len(spec), func(i, j int) { spec[i], spec[j] = spec[j], spec[i] })
	c.Object = Map{{"apiVersion", "extensions.gardener.cloud/v1alpha1"}, {"kind", "OperatingSystemConfig"},
		{"metadata", g.metadata()}, {"spec", spec}}
}

// wanted are the types that GARDENER_TYPES names, where somebody looks for a fault of some alone.
func wanted(types []string) []string {
	only := strings.Fields(os.Getenv("GARDENER_TYPES"))
	if len(only) == 0 {
		return types
	}
	return slices.DeleteFunc(slices.Clone(types), func(name string) bool { return !slices.Contains(only, name) })
}

func (g *generator) name(number int) string {
	hash := fmt.Sprintf("%016x", g.random.Uint64())
	suffix := map[bool]string{true: "-init", false: "-original"}[g.c.IsProvision()]
	if g.c.Contract == Era2021 {
		suffix = map[bool]string{true: "-downloader", false: "-original"}[g.c.IsProvision()]
	}
	switch g.random.IntN(4) {
	case 0:
		return fmt.Sprintf("gardener-node-agent-pool-%d-%s%s", number, hash, suffix)
	case 1:
		return fmt.Sprintf("cloud-config-pool-%d-%s%s", number, hash[:5], suffix)
	case 2:
		return fmt.Sprintf("p%d.example%s", number, suffix)
	}
	return fmt.Sprintf("pool-%d", number)
}

func (g *generator) metadata() Map {
	m := Map{{"name", g.c.Name}, {"namespace", g.c.Namespace}}
	if chance(g.random, 50) {
		m = m.Set("generation", 1+g.random.IntN(20))
	}
	if chance(g.random, 30) {
		m = m.Set("labels", Map{{"worker.gardener.cloud/pool", pick(g.random, "worker", "pool-a", "cpu.big")}})
	}
	if chance(g.random, 20) {
		m = m.Set("uid", fmt.Sprintf("%08x-0000-4000-8000-%012x", g.random.Uint32(), g.random.Uint64()&0xffffffffffff))
	}
	if chance(g.random, 20) {
		m = m.Set("annotations", Map{{"gardener.cloud/timestamp", "2023-11-14T22:13:20Z"}})
	}
	return m
}

// path is one that no other of the case is, or is below.
func (g *generator) path() string {
	g.serial++
	parts := []string{fmt.Sprintf("d%d", g.serial)}
	for range g.random.IntN(3) {
		parts = append(parts, component(g.random))
	}
	if chance(g.random, 60) {
		parts = append([]string{pick(g.random, "etc", "opt", "var/lib", "srv")}, parts...)
	}
	return "/" + strings.Join(parts, "/") + "/" + component(g.random)
}

// ---- files -------------------------------------------------------------------------------------

func (g *generator) files() List {
	var out List
	for range g.random.IntN(6) {
		path := g.path()
		if g.c.Contract == Current && !g.c.IsProvision() && chance(g.random, 15) {
			for _, host := range []string{"node-a", "node-b.example", "node-c"}[g.random.IntN(3):] {
				out = append(out, g.file(path).Set("hostName", host))
			}
		} else {
			out = append(out, g.file(path))
		}
		g.paths = append(g.paths, path)
	}
	return out
}

func (g *generator) file(path string) Map {
	file := Map{{"path", path}}
	if !chance(g.random, 25) {
		mode := pick(g.random, Mode(0), 0o644, 0o644, 0o600, 0o755, 0o400, 0o4755, 0o7777, 0o1350, 0o10)
		if g.c.IsIgnition() && g.c.IsProvision() {
			mode &= 0o777 // known.txt: special bits in Ignition
		}
		file = file.Set("permissions", mode)
	}
	file = file.Set("content", g.content())
	if chance(g.random, 4) {
		file = file.Set("encoding", "b64")
	}
	return file
}

func (g *generator) content() Map {
	random := g.random
	if g.c.Contract == Current && !g.c.IsProvision() && chance(random, 8) {
		return Map{{"imageRef", Map{{"image", "registry.example/agent:v1"}, {"filePathInImage", "/agent"}}}}
	}
	isClear := chance(random, 25)
	var out Map
	switch random.IntN(5) {
	case 0:
		data := anyBytes(random)
		if isClear || len(data) == 0 && random.IntN(2) == 0 {
			data = []byte(g.clearText())
		}
		out = Map{{"secretRef", g.secret(data)}}
	case 1, 2:
		data := anyBytes(random)
		if isClear {
			data = []byte(g.clearText())
		}
		if len(data) == 0 {
			data = []byte{0}
		}
		out = Map{{"inline", Map{{"encoding", "b64"}, {"data", anyBase64(random, data)}}}}
	default:
		text := anyText(random)
		if isClear {
			text = g.clearText()
		} else if chance(random, 3) {
			text += "\x00"
		} else {
			text = g.oddText(text)
		}
		out = Map{{"inline", Map{{"encoding", ""}, {"data", text}}}}
		if g.c.Contract == Current && chance(random, 10) {
			out = Map{{"inline", Map{{"data", text}}}}
		}
	}
	if isClear {
		return out.Set("transmitUnencoded", true)
	} else if chance(random, 15) {
		return out.Set("transmitUnencoded", false)
	}
	return out
}

// oddText adds to some of the texts that no gardenlet has to write.
func (g *generator) oddText(text string) string {
	if g.c.Contract == Current && !g.c.IsProvision() || chance(g.random, 95) {
		return text
	}
	return noYAML + text + noYAML
}

// clearText may hold one of what machine-controller-manager replaces.
func (g *generator) clearText() string {
	mark := pick(g.random, "<<BOOTSTRAP_TOKEN>>", "<<MACHINE_NAME>>", "")
	if mark != "" && chance(g.random, 50) {
		return mark
	}
	return anyText(g.random) + mark + pick(g.random, "", "\n", anyText(g.random))
}

func (g *generator) secret(data []byte) Map {
	name := fmt.Sprintf("%s-s%d", g.c.Name[:min(len(g.c.Name), 40)], len(g.c.Secrets))
	name = strings.NewReplacer(".", "-").Replace(name)
	key := pick(g.random, "token", "ca.crt", "client_key", "A-b.c")
	if len(data) > 0 {
		// No line of it is in the clear anyway, in a text of the output: osm-gen refuses to write that.
		lines := bytes.Split(data, []byte("\n"))
		for i, line := range lines {
			if i == len(lines)-1 || len(line) > 0 {
				lines[i] = fmt.Appendf(slices.Clip(line), "%016x", g.random.Uint64())
			}
		}
		data = bytes.Join(lines, []byte("\n"))
	}
	secret := Map{{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", Map{{"name", name}, {"namespace", g.c.Namespace}}}}
	if utf8.Valid(data) && chance(g.random, 25) {
		secret = secret.Set("stringData", Map{{key, string(data)}})
	} else {
		secret = secret.Set("data", Map{{"other", "b3RoZXI="}, {key, base64.StdEncoding.EncodeToString(data)}})
	}
	g.c.Secrets = append(g.c.Secrets, secret)
	return Map{{"name", name}, {"dataKey", key}}
}

// ---- units -------------------------------------------------------------------------------------

func (g *generator) units() List {
	var out List
	var names []string
	for range g.random.IntN(5) {
		name := g.unitName(len(out))
		if slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		out = append(out, g.unit(name))
	}
	return out
}

func (g *generator) unitName(number int) string {
	if chance(g.random, 65) {
		return pick(g.random, "kubelet.service", "docker.service", "gardener-node-init.service", "cloud-config-downloader.service",
			"var-lib.mount", "a.timer", "x@1.service", "systemd-journald.service")
	}
	return fmt.Sprintf("u%d%s.service", number, pick(g.random, "", "it's", `"q"`, " b", "$HOME", "`id`", `\x2d`, "ä", "%i", "{{x}}", ";", "+"))
}

func (g *generator) unit(name string) Map {
	unit := Map{{"name", name}}
	text := func() string {
		if g.c.IsIgnition() && g.c.IsProvision() || chance(g.random, 50) {
			return systemdText(g.random)
		}
		return g.oddText(anyText(g.random))
	}
	if chance(g.random, 60) {
		unit = unit.Set("command", pick(g.random, "start", "stop", "restart"))
	}
	if chance(g.random, 60) {
		unit = unit.Set("enable", chance(g.random, 60))
	}
	if chance(g.random, 70) {
		unit = unit.Set("content", text())
	}
	var dropIns List
	for i := range g.random.IntN(4) {
		name := fmt.Sprintf("%d0-%s.conf", i, pick(g.random, "x", "proxy", "it's", "a b", "$x", "ä"))
		dropIns = append(dropIns, Map{{"name", name}, {"content", text()}})
	}
	if len(dropIns) > 0 {
		unit = unit.Set("dropIns", dropIns)
	}
	if g.c.Contract == Current && len(g.paths) > 0 && chance(g.random, 30) {
		unit = unit.Set("filePaths", List{pick(g.random, g.paths...)})
	}
	g.random.Shuffle(len(unit), func(i, j int) { unit[i], unit[j] = unit[j], unit[i] })
	return unit
}

// ---- the rest ----------------------------------------------------------------------------------

func (g *generator) cri() Map {
	random := g.random
	if chance(random, 40) {
		return nil
	}
	if g.c.Contract == Era2021 {
		return Map{{"name", pick(random, "containerd", "containerd", "docker")}}
	}
	cri := Map{{"name", "containerd"}}
	if chance(random, 50) {
		cri = cri.Set("cgroupDriver", pick(random, "systemd", "cgroupfs"))
	}
	if g.c.IsProvision() || chance(random, 40) {
		return cri
	}
	containerd := Map{{"sandboxImage", "registry.example/pause:3.10"}}
	if chance(random, 60) {
		var registries List
		for _, upstream := range []string{"docker.io", "registry.example:5000", "_default"}[random.IntN(3):] {
			registries = append(registries, g.registry(upstream))
		}
		containerd = containerd.Set("registries", registries)
	}
	if chance(random, 60) {
		containerd = containerd.Set("plugins", List{
			Map{{"path", List{"io.containerd.grpc.v1.cri", "containerd"}},
				{"values", Map{{"b", 1}, {"a", List{true, "x"}}, {"<&>", pick(random, "x", "ä", "")}}}},
			Map{{"op", "remove"}, {"path", List{"io.containerd.x"}}}})
	}
	return cri.Set("containerd", containerd)
}

func (g *generator) registry(upstream string) Map {
	random := g.random
	registry := Map{{"upstream", upstream}}
	if chance(random, 60) {
		registry = registry.Set("server", "https://"+strings.TrimPrefix(upstream, "_")+pick(random, "", "/v2"))
	}
	host := Map{{"url", pick(random, "https://mirror.example", "http://10.0.0.1:5000/x")}}
	if chance(random, 50) {
		host = host.Set("capabilities", List{"pull", "resolve", "push"}[:1+random.IntN(3)])
	}
	if chance(random, 30) {
		host = host.Set("caCerts", List{"/var/ca.crt"})
	}
	if chance(random, 30) {
		host = host.Set("overridePath", chance(random, 50))
	}
	if chance(random, 70) {
		registry = registry.Set("hosts", List{host})
	}
	if chance(random, 30) {
		registry = registry.Set("readinessProbe", false)
	}
	return registry
}

func (g *generator) providerConfig() Map {
	random := g.random
	switch {
	case chance(random, 40):
		return nil
	case g.c.Type == "memoryone-chost":
		config := Map{{"apiVersion", "memoryone-chost.os.extensions.gardener.cloud/v1alpha1"}, {"kind", "OperatingSystemConfiguration"}}
		if chance(random, 50) {
			config = config.Set("memoryTopology", pick(random, "2", "3", "a b"))
		}
		if chance(random, 50) {
			config = config.Set("systemMemory", pick(random, "6x", "7x", "1=2"))
		}
		if g.c.Contract == Current && chance(random, 50) {
			config = config.Set("vsmpConfiguration", Map{{"z", "1"}, {"a", "2;b=3"}, {"mem_topology", "9"}, {"k;x", "v"}}[random.IntN(4):])
		}
		return config
	case g.c.Contract == Current && strings.HasPrefix(g.c.Type, "flatcar"):
		config := Map{{"apiVersion", "config.coreos.os.extensions.gardener.cloud/v1alpha1"}, {"kind", "ExtensionConfig"}}
		return config.Set("ntp", Map{{"enabled", chance(random, 50)}, {"daemon", "systemd-timesyncd"}})
	}
	return nil
}

func (g *generator) inPlaceUpdates() Map {
	updates := Map{{"operatingSystemVersion", pick(g.random, "1877.3.0", "1877.3.0-abc", "v1.2.3")}, {"kubelet", "1.34.1"}}
	if chance(g.random, 60) {
		updates = updates.Set("credentialsRotation", Map{
			{"certificateAuthorities", Map{{"lastInitiationTime", "2026-01-02T03:04:05Z"}}},
			{"serviceAccountKey", Map{{"lastInitiationTime", "2026-01-02T05:04:05+02:00"}}}})
	}
	return updates
}
