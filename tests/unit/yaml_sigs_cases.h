/*
 * What sigs.k8s.io/yaml v1.6.0 makes of JSON, taken from the library itself: {JSON, its YAML}.
 */
/* clang-format off */
static const struct {
	const char *json;
	size_t json_len;
	const char *yaml;
} sigs_cases[] = {
	{"{\"apiVersion\": \"v1\", \"clusters\": [{\"cluster\": {\"certificate-authority-data\": \"TFMwdExTMUNSVWRKVGlCRFJWSlVTVVpKUTBGVVJTMHRMUzB0\", \"server\": \"https://foo.bar:6443\"}, \"name\": \"c\"}], \"contexts\": [{\"context\": {\"cluster\": \"c\", \"user\": \"c\"}, \"name\": \"c\"}], \"current-context\": \"c\", \"kind\": \"Config\", \"users\": [{\"name\": \"c\", \"user\": {\"token\": \"abcdef.0123456789abcdef\"}}]}", 363,
	 "apiVersion: v1\n"
	 "clusters:\n"
	 "- cluster:\n"
	 "    certificate-authority-data: TFMwdExTMUNSVWRKVGlCRFJWSlVTVVpKUTBGVVJTMHRMUzB0\n"
	 "    server: https://foo.bar:6443\n"
	 "  name: c\n"
	 "contexts:\n"
	 "- context:\n"
	 "    cluster: c\n"
	 "    user: c\n"
	 "  name: c\n"
	 "current-context: c\n"
	 "kind: Config\n"
	 "users:\n"
	 "- name: c\n"
	 "  user:\n"
	 "    token: abcdef.0123456789abcdef\n"},
	{"{\"users\": [{\"name\": \"c\", \"user\": {\"token\": \"123456.1234567890123456\"}}, {\"name\": \"y\", \"user\": {\"token\": \"0x12ab\"}}, {\"name\": \"1e5\", \"user\": {\"token\": \"1e5.123\"}}], \"server\": \"\", \"proxy-url\": \"http://p:3128\", \"preferences\": {\"colors\": true}, \"insecure-skip-tls-verify\": false, \"extensions\": []}", 293,
	 "extensions: []\n"
	 "insecure-skip-tls-verify: false\n"
	 "preferences:\n"
	 "  colors: true\n"
	 "proxy-url: http://p:3128\n"
	 "server: \"\"\n"
	 "users:\n"
	 "- name: c\n"
	 "  user:\n"
	 "    token: \"123456.1234567890123456\"\n"
	 "- name: \"y\"\n"
	 "  user:\n"
	 "    token: \"0x12ab\"\n"
	 "- name: \"1e5\"\n"
	 "  user:\n"
	 "    token: 1e5.123\n"},
	{"\"x\"", 3,
	 "x\n"},
	{"\"\"", 2,
	 "\"\"\n"},
	{"null", 4,
	 "null\n"},
	{"true", 4,
	 "true\n"},
	{"-5", 2,
	 "-5\n"},
	{"1.5", 3,
	 "1.5\n"},
	{"1e+21", 5,
	 "1e+21\n"},
	{"123456789.5", 11,
	 "1.234567895e+08\n"},
	{"1000000.0", 9,
	 "1000000\n"},
	{"[]", 2,
	 "[]\n"},
	{"{}", 2,
	 "{}\n"},
	{"[[], {}, [[1]]]", 15,
	 "- []\n"
	 "- {}\n"
	 "- - - 1\n"},
	{"{\"a\": \"line one\\nline two\\n\", \"b\": \"no end\\nx\", \"c\": \"two\\n\\n\", \"d\": \"\\nlead\", \"e\": \"  ind\\nx\\n\", \"f\": \"trail \\nx\", \"g\": \"tab\\there\\nx\", \"h\": \"\\n\", \"i\": \"x\\ty\", \"end\": \"a\\n  \"}", 176,
	 "a: |\n"
	 "  line one\n"
	 "  line two\n"
	 "b: |-\n"
	 "  no end\n"
	 "  x\n"
	 "c: |+\n"
	 "  two\n"
	 "\n"
	 "d: |2-\n"
	 "\n"
	 "  lead\n"
	 "e: |2\n"
	 "    ind\n"
	 "  x\n"
	 "end: \"a\\n  \"\n"
	 "f: \"trail \\nx\"\n"
	 "g: \"tab\\there\\nx\"\n"
	 "h: |2+\n"
	 "\n"
	 "i: \"x\\ty\"\n"},
	{"{\"z\": 1, \"a10\": 1, \"a2\": 1, \"A\": 1, \"_\": 1, \"1\": 1, \"10\": 1, \"9\": 1, \"a-b\": 1, \"a.b\": 1, \"\303\251\": 1, \"\": 1, \"a\": {\"b\": {\"c\": [{\"d\": 1, \"e\": [1, 2, {\"f\": null}]}]}}}", 161,
	 "\"\": 1\n"
	 "_: 1\n"
	 "\"1\": 1\n"
	 "\"9\": 1\n"
	 "\"10\": 1\n"
	 "A: 1\n"
	 "a:\n"
	 "  b:\n"
	 "    c:\n"
	 "    - d: 1\n"
	 "      e:\n"
	 "      - 1\n"
	 "      - 2\n"
	 "      - f: null\n"
	 "a-b: 1\n"
	 "a.b: 1\n"
	 "a2: 1\n"
	 "a10: 1\n"
	 "z: 1\n"
	 "\303\251: 1\n"},
	{"[\"yes\", \"No\", \"~\", \"null\", \"\", \"0755\", \"1_000\", \"12:30\", \"1:60\", \"2020-01-01\", \"2020-13-01\", \"2020-1-1 1:2:3\", \"1.5\", \"1e3\", \".5\", \"+1\", \"0b1\", \"<<\", \"=\", \".inf\", \"v1\", \"10.0.0.1\", \"-\", \"- a\", \"-a\", \"--x\", \"a: b\", \"a:\", \"a:b\", \" a\", \"a \", \"a #b\", \"a#b\", \"#a\", \"'a'\", \"\\\"a\\\"\", \"a'b\", \"@a\", \"`a\", \"%a\", \"&a\", \"*a\", \"!a\", \"|\", \"> x\", \"\?\", \"\? a\", \"\?a\", \":a\", \": a\", \"[a\", \"{a\", \"a,b\", \"a]\", \"...\", \"---\", \"--- a\", \"\303\251 \303\274\", \"\360\237\230\200\", \"\342\200\250\", \"\302\240\", \"\\u0007\\u001b\\u0000\", \"\\\\\", \"a\\\\nb\"]", 476,
	 "- \"yes\"\n"
	 "- \"No\"\n"
	 "- \"~\"\n"
	 "- \"null\"\n"
	 "- \"\"\n"
	 "- \"0755\"\n"
	 "- \"1_000\"\n"
	 "- \"12:30\"\n"
	 "- 1:60\n"
	 "- \"2020-01-01\"\n"
	 "- 2020-13-01\n"
	 "- \"2020-1-1 1:2:3\"\n"
	 "- \"1.5\"\n"
	 "- \"1e3\"\n"
	 "- \".5\"\n"
	 "- \"+1\"\n"
	 "- \"0b1\"\n"
	 "- <<\n"
	 "- =\n"
	 "- \".inf\"\n"
	 "- v1\n"
	 "- 10.0.0.1\n"
	 "- '-'\n"
	 "- '- a'\n"
	 "- -a\n"
	 "- --x\n"
	 "- 'a: b'\n"
	 "- 'a:'\n"
	 "- a:b\n"
	 "- ' a'\n"
	 "- 'a '\n"
	 "- 'a #b'\n"
	 "- a#b\n"
	 "- '#a'\n"
	 "- '''a'''\n"
	 "- '\"a\"'\n"
	 "- a'b\n"
	 "- '@a'\n"
	 "- '`a'\n"
	 "- '%a'\n"
	 "- '&a'\n"
	 "- '*a'\n"
	 "- '!a'\n"
	 "- '|'\n"
	 "- '> x'\n"
	 "- '\?'\n"
	 "- '\? a'\n"
	 "- \?a\n"
	 "- :a\n"
	 "- ': a'\n"
	 "- '[a'\n"
	 "- '{a'\n"
	 "- a,b\n"
	 "- a]\n"
	 "- '...'\n"
	 "- '---'\n"
	 "- '--- a'\n"
	 "- \303\251 \303\274\n"
	 "- \"\\U0001F600\"\n"
	 "- '\342\200\250'\n"
	 "- \302\240\n"
	 "- \"\\a\\e\\0\"\n"
	 "- \\\n"
	 "- a\\nb\n"},
	{"{\"long\": \"the quick brown fox jumps over the lazy dog and then it runs far away from the house on the hill\", \"quoted\": \"it's: the quick brown fox jumps over the lazy dog and then it runs far away from the house on the hill\", \"double\": \"\\ttab the quick brown fox jumps over the lazy dog and then  it runs far away from the house on the hill  x\", \"nosplit\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"list\": [\"the quick brown fox jumps over the lazy dog and then it runs far away from the house on the hill, again and again and again\"]}", 596,
	 "double: \"\\ttab the quick brown fox jumps over the lazy dog and then  it runs far away\n"
	 "  from the house on the hill  x\"\n"
	 "list:\n"
	 "- the quick brown fox jumps over the lazy dog and then it runs far away from the house\n"
	 "  on the hill, again and again and again\n"
	 "long: the quick brown fox jumps over the lazy dog and then it runs far away from the\n"
	 "  house on the hill\n"
	 "nosplit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
	 "quoted: 'it''s: the quick brown fox jumps over the lazy dog and then it runs far away\n"
	 "  from the house on the hill'\n"},
	{"{\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\": 1, \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\": [1], \"multi\\nline\": {\"a\": 1}, \"m\\nn\": [\"x\", [\"y\"]], \"o\\np\": \"s\", \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\": \"t\\nu\\n\"}", 477,
	 "\? bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
	 ": |\n"
	 "  t\n"
	 "  u\n"
	 "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk: 1\n"
	 "\? kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n"
	 ": - 1\n"
	 "\? |-\n"
	 "  m\n"
	 "  n\n"
	 ": - x\n"
	 "  - - \"y\"\n"
	 "\? |-\n"
	 "  multi\n"
	 "  line\n"
	 ": a: 1\n"
	 "\? |-\n"
	 "  o\n"
	 "  p\n"
	 ": s\n"},
	{"{\"9007199254740993\": 9007199254740993, \"big\": 18446744073709551615, \"neg\": -9223372036854775808, \"f\": 0.1, \"e\": 1e-07, \"h\": 1e+20}", 130,
	 "\"9007199254740993\": 9007199254740993\n"
	 "big: 18446744073709551615\n"
	 "e: 1e-07\n"
	 "f: 0.1\n"
	 "h: 1e+20\n"
	 "neg: -9223372036854775808\n"},
};
/* clang-format on */
