/*
 * Ignition, fact by fact of docs/spec/userdata.md 3. What is expected here comes from the real
 * transpiler; the oracle compares with it live.
 */
#include "osm_fixture.h"
#include "userdata/userdata.h"

#define HEAD                                                                                       \
	"{\"ignition\":{\"config\":{},\"security\":{\"tls\":{}},\"timeouts\":{},"                  \
	"\"version\":\"2.3.0\"},\"networkd\":{},\"passwd\":{"

static void assert_text(struct fixture *f, const struct node_config *node, const char *want)
{
	struct value got;

	assert_int_equal(userdata_ignition(f->arena, &f->sink, node, NULL, &got), STATUS_OK);
	assert_sv(got.string, want);
}

static void nothing_at_all(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_config node = {0};

	(void)state;
	assert_text(&f, &node, HEAD "},\"storage\":{},\"systemd\":{}}");
}

static void host_name_keys_and_escapes(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_config node = {
	    .hostname = value_string(SV(NODE_MACHINE_NAME)),
	    .upgrade_packages = true, /* not for Ignition */
	};

	(void)state;
	node_set_ssh_keys(f.arena, &node, fixture_yaml(&f, "[ssh-a A u@h, 'b <&>\"']"));
	assert_text(&f, &node,
	            HEAD "\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"ssh-a A u@h\","
	                 "\"b \\u003c\\u0026\\u003e\\\"\"]}]},"
	                 "\"storage\":{\"files\":[{\"filesystem\":\"root\",\"path\":"
	                 "\"/etc/machine-name\",\"contents\":{\"source\":"
	                 "\"data:,%3CMACHINE_NAME%3E\",\"verification\":{}},\"mode\":384}]},"
	                 "\"systemd\":{}}");
}

/* A key is written into a list of YAML, which has no blanks at the end of a plain text. */
static void keys_end_with_their_last_letter(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_config node = {0};

	(void)state;
	node_set_ssh_keys(f.arena, &node, fixture_yaml(&f, "['ssh-a A ', 'ssh-b B']"));
	assert_text(&f, &node,
	            HEAD "\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"ssh-a A\","
	                 "\"ssh-b B\"]}]},\"storage\":{},\"systemd\":{}}");
}

static void units_and_drop_ins(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_drop_in drop_ins[] = {
	    {value_string(SV("10-a.conf")), value_string(SV("[Service]\nA=<b>\n"))},
	    {value_string(SV("20-b.conf")), value_string(SV("  \n"))},
	};
	struct node_unit units[] = {
	    {.name = value_string(SV("a.service")),
	     .enable = NODE_ENABLE_YES,
	     .content = value_string(SV("[Unit]\n[Install]\nWantedBy=x"))},
	    {.name = value_string(SV("b.timer")),
	     .mask = true,
	     .enable = NODE_ENABLE_YES,
	     .content = value_string(SV("")),
	     .drop_ins = drop_ins,
	     .drop_in_count = 2},
	    {.name = value_string(SV("c.mount")), .content = value_string(SV(" \n"))},
	};
	const struct node_config node = {.units = units, .unit_count = 3};

	(void)state;
	assert_text(&f, &node,
	            HEAD "},\"storage\":{},\"systemd\":{\"units\":["
	                 "{\"contents\":\"[Unit]\\n[Install]\\nWantedBy=x\\n\",\"enabled\":true,"
	                 "\"name\":\"a.service\"},"
	                 "{\"dropins\":[{\"contents\":\"[Service]\\nA=\\u003cb\\u003e\\n\","
	                 "\"name\":\"10-a.conf\"},{\"name\":\"20-b.conf\"}],\"enabled\":true,"
	                 "\"mask\":true,\"name\":\"b.timer\"},"
	                 "{\"enabled\":false,\"name\":\"c.mount\"}]}}");
}

/* ---- files ------------------------------------------------------------------------------- */

