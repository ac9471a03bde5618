package gardenercases

import (
	"fmt"
	"math/rand/v2"
)

// Wrong is a way in which an OperatingSystemConfig is wrong. Plant puts it into a right one, with a
// Mark around what is to be said.
type Wrong struct {
	Name     string
	Contract string // "": both
	Purpose  string // "": both
	Types    []string
	Plant    func(c *Case, spec Map) Map
}

func aFile(path string, content any) Map {
	return Map{{"path", path}, {"permissions", Mode(0o644)}, {"content", content}}
}

func inline(encoding, data any) Map {
	return Map{{"inline", Map{{"encoding", encoding}, {"data", data}}}}
}

func withFile(files ...any) func(*Case, Map) Map {
	return func(_ *Case, spec Map) Map {
		list, _ := spec.Get("files").(List)
		return spec.Set("files", append(list, files...))
	}
}

func withUnit(unit any) func(*Case, Map) Map {
	return func(_ *Case, spec Map) Map {
		list, _ := spec.Get("units").(List)
		return spec.Set("units", append(list, unit))
	}
}

func set(key string, value any) func(*Case, Map) Map {
	return func(_ *Case, spec Map) Map { return spec.Set(key, value) }
}

func without(key string) func(*Case, Map) Map {
	return func(_ *Case, spec Map) Map { return spec.Without(key) }
}

func containerd(members ...Entry) func(*Case, Map) Map {
	return set("criConfig", Map{{"name", "containerd"}, {"containerd", append(Map{{"sandboxImage", "registry.example/pause:1"}}, members...)}})
}

func registry(members ...Entry) func(*Case, Map) Map {
	return containerd(Entry{"registries", List{Map(members)}})
}

var nothing = Map{}

