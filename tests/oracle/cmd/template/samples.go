package main

import (
	"encoding/json"
	"strings"
)

// words are divided by U+241E, which none of them contains.
func words(s string) []string { return strings.Split(s, "␞") }

// Strings by what they are for. Each kind has some that are wrong.
var samples = map[string][]string{
	"s": words("␞a␞abc␞Hello World␞héllo wörld␞  spaced  out ␞a,b,c␞a=b:NoSchedule␞x\ty\n␞line1\nline2\n\nline4␞" +
		"FooBarBaz␞foo_bar-baz qux␞HTTP20xOK␞<a href=\"x\">&'</a>␞日本語テキスト␞\x00\x01\x7f␞\U0001F600é\u0301␞ǅ ß İ ſ␞" +
		"3␞true␞yes␞No␞=␞!x␞&a␞*a␞@a␞%a␞|␞>␞[a␞{a␞a]␞a: b␞a #b␞ lead␞trail ␞\ttab␞2001-01-01␞2001-01-01T00:00:00Z␞.5␞012␞0o7␞1_000␞12:30:45␞<<␞a\n\n  b\n␞\n␞\n\nx␞x\n\n␞a\\b\tc␞\u0085␞\ufeffx␞This is a text of more than eighty letters, which is where some writers of YAML begin a new line or fold.␞null␞v1.33.4␞{{ .KubeVersion }}␞--flag=value␞\\back\\slash␞`␞'q'␞\"q\"␞%d %s␞$1␞\u2028\u00a0\u0085␞" +
		"The quick brown fox jumps over the lazy dog and runs away␞a\rb\r\nc␞_complex__case_␞key: value␞- x␞# c␞~␞0x1F␞1e3"),
	"sep":    words(",␞␞ ␞a␞::␞\n␞é␞.␞, ␞=␞ab"),
	"key":    words("a␞b␞k␞c␞x␞␞Alpha␞Zeta␞cpu␞é␞10␞a.b␞Error␞metrics␞scheme␞host␞path␞_0␞nope␞true␞~␞y␞a10␞a9␞A␞B b␞_␞a-b␞\"q\"␞1␞09␞1.5␞\n␞key with = and #␞日本"),
	"re":     words("a␞[a-z]+␞(\\w+)\\s(\\w+)␞^$␞.*␞a|b|␞(?i)HELLO␞\\d+␞(?P<n>.)(.)?␞[^,]*␞(␞[z-a]␞\\pL+␞x*␞\\bfoo\\b␞(?m)^l.*$␞a{2,3}␞a{1001}␞\\C␞é␞(?s).+?␞*␞a**␞(?<n>a)␞\\Q.\\E␞[[:alpha:]]␞\\z␞(?P<é>a)␞(?P<n>a)(?P<m>b)?␞(?i)ſ␞[^[:space:]]+␞\\x{1F600}|\\é␞\\B␞\\p{Letter}+␞[^\\p{ascii}]␞(a|ab)(c|bcd)␞(?U)a+"),
	"repl":   words("x␞$1␞${1}y␞$1W␞$$␞$n␞${n}-$0␞␞$␞${␞\\1␞[$2]"),
	"num":    words("0␞1␞-7␞42␞1.9␞.5␞0x1F␞0b11␞0o17␞017␞089␞1_000␞9223372036854775807␞9223372036854775808␞1e3␞␞abc␞ 3␞+4␞inf␞NaN␞-0␞0x1p-2␞1e400␞3.␞--1␞1__0"),
	"json":   words("{}␞[]␞{\"a\":1,\"b\":[1,2.5,null,true,\"x\"]}␞[1,\"two\",{\"c\":null}]␞{\"a\":{\"b\":{\"c\":1e21}}}␞null␞3␞\"s\"␞{\"a\":␞{\"a\":1}x␞{a:1}␞[1,]␞{\"a\":1e999}␞{\"b\":2,\"a\":1e999,\"c\":[1e999,3]}␞[1e999]␞1e999␞{\"<\":\"\\u00e9\\ud83d\\ude00\\ud800\"}␞{\"a\":1,\"a\":2}␞tru␞ ␞[[[[]]]]␞{\"big\":12345678901234567890}␞\"\\x\""),
	"yaml":   words("a: 1\nb: [x, y]\n␞- 1\n- a: b\n  c: ~\n␞a: {b: {c: 0644}}\n␞x: \"q\\n\"\ny: 'it''s'\nz: |\n  text\n  more\n␞k: yes\nt: true\nn: null\nf: 1e3\n␞a: 2001-01-01\nb: 0o17\nc: 0x1F\nd: .inf\n␞a: [1␞a: b: c␞\ta: 1␞&x a: *x␞a: &x 1\nb: *x\n␞1: one\ntrue: yes\n␞- - 1\n  - 2\n␞--- \na: 1\n---\nb: 2\n␞␞text␞a: >-\n  folded\n  text\n\n  end\n␞? a\n: b\n␞a: !!str 1\n␞a: 1\na: 2\n␞<<: {a: 1}\nb: 2\n␞a: 1_000\nb: 12e03\nc: 0.10\n␞é: ☃\n␞%YAML 1.2\n---\na: 1\n␞m: {2001-01-01: a}\n␞m: {!!binary aGk=: x}\n␞!!null x"),
	"toml":   words("a = 1\nb = \"x\"\n␞version = 3\n[metrics]\naddress = \"127.0.0.1:1338\"\n␞[a.b]\nc = [1, 2]\n[[t]]\nx = 1\n[[t]]\nx = 2\n␞f = 1.5\ni = {k = true}\n␞d = 1979-05-27T07:32:00Z\n␞a =␞a = 1\na = 2\n␞[a␞x = 'lit'\ny = \"\"\"m\nl\"\"\"\n␞n = 0x1F\no = 0o17\nz = inf\n␞␞\"q k\" = [[1, 2], [\"a\"]]\n␞[a]\nb.c = 1\n[a.d]\ne = []\n␞t = 07:32:00\nl = 1979-05-27\n"),
	"layout": words("Jan 2, 2006 at 3:04pm (MST)␞20060102150405␞2006-01-02 15:04:05.000000␞Mon 2 Jan␞01/02/06 03:04:05PM -07␞␞2006-01-02␞15:04:05␞Mon Jan _2 15:04:05 2006␞02 Jan 06 15:04 MST␞2006-01-02T15:04:05Z07:00␞3:04PM␞Monday, 02-Jan-06␞.000 .999 ,000␞-0700 -07:00 Z07␞002 __2␞␞x␞2006-1-2 3:4:5 pm␞06 _2006␞05.0000000000␞-070000 -07:00:00␞Z070000 Z07:00:00␞05,999Z07:00"),
	"zone":   words("UTC␞␞Local␞Europe/Berlin␞No/Such"),
	"day":    words("2024-12-31␞2000-01-01␞1582-10-15␞2023-11-14␞2024-02-29␞1970-01-01␞2023-13-01␞␞x␞0001-01-01␞9999-12-31␞2051-07-01␞2099-03-29␞1901-12-13"),
	"dur":    words("1h␞-90m␞1h30m10s␞100ms␞24h␞8760h␞x␞␞1.5h␞10µs␞3␞-1ns␞72h3m0.5s␞2562047h47m16.854775807s␞-2562047h47m16.854775808s␞+.5s␞1h-1s␞9223372037s␞1.m"),
	"path":   words("/a/b.c␞a/b/../c␞/␞␞.␞..␞a//b/␞/etc/kubernetes/kubelet.conf␞x.tar.gz␞./x␞/../a␞\\a\\b"),
	"url":    words("http://u:p@host:80/p/q?x=1&y=2#frag␞https://1.2.3.4:6443␞/only/path␞mailto:a@b␞//h/p␞http://[::1]:80/␞://x␞http://a b/␞␞%zz␞http://h:x/␞http://h/%41%2f?q=%20#%41␞a:b:c"),
	"b64":    words("aGVsbG8=␞YQ==␞␞a␞!!!!␞aGk␞aGVs\nbG8=␞YR==␞30zJ/j0xUEyH2zVHnHHBX3b1vqzLuUO2AJ4yJZ5xWXU="),
	"b32":    words("NBSWY3DP␞ME======␞␞a␞!!!!␞nbswy3dp"),
	"sem":    words("v1.33.4␞1.2.3␞1.2␞v1␞1.2.3-beta.1+b5␞0.0.0␞x␞1.2.3.4␞␞ 1.2.3␞v1.2.03␞99999999999999999999.0.0␞1.33.4-rc.0"),
	"con":    words(">=1.2␞^1.2.3␞~1.33␞1.x␞*␞>1.0.0, <2␞1.2 - 1.4.5␞!=1.33.4␞>= 1.30 || < 1.0␞=1.33.4␞␞x␞>=1.2.3-0␞~>1.2␞=>1␞<v2.x␞^0.0.3␞1.2.3 1.2.4"),
	"type":   words("string␞int␞float64␞map␞slice␞ptr␞*string␞map[string]interface {}␞[]string␞bool␞int64␞v1alpha1.CloudProvider␞invalid␞time.Time␞struct"),
}