static enum status render_file(struct fixture *f, const struct node_file *file, sv *ret_source,
                               sv *ret_mode)
{
	struct node_file files[] = {*file};
	const struct node_config node = {.files = files, .file_count = 1};
	struct value got;

	if (userdata_ignition(f->arena, &f->sink, &node, NULL, &got) != STATUS_OK)
		return STATUS_FAILED;
	sv head;
	sv tail;
	assert_true(sv_cut(got.string, SV("\"source\":\"data:,"), &head, &tail));
	assert_true(sv_cut(tail, SV("\",\"verification\":{}},\"mode\":"), ret_source, &tail));
	assert_true(sv_cut(tail, SV("}]"), ret_mode, &head));
	return STATUS_OK;
}

static void texts_go_through_yaml(void **state)
{
	static const struct {
		const char *text;
		const char *source; /* null: refused */
	} cases[] = {
	    {"", ""},
	    {" \n   \n", ""},
	    {"a b/c", "a%20b%2Fc%0A"},
	    {"a\n\n\n", "a%0A"},
	    {"\n\na\n", "%0A%0Aa%0A"},
	    {"a\r\nb\r\n", "a%0Ab%0A"},
	    {"  a\n   b\n  c", "a%0A%20b%0Ac%0A"},
	    {"   \n a\n", NULL},       /* the blank line is deeper */
	    {"   \n # a\n", ""},       /* ... and only comments follow */
	    {"  a\n# b\n", "a%0A"},    /* a comment of the YAML around it */
	    {"  a\n# b\n  c\n", NULL}, /* text after it */
	    {"  a\nb\n", NULL},        /* less indentation */
	    {"  a\n   \n  b\n", "a%0A%20%0Ab%0A"},
	    {"\ta\n", NULL},
	    {"a\n\tb\n", "a%0A%09b%0A"},
	    {"  a\n\tb\n", NULL},
	    {"a\rb\n", NULL},
	    {"a\xC2\x85\nb\n", "a%0A%0Ab%0A"},
	    {"a\xE2\x80\xA8"
	     "b\n",
	     NULL},
	    {"a\xE2\x80\xA9"
	     "b\n",
	     NULL},
	    {"a\xE2\x80\x99s\n", "a%E2%80%99s%0A"}, /* begins as those two line breaks do */
	    {"a\x01", NULL},
	    {"a\x7F", NULL},
	    {"a\xC2\x80", NULL},
	    {"a\xFF", NULL},
	    {"a\xEF\xBF\xBD", "a%EF%BF%BD%0A"}, /* U+FFFD itself */
	    {"a\xEF\xBF\xBE", NULL},
	    {"a\xEF\xBF\xBF", NULL},                                        /* U+FFFF */
	    {"a\xEE\x80\x80\xF0\x90\x80\x80", "a%EE%80%80%F0%90%80%80%0A"}, /* U+E000, U+10000 */
	    {"a\xEF\xBB\xBF\xF0\x9F\x9A\x80", "a%EF%BB%BF%F0%9F%9A%80%0A"},
	    {"-_.!~*'()%<&>", "-_.!~*'()%25%3C%26%3E%0A"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct node_file file = {
		    .path = value_string(SV("/f")),
		    .mode_text = SV("0644"),
		    .encoding = value_string(SV("b64")), /* not for Ignition */
		    .content = value_string(sv_from_cstr(cases[i].text)),
		};
		sv source;
		sv mode;

		enum status status = render_file(&f, &file, &source, &mode);
		assert_int_equal(status, cases[i].source ? STATUS_OK : STATUS_FAILED);
		if (status == STATUS_OK) {
			assert_sv(source, cases[i].source);
			assert_sv(mode, "420");
			continue;
		}
		assert_int_equal(f.sink.error_count, 1);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_IGNITION_TEXT);
		assert_true(f.sink.diags.items[0]->help.len > 0);
	}
}