// Wrongs are all that there are.
var Wrongs = []Wrong{
	// Gardener's validation.
	{"no purpose", "", "", nil, without("purpose")},
	{"empty purpose", "", "", nil, set("purpose", Mark{""})},
	{"unknown purpose", "", "", nil, set("purpose", Mark{"reconcil"})},
	{"unit without a name", "", "", nil, withUnit(Mark{Map{{"content", "x"}}})},
	{"unit with an empty name", "", "", nil, withUnit(Map{{"name", Mark{""}}})},
	{"drop-in without a name", "", "", nil, withUnit(Map{{"name", "wrong.service"}, {"dropIns", List{Mark{Map{{"content", "x"}}}}}})},
	{"drop-in with an empty name", "", "", nil, withUnit(Map{{"name", "wrong.service"}, {"dropIns", List{Map{{"name", Mark{""}}, {"content", "x"}}}}})},
	{"drop-in without content", "", "", nil, withUnit(Map{{"name", "wrong.service"}, {"dropIns", List{Mark{Map{{"name", "x.conf"}}}}}})},
	{"drop-in with empty content", "", "", nil, withUnit(Map{{"name", "wrong.service"}, {"dropIns", List{Map{{"name", "x.conf"}, {"content", Mark{""}}}}}})},
	{"file without a path", "", "", nil, withFile(Mark{Map{{"content", inline("", "x")}}})},
	{"file with an empty path", "", "", nil, withFile(Map{{"path", Mark{""}}, {"content", inline("", "x")}})},
	{"file twice", "", "", nil, withFile(aFile("/wrong", inline("", "x")), Map{{"path", Mark{"/wrong"}}, {"content", inline("", "y")}})},
	{"file without content", "", "", nil, withFile(Mark{Map{{"path", "/wrong"}}})},
	{"file with empty content", "", "", nil, withFile(aFile("/wrong", Mark{nothing}))},
	{"two sources", "", "", nil, withFile(aFile("/wrong", Map{{"inline", Map{{"encoding", ""}, {"data", "x"}}}, {"secretRef", Mark{Map{{"name", "n"}, {"dataKey", "k"}}}}}))},
	{"secretRef without a name", "", "", nil, withFile(aFile("/wrong", Map{{"secretRef", Mark{Map{{"dataKey", "k"}}}}}))},
	{"secretRef without a key", "", "", nil, withFile(aFile("/wrong", Map{{"secretRef", Mark{Map{{"name", "n"}}}}}))},
	{"unknown encoding", "", "", nil, withFile(aFile("/wrong", inline(Mark{"base64"}, "eA==")))},
	{"gzip", "", "", nil, withFile(aFile("/wrong", inline(Mark{"gzip"}, "eA==")))},
	{"gzip+b64", "", "", nil, withFile(aFile("/wrong", inline(Mark{"gzip+b64"}, "eA==")))},
	{"no data", "", "", nil, withFile(aFile("/wrong", Map{{"inline", Mark{Map{{"encoding", ""}}}}}))},
	{"empty data", "", "", nil, withFile(aFile("/wrong", inline("", Mark{""})))},
	{"file path of no file", Current, "", nil, withUnit(Map{{"name", "wrong.service"}, {"filePaths", List{Mark{"/no/file"}}}})},
	{"host name", Current, "reconcile", nil, withFile(aFile("/wrong", inline("", "x")).Set("hostName", Mark{"No_Host"}))},
	{"host name twice", Current, "reconcile", nil, withFile(aFile("/wrong", inline("", "x")).Set("hostName", "a"),
		Map{{"path", Mark{"/wrong"}}, {"hostName", "a"}, {"content", inline("", "x")}})},
	{"host name and none", Current, "reconcile", nil, withFile(aFile("/wrong", inline("", "x")).Set("hostName", "a"),
		Map{{"path", Mark{"/wrong"}}, {"content", inline("", "x")}})},
	{"imageRef without an image", Current, "reconcile", nil, withFile(aFile("/wrong", Map{{"imageRef", Mark{Map{{"filePathInImage", "/x"}}}}}))},
	{"imageRef without a path", Current, "reconcile", nil, withFile(aFile("/wrong", Map{{"imageRef", Mark{Map{{"image", "x"}}}}}))},
	{"cgroup driver", Current, "", nil, set("criConfig", Map{{"name", "containerd"}, {"cgroupDriver", Mark{"sytemd"}}})},
	{"containerd in provision", Current, "provision", nil, set("criConfig", Map{{"name", "containerd"}, {"containerd", Mark{Map{{"sandboxImage", "x"}}}}})},
	{"no sandbox image", Current, "reconcile", nil, set("criConfig", Map{{"name", "containerd"}, {"containerd", Mark{Map{{"plugins", List{}}}}}})},
	{"upstream twice", Current, "reconcile", nil, containerd(Entry{"registries", List{Map{{"upstream", "a.example"}}, Map{{"upstream", Mark{"a.example"}}}}})},
	{"upstream", Current, "reconcile", nil, registry(Entry{"upstream", Mark{"https://a.example"}})},
	{"port of an upstream", Current, "reconcile", nil, registry(Entry{"upstream", Mark{"a.example:70000"}})},
	{"scheme of a server", Current, "reconcile", nil, registry(Entry{"upstream", "a"}, Entry{"server", Mark{"ftp://a"}})},
	{"host of a server", Current, "reconcile", nil, registry(Entry{"upstream", "a"}, Entry{"server", Mark{"https:///x"}})},
	{"URL of a server", Current, "reconcile", nil, registry(Entry{"upstream", "a"}, Entry{"server", Mark{"http://[::1"}})},
	{"URL of a host", Current, "reconcile", nil, registry(Entry{"upstream", "a"}, Entry{"hosts", List{Map{{"url", Mark{"mirror"}}}}})},
	{"capability", Current, "reconcile", nil, registry(Entry{"upstream", "a"}, Entry{"hosts", List{Map{{"url", "https://m"}, {"capabilities", List{"pull", Mark{"fetch"}}}}}})},
	{"operation of a plugin", Current, "reconcile", nil, containerd(Entry{"plugins", List{Map{{"op", Mark{"drop"}}, {"path", List{"a"}}}}})},
	{"path of a plugin", Current, "reconcile", nil, containerd(Entry{"plugins", List{Map{{"op", "add"}, {"path", Mark{List{}}}}}})},
	{"values of what is removed", Current, "reconcile", nil, containerd(Entry{"plugins", List{Map{{"op", "remove"}, {"path", List{"a"}}, {"values", Mark{Map{{"a", 1}}}}}}})},
	{"values that are no object", Current, "reconcile", nil, containerd(Entry{"plugins", List{Map{{"path", List{"a"}}, {"values", Mark{List{"x"}}}}}})},
	// What decoding finds.
	{"text for a mode", "", "", nil, withFile(aFile("/wrong", inline("", "x")).Set("permissions", Mark{"rw-r--r--"}))},
	{"negative mode", "", "", nil, withFile(aFile("/wrong", inline("", "x")).Set("permissions", Mark{-1}))},
	{"text for enable", "", "", nil, withUnit(Map{{"name", "wrong.service"}, {"enable", Mark{"often"}}})},
	// What the extension finds.
	{"no such Secret", "", "", nil, withFile(aFile("/wrong", Map{{"secretRef", Map{{"name", Mark{"nowhere"}}, {"dataKey", "k"}}}}))},
	{"no base64", "", "", nil, withFile(aFile("/wrong", inline("b64", Mark{"Y*Q="})))},
	{"half base64", "", "", nil, withFile(aFile("/wrong", inline("b64", Mark{"YWJ"})))},
	{"image in provision", Current, "provision", nil, withFile(aFile("/wrong", Map{{"imageRef", Mark{Map{{"image", "x"}, {"filePathInImage", "/x"}}}}}))},
	{"provider config of another kind", "", "provision", []string{"memoryone-chost"}, set("providerConfig", Map{
		{"apiVersion", "memoryone-chost.os.extensions.gardener.cloud/v1alpha1"}, {"kind", Mark{"Configuration"}}})},
	{"type in provider config", "", "provision", []string{"memoryone-chost"}, set("providerConfig", Map{
		{"apiVersion", "memoryone-chost.os.extensions.gardener.cloud/v1alpha1"}, {"kind", "OperatingSystemConfiguration"}, {"systemMemory", Mark{6}}})},
	{"unknown type", "", "", nil, set("type", Mark{"ubunto"})},
	// What nobody but osm-gen finds.
	{"no such key", "", "", nil, func(c *Case, spec Map) Map {
		c.Secrets = append(c.Secrets, Map{{"apiVersion", "v1"}, {"kind", "Secret"},
			{"metadata", Map{{"name", c.Name + "-wrong"}, {"namespace", c.Namespace}}}, {"data", Map{{"token", "eA=="}}}})
		return withFile(aFile("/wrong", Map{{"secretRef", Map{{"name", c.Name + "-wrong"}, {"dataKey", Mark{"tokn"}}}}}))(c, spec)
	}},
	{"relative path", "", "", nil, withFile(aFile("/x", inline("", "x")), Map{{"path", Mark{"etc/wrong"}}, {"content", inline("", "x")}})},
	{"path that is not clean", "", "", nil, withFile(Map{{"path", Mark{"/etc/../wrong"}}, {"content", inline("", "x")}})},
	{"NUL in a path", "", "", nil, withFile(Map{{"path", Mark{"/wro\x00ng"}}, {"content", inline("", "x")}})},
	{"NUL in the clear", "", "", nil, withFile(aFile("/wrong", inline("", Mark{"a\x00b"}).Set("transmitUnencoded", true)))},
	{"slash in a unit's name", "", "", nil, withUnit(Map{{"name", Mark{"../wrong.service"}}, {"content", "x"}})},
	{"slash in a drop-in's name", "", "", nil, withUnit(Map{{"name", "wrong.service"}, {"dropIns", List{Map{{"name", Mark{"../../x"}}, {"content", "x"}}}}})},
	{"mode above 07777", "", "", nil, withFile(aFile("/wrong", inline("", "x")).Set("permissions", Mark{Mode(0o10000)}))},
	{"special bits in Ignition", Current, "provision", []string{"flatcar"}, withFile(Map{{"path", Mark{"/wrong"}}, {"permissions", Mode(0o4755)}, {"content", inline("", "x")}})},
	{"third host name", Current, "reconcile", nil, withFile(aFile("/wrong", inline("", "x")).Set("hostName", "a"), aFile("/wrong", inline("", "x")).Set("hostName", "b"),
		Map{{"path", Mark{"/wrong"}}, {"hostName", "b"}, {"content", inline("", "x")}})},
	{"two spellings of criConfig", "", "", nil, func(_ *Case, spec Map) Map {
		return append(spec.Without("criConfig"), Entry{"cri", Mark{Map{{"name", "docker"}}}}, Entry{"criConfig", Map{{"name", "containerd"}}})
	}},
}

// Wronged plants a mistake in a random case of a number that it can be in.
func Wronged(wrong *Wrong, contract string, seed uint64, number int) (*Case, error) {
	for try := range 1000 {
		random := rand.New(rand.NewPCG(seed, uint64(number)<<20|uint64(try)))
		g := &generator{random: random, c: &Case{Contract: contract}}
		g.make(number)
		c := g.c
		if wrong.Purpose != "" && c.Purpose != wrong.Purpose || len(wrong.Types) > 0 && c.Type != wrong.Types[0] {
			continue
		}
		spec := wrong.Plant(c, c.Object.Get("spec").(Map))
		c.Name = fmt.Sprintf("wrong-%d", number)
		c.Object = c.Object.Set("spec", spec)
		c.Object.Get("metadata").(Map).Set("name", c.Name)
		c.Mistake = wrong.Name
		c.write(random)
		return c, nil
	}
	return nil, fmt.Errorf("%s: no case for it", wrong.Name)
}