var integers = words("0␞1␞-1␞3␞7␞10␞42␞0x1F␞0o17␞017␞0b101␞1_000␞'a'␞'\\n'␞'é'␞1e3␞4.0␞-7␞+5␞1000000␞9223372036854775807␞-9223372036854775808␞9223372036854775808␞18446744073709551615␞0644␞0x1e3␞'\\''␞65536␞100000000000000000000␞2147483648")
var floats_ = words("0.0␞1.5␞-2.5␞.5␞5.␞1e21␞1e-7␞123456789.0␞0x1p4␞1e20␞-0.0␞0.1␞3.14159␞1e6␞999999.5␞1.7976931348623157e308␞5e-324␞1e400␞2i␞1+2i␞1_0.5␞100.0␞33.333333333333336")

// The fields of resources.filesData. Kinds that no function asks for ("ps": a pointer to a string)
// come where anything may.
var profileFields = fieldsOf(`KubeVersion s; KubeletConfiguration s; InTreeCCMAvailable b; CNIVersion s
ClusterDNSIPs ips; KubernetesCACert s; HostCACert s; CloudConfig s; ContainerRuntime s; CloudProviderName ns
NetworkConfig ptr; NetworkConfig.DNS struct; NetworkConfig.DNS.Servers S; NetworkConfig.IPFamily ns
NetworkConfig.GetIPFamily ns; NetworkConfig.IPFamily.HasIPv4 b; NetworkConfig.GetIPFamily.IsDualstack b; NetworkConfig.IsStaticIPConfig b; NetworkConfig.CIDR s; ExternalCloudProvider b
InitialTaints s; HTTPProxy ps; NoProxy ps; ContainerRuntimeConfig s; KubeletFeatureGates mb; RHSubscription M
NetworkIPFamily s; PauseImage s; KubeReserved pm; SystemReserved pm; EvictionHard pm; MaxPods pi
ContainerLogMaxSize ps; ImageGCHighThresholdPercent pi; ImageMinimumGCAge dur; ImageMinimumGCAge.Duration d
ImageMinimumGCAge.Seconds f; ImageMaximumGCAge dur; AmazonLinuxConfig struct; FlatcarConfig struct
FlatcarConfig.DisableAutoUpdate b; FlatcarConfig.ProvisioningUtility ns; RhelConfig struct
RhelConfig.AttachSubscription b; UbuntuConfig.DistUpgradeOnBoot b; Token s; ServerURL s; SecretName s
KubeVersion s; CloudProviderName ns; KubeReserved.cpu s; kubeletConfig u; bootstrapConfig u`)