static void vanishing_comments_are_told(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_file file = {
	    .path = value_string(SV("/f")),
	    .mode_text = SV("0644"),
	    .content = value_string(SV("  a\n\n# b\n")),
	};
	sv source;
	sv mode;

	(void)state;
	assert_int_equal(render_file(&f, &file, &source, &mode), STATUS_OK);
	assert_int_equal(f.sink.error_count, 0);
	assert_diag_count(&f.sink, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_IGNITION_LOST);
	assert_sv(f.sink.diags.items[0]->text,
	          "file /f: comments from line 3 on vanish on the way to Ignition");
}

static void modes(void **state)
{
	static const struct {
		const char *mode;
		const char *number; /* null: refused */
	} cases[] = {
	    {"0755", "493"}, {"0600", "384"},  {"0888", "888"},  {"0189", "189"},
	    {"44", "44"},    {"1777", "1777"}, {"4095", "4095"}, {"4096", NULL},
	    {"-5", NULL},    {"0-50", NULL},   {"7", "7"},       {"-2147483648", NULL},
	    {"0", "0"},      {"-1", NULL},     {"1", "1"},       {"2147483648", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct node_file file = {
		    .path = value_string(SV("/f")),
		    .mode_text = sv_from_cstr(cases[i].mode),
		    .content = value_string(SV("x")),
		};
		sv source;
		sv mode;

		enum status status = render_file(&f, &file, &source, &mode);
		assert_int_equal(status, cases[i].number ? STATUS_OK : STATUS_FAILED);
		if (status == STATUS_OK)
			assert_sv(mode, cases[i].number);
		else
			assert_int_equal(f.sink.diags.items[0]->code, DIAG_IGNITION_FILE);
	}
}

/* ---- names ------------------------------------------------------------------------------- */

static void paths(void **state)
{
	static const struct {
		const char *path;
		const char *written; /* null: refused */
		enum diag_code code;
	} cases[] = {
	    {"/a b: #c", "/a b: #c", 0},
	    {"a", NULL, DIAG_IGNITION_FILE},
	    {"/a'b", NULL, DIAG_IGNITION_NAME},
	    {"/a''b", "/a'b", 0},
	    {"/a' # c", "/a", 0},
	    {"/\xC3\xA9", "/\xC3\xA9", 0},
	    {"/a\nb", "/a b", 0},
	    {"/a\x02", NULL, DIAG_IGNITION_NAME},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct node_file files[] = {{
		    .path = value_string(sv_from_cstr(cases[i].path)),
		    .mode_text = SV("0644"),
		    .content = value_string(SV("x")),
		}};
		const struct node_config node = {.files = files, .file_count = 1};
		struct value got;

		enum status status = userdata_ignition(f.arena, &f.sink, &node, NULL, &got);
		assert_int_equal(status, cases[i].written ? STATUS_OK : STATUS_FAILED);
		if (status != STATUS_OK) {
			assert_int_equal(f.sink.diags.items[0]->code, cases[i].code);
			continue;
		}
		assert_true(sv_contains(
		    got.string, arena_printf(f.arena, "\"path\":\"%s\",", cases[i].written)));
	}
}

static void keys(void **state)
{
	static const struct {
		const char *keys;    /* a YAML list */
		const char *written; /* null: refused */
	} cases[] = {
	    {"['ssh-a # me', x]", "[\"ssh-a\",\"x\"]"},
	    {"['~', 'null', 'a']", "[\"a\"]"},
	    {"['~']", ""},
	    {"['true', '0x1F', '1_000', '.inf', '1e3', 'yes']",
	     "[\"true\",\"0x1F\",\"1_000\",\".inf\",\"1e3\",\"yes\"]"},
	    {"[\"'it''s'\", '\"dq\"']", "[\"it's\",\"dq\"]"},
	    {"['a: b']", NULL},
	    {"['a:']", NULL},
	    {"['@a']", NULL},
	    {"['`a']", NULL},
	    {"['[a']", NULL},
	    {"['{a}']", NULL},
	    {"['*a']", NULL},
	    {"['&x a', '*x']", "[\"a\",\"a\"]"},
	    {"['- a']", NULL},
	    {"['-a', '?a', ':a']", "[\"-a\",\"?a\",\":a\"]"},
	    {"['| a']", NULL},
	    {"['|']", "[\"\"]"},
	    {"['%a']", NULL},
	    {"[\"'open\"]", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct node_config node = {0};
		struct value got;

		node_set_ssh_keys(f.arena, &node, fixture_yaml(&f, cases[i].keys));
		enum status status = userdata_ignition(f.arena, &f.sink, &node, NULL, &got);
		assert_int_equal(status, cases[i].written ? STATUS_OK : STATUS_FAILED);
		if (status != STATUS_OK) {
			assert_int_equal(f.sink.diags.items[0]->code, DIAG_IGNITION_NAME);
			continue;
		}
		sv want = arena_printf(f.arena, "{\"name\":\"core\"%s%s}",
		                       cases[i].written[0] ? ",\"sshAuthorizedKeys\":" : "",
		                       cases[i].written);
		assert_true(sv_contains(got.string, want));
	}
}

/* The key that breaks the list is named, not the first one. */
static void key_that_breaks_the_list(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct node_config node = {0};
	struct value got;

	(void)state;
	node_set_ssh_keys(f.arena, &node, fixture_yaml(&f, "[fine, 'a: b', fine too]"));
	assert_int_equal(userdata_ignition(f.arena, &f.sink, &node, NULL, &got), STATUS_FAILED);
	assert_int_equal(f.sink.diags.count, 1);
	assert_int_equal(position_line_column(f.sink.diags.items[0]->at).column, 8);
}

/* ---- units ------------------------------------------------------------------------------- */

#define X64   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X512  X64 X64 X64 X64 X64 X64 X64 X64
#define X2048 X512 X512 X512 X512

static void units_are_checked(void **state)
{
	static const struct {
		const char *unit;    /* YAML */
		enum diag_code code; /* 0: fine */
		const char *at;
		const char *text;
	} cases[] = {
	    {"{name: a.conf}", DIAG_IGNITION_UNIT, "1:8",
	     "unit \"a.conf\": invalid systemd unit extension"},
	    {"{name: 'a.service # b'}", 0, NULL, NULL},
	    {"{name: 'a.service '}", 0, NULL, NULL},
	    {"{name: 'a.b/service'}", DIAG_IGNITION_UNIT, "1:8", NULL},
	    {"{name: '~'}", DIAG_IGNITION_UNIT, "1:8", NULL},
	    {"{name: 'a: b.service'}", DIAG_IGNITION_NAME, "1:8",
	     "this name of a unit cannot be written in the YAML that Ignition is made from"},
	    {"name: a.service\nenable: true\ncontent: |\n  [Unit]\n  A=b\n", DIAG_IGNITION_UNIT,
	     "4:3",
	     "unit \"a.service\": is enabled, but has no install section so enable does nothing"},
	    {"name: a.service\nenable: true\ncontent: |\n  [Install]\n  [Unit]\n  A=b\n",
	     DIAG_IGNITION_UNIT, "4:3", NULL},
	    {"name: a.service\nenable: true\ncontent: |\n  [Install]\n  A=b\n", 0, NULL, NULL},
	    {"name: a.service\nenable: true\ncontent: |\n  no option at all\n", 0, NULL, NULL},
	    {"name: a.service\ncontent: |\n  [Unit]\n  A=b\n  garbage\n", DIAG_IGNITION_UNIT, "5:3",
	     "unit \"a.service\": unexpected newline encountered while parsing option name"},
	    {"name: a.service\ncontent: |\n  # c\n  [Unit] x\n", DIAG_IGNITION_UNIT, "4:3",
	     "unit \"a.service\": found garbage after section name"},
	    /* Comments before a section and in one, which a backslash continues. */
	    {"name: a.service\ncontent: |\n  # [c\n  ; [c\n  [Unit]\n  A=b\n", 0, NULL, NULL},
	    {"name: a.service\ncontent: |\n  [Unit]\n  # c\n  A=b\n", 0, NULL, NULL},
	    {"name: a.service\ncontent: |\n  [Unit]\n  ; c\n  A=b\n", 0, NULL, NULL},
	    {"name: a.service\ncontent: |\n  [Unit]\n  # c \\\n  garbage\n  A=b\n", 0, NULL, NULL},
	    {"name: a.service\ncontent: |\n  [Unit]\n  ; c\n  garbage\n", DIAG_IGNITION_UNIT, "5:3",
	     NULL},
	    {"name: a.service\ncontent: |\n  [Unit\n", DIAG_IGNITION_UNIT, "3:3",
	     "unit \"a.service\": unable to find end of section"},
	    {"name: a.service\ncontent: |\n  [Unit]\n  A=" X2048 "\n", DIAG_IGNITION_UNIT, "4:3",
	     "unit \"a.service\": line too long (max 2048 bytes)"},
	    /* A line that is longer than the buffer, of which the buffer has less than 2048 bytes.
	     */
	    {"name: a.service\ncontent: |\n  # " X512 X512 X512 "\n  # " X512 X512 X512
	     "\n  # " X2048 X2048 X512 "\n  [Unit]\n  A=b\n",
	     0, NULL, NULL},
	    {"name: a.service\ncontent: |\n  [Unit]\n  A=b \\\n  garbage\n", 0, NULL, NULL},
	    {"name: a.service\ncontent: |2\n   [Unit]\n  A=b\n", DIAG_IGNITION_TEXT, "4:3",
	     "unit a.service, line 2: Ignition cannot carry this content: this line has less "
	     "indentation than the text's first line"},
	    {"name: a.service\ndropIns:\n- {name: a.service, content: x}\n", DIAG_IGNITION_UNIT,
	     "3:10", "unit \"a.service\": invalid systemd drop-in extension"},
	    {"name: a.service\ndropIns:\n- {name: a.conf, content: '[U'}\n", DIAG_IGNITION_UNIT,
	     "3:28", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct value *given = fixture_yaml(&f, cases[i].unit);
		const struct value *drop_in = value_map_get(given, SV("dropIns"));
		const struct value *content = value_map_get(given, SV("content"));
		struct node_drop_in drop_ins[1];
		struct node_unit units[] = {{
		    .name = *value_map_get(given, SV("name")),
		    .enable = value_map_get(given, SV("enable")) ? NODE_ENABLE_YES : NODE_ENABLE_NO,
		    .content = content ? *content : value_string(SV("")),
		    .drop_ins = drop_ins,
		    .drop_in_count = drop_in ? 1 : 0,
		}};
		const struct node_config node = {.units = units, .unit_count = 1};
		struct value got;

		if (drop_in)
			drop_ins[0] = (struct node_drop_in){
			    *value_map_get(value_item(drop_in, 0), SV("name")),
			    *value_map_get(value_item(drop_in, 0), SV("content")),
			};
		enum status status = userdata_ignition(f.arena, &f.sink, &node, NULL, &got);
		assert_int_equal(status, cases[i].code ? STATUS_FAILED : STATUS_OK);
		if (!cases[i].code) {
			assert_diag_count(&f.sink, 0);
			continue;
		}
		assert_int_equal(f.sink.error_count, 1);
		const struct diag *diag = f.sink.diags.items[0];
		assert_int_equal(diag->code, cases[i].code);
		assert_place(diag->at, cases[i].at);
		if (cases[i].text)
			assert_sv(diag->text, cases[i].text);
		assert_true(diag->help.len > 0);
	}
}

/* ---- what Flatcar stops at ---------------------------------------------------------------- */

/* Paths, and units as NAME, NAME! (with content), each followed by drop-ins as +NAME, +NAME!. */
static struct node_config node_of(struct fixture *f, const struct value *paths,
                                  const struct value *names)
{
	static const struct value text = {.type = &type_string, .string = SV_INIT("[Unit]\n")};
	static const struct value no_text = {.type = &type_string, .string = SV_INIT("")};
	struct node_config node = {
	    .files = ARENA_ARRAY(f->arena, struct node_file, value_count(paths) + 1),
	    .units = ARENA_ARRAY(f->arena, struct node_unit, value_count(names) + 1),
	    .hostname = value_string(SV(NODE_MACHINE_NAME)),
	};

	for (size_t i = 0; i < value_count(paths); i++)
		node.files[node.file_count++] = (struct node_file){
		    .path = *value_item(paths, i), .mode_text = SV("0644"), .content = text};
	for (size_t i = 0; i < value_count(names); i++) {
		struct value name = *value_item(names, i);
		bool is_drop_in = sv_starts_with(name.string, SV("+"));
		bool has_text = sv_ends_with(name.string, SV("!"));

		name.string = sv_slice(name.string, is_drop_in, name.string.len - has_text);
		if (!is_drop_in) {
			node.units[node.unit_count++] = (struct node_unit){
			    .name = name,
			    .content = has_text ? text : no_text,
			    .drop_ins =
			        ARENA_ARRAY(f->arena, struct node_drop_in, value_count(names))};
			continue;
		}
		struct node_unit *unit = &node.units[node.unit_count - 1];
		unit->drop_ins[unit->drop_in_count++] =
		    (struct node_drop_in){name, has_text ? text : no_text};
	}
	return node;
}

static void what_flatcar_stops_at(void **state)
{
	static const struct {
		const char *files;
		const char *units;
		enum diag_code code; /* 0: fine */
		const char *at;
	} cases[] = {
	    {"[/a, /b, /a.b, /c/a]", "[a.service!, +a.conf!, +b.conf!, b.service!, +a.conf]", 0,
	     NULL},
	    {"[/a, /b, /a]", "[]", DIAG_IGNITION_PATH_TWICE, "1:10"},
	    {"[/a, /b//.././a/]", "[]", DIAG_IGNITION_PATH_TWICE, "1:6"},
	    {"[/a, '/../a']", "[]", DIAG_IGNITION_PATH_TWICE, "1:6"},
	    {"[/etc/machine-name]", "[]", DIAG_IGNITION_PATH_TWICE, "1:2"},
	    {"[/etc/systemd/system/a.service]", "[a.service!]", DIAG_IGNITION_PATH_TWICE, "1:2"},
	    {"[/etc/systemd/system/a.service]", "[a.service, +a.conf!]", 0, NULL},
	    {"[/etc/systemd/system/a.service.d/a.conf]", "[a.service, +a.conf!]",
	     DIAG_IGNITION_PATH_TWICE, "1:2"},
	    {"[/etc/systemd/system/a.service.d/a.conf]", "[a.service, +a.conf]", 0, NULL},
	    {"[/a/b, /a]", "[]", DIAG_IGNITION_BELOW_FILE, "1:2"},
	    {"[/a, /b, '/a/b/c/d']", "[]", DIAG_IGNITION_BELOW_FILE, "1:10"},
	    {"[/]", "[]", DIAG_IGNITION_BELOW_FILE, "1:2"}, /* above /etc/machine-name */
	    {"[/etc/systemd]", "[a.service!]", DIAG_IGNITION_BELOW_FILE, "1:2"},
	    {"[/etc/systemd/system/a.service.d]", "[a.service, +a.conf!]", DIAG_IGNITION_BELOW_FILE,
	     "1:13"},
	    {"[/etc/systemd/system/a.service.d]", "[a.service, +a.conf]", 0, NULL},
	    {"[]", "[a.service, +a.conf, +a.conf]", DIAG_IGNITION_DROP_IN_TWICE, "1:22"},
	    {"[]", "[a.service, b.service, a.service]", DIAG_IGNITION_UNIT_TWICE, "1:24"},
	    {"[]", "[a.service!, +a.conf!, a.service!, +a.conf!]", DIAG_IGNITION_UNIT_TWICE,
	     "1:24"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct node_config node =
		    node_of(&f, fixture_yaml(&f, cases[i].files), fixture_yaml(&f, cases[i].units));
		bool warning = cases[i].code == DIAG_IGNITION_UNIT_TWICE;
		struct value got;
		enum status status = userdata_ignition(f.arena, &f.sink, &node, NULL, &got);

		assert_int_equal(status, cases[i].code && !warning ? STATUS_FAILED : STATUS_OK);
		assert_diag_count(&f.sink, cases[i].code ? 1 : 0);
		if (!cases[i].code)
			continue;
		const struct diag *diag = f.sink.diags.items[0];
		assert_int_equal(diag->code, cases[i].code);
		assert_place(diag->at, cases[i].at);
		assert_true(diag->help.len > 0);
	}
}

static void special_bits_are_left_out(void **state)
{
	static const struct {
		sv mode;
		const char *text; /* null: nothing is said */
	} cases[] = {
	    {SV_INIT("0755"), NULL},
	    {SV_INIT("04755"),
	     "file /f: Ignition sets no setuid, setgid and sticky bits, 04755 becomes 755"},
	    {SV_INIT("01007"),
	     "file /f: Ignition sets no setuid, setgid and sticky bits, 01007 becomes 007"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct node_file file = {.path = value_string(SV("/f")),
		                               .mode_text = cases[i].mode,
		                               .content = value_string(SV("x"))};
		sv source;
		sv mode;

		assert_int_equal(render_file(&f, &file, &source, &mode), STATUS_OK);
		assert_diag_count(&f.sink, cases[i].text ? 1 : 0);
		if (!cases[i].text)
			continue;
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_IGNITION_MODE_BITS);
		assert_sv(f.sink.diags.items[0]->text, cases[i].text);
	}
}

static void only_secret_bytes_are_marked(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("p/w")};
	struct text text = text_in(f.arena);
	struct node_file files[] = {{.path = value_string(SV("/f")), .mode_text = SV("0600")}};
	const struct node_config node = {.files = files, .file_count = 1};
	struct value got;

	(void)state;
	TEXT_ADD_LIT(&text, "  a=");
	text_add_secret(&text, secret.text, &secret);
	TEXT_ADD_LIT(&text, "\n  b");
	files[0].content = text_value(f.arena, &text);
	assert_int_equal(userdata_ignition(f.arena, &f.sink, &node, NULL, &got), STATUS_OK);
	size_t at = sv_find(got.string, SV("a%3Dp%2Fw%0Ab%0A"));
	assert_true(at != SV_NPOS);
	assert_int_equal(got.taint->count, 1);
	assert_int_equal(got.taint->spans[0].start, at + 4);
	assert_int_equal(got.taint->spans[0].end, at + 9);
}

UNIT_TESTS(userdata_ignition)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_at_all),
	    cmocka_unit_test(host_name_keys_and_escapes),
	    cmocka_unit_test(keys_end_with_their_last_letter),
	    cmocka_unit_test(units_and_drop_ins),
	    cmocka_unit_test(texts_go_through_yaml),
	    cmocka_unit_test(vanishing_comments_are_told),
	    cmocka_unit_test(modes),
	    cmocka_unit_test(paths),
	    cmocka_unit_test(keys),
	    cmocka_unit_test(key_that_breaks_the_list),
	    cmocka_unit_test(units_are_checked),
	    cmocka_unit_test(what_flatcar_stops_at),
	    cmocka_unit_test(special_bits_are_left_out),
	    cmocka_unit_test(only_secret_bytes_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