func fieldsOf(table string) []field {
	var out []field
	for _, entry := range strings.FieldsFunc(table, func(r rune) bool { return r == ';' || r == '\n' }) {
		path, kind, _ := strings.Cut(strings.TrimSpace(entry), " ")
		out = append(out, field{"." + path, kind})
	}
	return out
}

// One entry of generated data: its kind, and the JSON values it may have.
var dataTable = []struct {
	name, kind string
	values     []string
}{
	{"s", "s", words(`"héllo World"␞""␞"a,b,c"␞"x\ty\n"␞"true"`)},
	{"e", "s", words(`""`)},
	{"n", "f", words(`3␞-2.5␞0␞1e21␞1234567␞1e-7`)},
	{"b", "b", words(`true␞false`)},
	{"z", "nil", words(`null`)},
	{"l", "l", words(`["b","a",1,null,[1]]␞[]␞[1,2,3]␞[{"k":1},{"k":2}]␞["x",{"$int":1},{"$f64":1},true]␞[[1,2],[3]]`)},
	{"sl", "S", words(`{"$strs":["x","y","x"]}␞{"$strs":[]}␞{"$strs":["10","9","é",""]}`)},
	{"il", "N", words(`{"$ints":[3,1,2]}␞{"$ints":[]}`)},
	{"m", "m", words(`{"k":"v","a":{"b":[1,{"c":"d"}]},"10":1,"9":2}␞{}␞{"a":null,"b":false,"c":[]}␞{"x":{"y":{"z":1}}}`)},
	{"m2", "m", words(`{"a":{"c":2},"k":"w","e":""}␞{"b":true}␞{"a":1}␞{"scheme":"http","host":"h","path":"/p","query":"q=1","fragment":"","opaque":"","userinfo":""}`)},
	{"mss", "M", words(`{"$mss":{"b":"2","a":"1"}}␞{"$mss":{}}`)},
	{"msb", "mb", words(`{"$msb":{"Alpha":true,"Zeta":false}}`)},
	{"msi", "mi", words(`{"$msi":{"a":1,"b":-2}}`)},
	{"mis", "mis", words(`{"$mis":{"10":"x","9":"y"}}`)},
	{"mbs", "mbs", words(`{"$mbs":{"true":"x","false":"y"}}`)},
	{"i", "i", words(`{"$int":7}␞{"$int":0}␞{"$int":-1}`)},
	{"i8", "i8", words(`{"$int8":-128}␞{"$int8":5}`)},
	{"i32", "i32", words(`{"$int32":85}`)},
	{"i64", "I", words(`{"$int64":-9}␞{"$int64":12}`)},
	{"u", "u", words(`{"$uint":5}␞{"$uint":0}`)},
	{"u8", "u8", words(`{"$uint8":200}`)},
	{"u64", "u64", words(`{"$uint64":12}`)},
	{"f32", "f32", words(`{"$f32":0.1}␞{"$f32":2049}`)},
	{"sp", "f", words(`{"$spf":"inf"}␞{"$spf":"-inf"}␞{"$spf":"nan"}␞{"$spf":"-0"}`)},
	{"p", "ps", words(`{"$pstr":"ptr"}`)},
	{"np", "ps", words(`{"$pstr":null}`)},
	{"pi", "pi", words(`{"$pint":4}`)},
	{"nm", "ns", words(`{"$named":"nm"}␞{"$named":""}`)},
	{"em", "m", words(`{}`)},
	{"el", "l", words(`[]`)},
	{"nilm", "m", words(`{"$nilmap":true}`)},
	{"nils", "l", words(`{"$nilslice":true}`)},
	{"t", "t", words(`{"$time":1700000000}␞{"$time":0}␞{"$time":-62135596800}`)},
	{"d", "d", words(`{"$dur":3}␞{"$dur":90000000000}␞{"$dur":-1500000}`)},
	{"by", "by", words(`{"$bytes":"aGk="}␞{"$bytes":""}␞{"$bytes":"/wCA"}`)},
	{"bs", "s", words(`{"$b64str":"/2H+"}`)},
	{"ml", "s", words(`"a\n  b\n\nc\n"`)},
	{"ip", "ip", words(`{"$ip":"10.0.0.1"}␞{"$ip":"fd00::a"}`)},
	{"ips", "ips", words(`{"$ips":["10.0.0.1","::1"]}`)},
	{"err", "err", words(`{"$err":"my error"}`)},
	{"str", "str", words(`{"$stringer":"s"}`)},
}

var inner = fieldsOf(`m.k a; m.a.b a; m.a a; m.x.y a; mss.a s; msb.Alpha b; l.k a; t.Year i; t.Unix I
d.Seconds f; d.Hours f; ip.String s; s.x a; z.a a; nope a; m.nope a; nope.x a; nilm.x a`)

// data makes the data of a case and says what is in it.
func (g *generator) data() (json.RawMessage, []field) {
	var out strings.Builder
	fields := append([]field(nil), inner...)
	for i, entry := range dataTable {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + entry.name + `":` + pick(g, entry.values))
		fields = append(fields, field{"." + entry.name, entry.kind})
	}
	return json.RawMessage("{" + out.String() + "}"), fields
}
