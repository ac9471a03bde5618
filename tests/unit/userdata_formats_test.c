/*
 * The formats of docs/spec/userdata.md 6 that are YAML, JSON and MIME: their shape, and their
 * taints. What their readers make of them: tests/cli/formats.sh.
 */
#include "osm_fixture.h"
#include "userdata/userdata.h"

static struct value written(struct fixture *f, const char *format, const struct node_config *node)
{
	struct value text = VALUE_INVALID;

	assert_int_equal(
	    userdata_format_find(sv_from_cstr(format))->write(f->arena, &f->sink, node, &text),
	    STATUS_OK);
	return text;
}

static void assert_text(struct fixture *f, const char *format, const struct node_config *node,
                        const char *want)
{
	struct value text = written(f, format, node);

	assert_sv(show_taint(f->arena, &text), want);
}

/* ---- one node in each ---------------------------------------------------------------------- */

static struct node_file files[] = {
    {.path = {.type = &type_string, .string = SV_INIT("/a")},
     .mode = NODE_MODE_ABSENT,
     .content = {.type = &type_string, .string = SV_INIT("one\n")}},
    {.path = {.type = &type_string, .string = SV_INIT("/it's")},
     .mode = 0600,
     .content = {.type = &type_string, .string = SV_INIT("x \"<<A>>\"\t$public_ipv4 \xC3\xA9\n")},
     .is_transparent = true},
    {.path = {.type = &type_string, .string = SV_INIT("/none")},
     .mode = 0,
     .content = {.type = &type_string}},
};
static struct node_drop_in drop_ins[] = {
    {.name = {.type = &type_string, .string = SV_INIT("1.conf")},
     .content = {.type = &type_string, .string = SV_INIT("[A]\n")}},
    {.name = {.type = &type_string, .string = SV_INIT("2.conf")},
     .content = {.type = &type_string}},
};
static struct node_unit units[] = {
    {.name = {.type = &type_string, .string = SV_INIT("a.service")},
     .drop_ins = drop_ins,
     .drop_in_count = COUNT_OF(drop_ins)},
    {.name = {.type = &type_string, .string = SV_INIT("b.service")},
     .enable = NODE_ENABLE_YES,
     .command = SV_INIT("start"),
     .content = {.type = &type_string, .string = SV_INIT("[B]\nc=<&>")}},
    {.name = {.type = &type_string, .string = SV_INIT("c.service")},
     .enable = NODE_ENABLE_NO,
     .command = SV_INIT("stop"),
     .mask = true,
     .content = {.type = &type_string, .string = SV_INIT("[C]\n")}},
};
static struct node_link links[] = {
    {{.type = &type_string, .string = SV_INIT("/l/m")},
     {.type = &type_string, .string = SV_INIT("/n")}},
};

static void cloud_config(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_start starts[] = {
	    {.name = value_string(SV("a.service")), .no_block = true}};
	const struct node_script script = {
	    .before = value_string(SV("a \"b\"\nc")),
	    .after = value_string(SV("systemctl daemon-reload\n")),
	    .starts = starts,
	    .start_count = 1,
	    .once = true,
	};
	const struct node_config node = {
	    .files = files,
	    .file_count = COUNT_OF(files),
	    .links = links,
	    .link_count = COUNT_OF(links),
	    .units = units,
	    .unit_count = COUNT_OF(units),
	    .script = &script,
	    .cloud_config = value_string(SV("apt_update: false")),
	};
	const struct node_config nothing = {0};

	(void)state;
	assert_text(
	    &f, "cloud-config", &node,
	    "#cloud-config\napt_update: false\nwrite_files:\n"
	    "- path: \"/a\"\n  encoding: b64\n  content: \"b25lCg==\"\n"
	    "- path: \"/it's\"\n  permissions: \"0600\"\n"
	    "  content: \"x \\\"<<A>>\\\"\\t\\u0024public_ipv4 \xC3\xA9\\n\"\n"
	    "- path: \"/none\"\n  permissions: \"0000\"\n  encoding: b64\n  content: \"\"\n"
	    "- path: \"/etc/systemd/system/a.service.d/1.conf\"\n  encoding: b64\n"
	    "  content: \"W0FdCg==\"\n"
	    "- path: \"/etc/systemd/system/a.service.d/2.conf\"\n  encoding: b64\n"
	    "  content: \"\"\n"
	    "- path: \"/etc/systemd/system/b.service\"\n  encoding: b64\n"
	    "  content: \"W0JdCmM9PCY+\"\n"
	    "runcmd:\n"
	    "- [\"/bin/bash\", \"-c\", \"a \\\"b\\\"\\nc\"]\n"
	    "- \"chmod 0000 '/none'\"\n"
	    "- \"mkdir -p '/l/' && ln -sfT -- '/n' '/l/m'\"\n"
	    "- \"mkdir -p '/etc/systemd/system/' && ln -sfT -- '/dev/null' "
	    "'/etc/systemd/system/c.service'\"\n"
	    "- [\"/bin/bash\", \"-c\", \"systemctl daemon-reload\\n\"]\n"
	    "- \"systemctl enable 'a.service' && systemctl restart --no-block 'a.service'\"\n");
	assert_text(&f, "cloud-config", &nothing, "#cloud-config\n{}\n");
}

static void coreos_cloud_config(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_config node = {
	    .files = files,
	    .file_count = COUNT_OF(files),
	    .units = units,
	    .unit_count = COUNT_OF(units),
	    .reboot_strategy = value_string(SV("off")),
	};
	const struct node_config nothing = {0};

	(void)state;
	assert_text(&f, "coreos-cloud-config", &node,
	            "#cloud-config\n\ncoreos:\n  update:\n    reboot_strategy: \"off\"\n  units:\n"
	            "  - name: \"a.service\"\n    drop_ins:\n    - name: \"1.conf\"\n"
	            "      content: \"[A]\\n\"\n"
	            "  - name: \"b.service\"\n    enable: true\n    content: \"[B]\\nc=<&>\"\n"
	            "    command: \"start\"\n"
	            "  - name: \"c.service\"\n    mask: true\n    command: \"stop\"\n"
	            "write_files:\n"
	            "- encoding: b64\n  content: \"b25lCg==\"\n  path: \"/a\"\n"
	            "  permissions: \"0644\"\n"
	            "- content: \"x \\\"<<A>>\\\"\\t\\u0024public_ipv4 \xC3\xA9\\n\"\n"
	            "  path: \"/it's\"\n  permissions: \"0600\"\n"
	            "- encoding: b64\n  content: \"\"\n  path: \"/none\"\n"
	            "  permissions: \"0000\"\n"
	            "- encoding: b64\n  content: \"\"\n"
	            "  path: \"/etc/systemd/system/a.service.d/2.conf\"\n"
	            "  permissions: \"0644\"\n");
	assert_text(&f, "coreos-cloud-config", &nothing, "#cloud-config\n\n{}\n");
}

static void ignition(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_config node = {
	    .files = files,
	    .file_count = COUNT_OF(files),
	    .links = links,
	    .link_count = COUNT_OF(links),
	    .units = units,
	    .unit_count = COUNT_OF(units),
	};
	const struct node_config nothing = {0};

	(void)state;
	assert_text(
	    &f, "ignition", &node,
	    "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"files\":["
	    "{\"overwrite\":true,\"path\":\"/a\","
	    "\"contents\":{\"source\":\"data:;base64,b25lCg==\"}},"
	    "{\"overwrite\":true,\"path\":\"/it's\",\"contents\":{\"source\":"
	    "\"data:,x%20%22%3C%3CA%3E%3E%22%09%24public_ipv4%20%C3%A9%0A\"},\"mode\":384},"
	    "{\"overwrite\":true,\"path\":\"/none\",\"contents\":{\"source\":\"data:;base64,\"},"
	    "\"mode\":0},"
	    "{\"overwrite\":true,\"path\":\"/etc/systemd/system/a.service.d/2.conf\","
	    "\"contents\":{\"source\":\"data:;base64,\"},\"mode\":420}],"
	    "\"links\":[{\"overwrite\":true,\"path\":\"/l/m\",\"target\":\"/n\"}]},"
	    "\"systemd\":{\"units\":[{\"name\":\"a.service\","
	    "\"dropins\":[{\"name\":\"1.conf\",\"contents\":\"[A]\\n\"}]},"
	    "{\"name\":\"b.service\",\"enabled\":true,\"contents\":\"[B]\\nc=<&>\"},"
	    "{\"name\":\"c.service\",\"enabled\":false,\"mask\":true}]}}");
	assert_text(&f, "ignition", &nothing, "{\"ignition\":{\"version\":\"3.3.0\"}}");
}

static void assert_ignition2(struct fixture *f, const struct node_config *node, const char *want)
{
	struct value text = VALUE_INVALID;

	assert_int_equal(userdata_format_ignition2()->write(f->arena, &f->sink, node, &text),
	                 STATUS_OK);
	assert_sv(show_taint(f->arena, &text), want);
}

#define HEAD2                                                                                      \
	"{\"ignition\":{\"config\":{},\"security\":{\"tls\":{}},\"timeouts\":{},"                  \
	"\"version\":\"2.3.0\"},\"networkd\":{},\"passwd\":{},"

static void ignition2(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct node_config node = {
	    .files = files,
	    .file_count = COUNT_OF(files),
	    .links = links,
	    .link_count = COUNT_OF(links),
	    .units = units,
	    .unit_count = COUNT_OF(units),
	};
	struct node_file empty = {
	    .path = value_string(SV("/etc/a")), .mode = 0644, .content = value_string(SV(""))};
	const struct node_config nothing = {0};

	(void)state;
	assert_ignition2(
	    &f, &node,
	    HEAD2
	    "\"storage\":{\"files\":["
	    "{\"filesystem\":\"root\",\"overwrite\":true,\"path\":\"/a\","
	    "\"contents\":{\"source\":\"data:;base64,b25lCg==\",\"verification\":{}},\"mode\":420},"
	    "{\"filesystem\":\"root\",\"overwrite\":true,\"path\":\"/it's\","
	    "\"contents\":{\"source\":"
	    "\"data:,x%20%22%3C%3CA%3E%3E%22%09%24public_ipv4%20%C3%A9%0A\","
	    "\"verification\":{}},\"mode\":384},"
	    "{\"filesystem\":\"root\",\"overwrite\":true,\"path\":\"/none\","
	    "\"contents\":{\"source\":\"data:,\",\"verification\":{}},\"mode\":0},"
	    "{\"filesystem\":\"root\",\"overwrite\":true,"
	    "\"path\":\"/etc/systemd/system/a.service.d/2.conf\","
	    "\"contents\":{\"source\":\"data:,\",\"verification\":{}},\"mode\":420}],"
	    "\"links\":[{\"filesystem\":\"root\",\"overwrite\":true,\"path\":\"/l/m\","
	    "\"target\":\"/n\"}]},"
	    "\"systemd\":{\"units\":["
	    "{\"dropins\":[{\"contents\":\"[A]\\n\",\"name\":\"1.conf\"}],\"name\":\"a.service\"},"
	    "{\"contents\":\"[B]\\nc=<&>\",\"enabled\":true,\"name\":\"b.service\"},"
	    "{\"enabled\":false,\"mask\":true,\"name\":\"c.service\"}]}}");
	assert_ignition2(&f, &nothing, HEAD2 "\"storage\":{},\"systemd\":{}}");
	/* the line that metal-stack's extension tests */
	assert_ignition2(&f, &(struct node_config){.files = &empty, .file_count = 1},
	                 HEAD2 "\"storage\":{\"files\":[{\"filesystem\":\"root\","
	                       "\"overwrite\":true,\"path\":\"/etc/a\",\"contents\":{"
	                       "\"source\":\"data:,\",\"verification\":{}},\"mode\":420}]},"
	                       "\"systemd\":{}}");
}

/* ---- secrets ------------------------------------------------------------------------------- */

static void secrets_stay_marked(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("top<secret")};
	struct text content = text_in(f.arena);

	(void)state;
	TEXT_ADD_LIT(&content, "token: ");
	text_add_secret(&content, secret.text, &secret);
	struct value tainted = text_value(f.arena, &content);
	struct node_file some[] = {
	    {.path = value_string(SV("/a")), .mode = NODE_MODE_ABSENT, .content = tainted},
	    {.path = value_string(SV("/b")),
	     .mode = NODE_MODE_ABSENT,
	     .content = tainted,
	     .is_transparent = true},
	};
	struct node_unit unit = {.name = value_string(SV("a.service")), .content = tainted};
	const struct node_config node = {.files = some, .file_count = 2};
	const struct node_config coreos = {.units = &unit, .unit_count = 1};

	assert_text(&f, "cloud-config", &node,
	            "#cloud-config\nwrite_files:\n- path: \"/a\"\n  encoding: b64\n"
	            "  content: \"[dG9rZW46IHRvcDxzZWNyZXQ=]\"\n- path: \"/b\"\n"
	            "  content: \"token: [top<secret]\"\n");
	assert_text(&f, "ignition", &node,
	            "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"files\":["
	            "{\"overwrite\":true,\"path\":\"/a\",\"contents\":{\"source\":"
	            "\"data:;base64,[dG9rZW46IHRvcDxzZWNyZXQ=]\"}},"
	            "{\"overwrite\":true,\"path\":\"/b\",\"contents\":{\"source\":"
	            "\"data:,token%3A%20[top%3Csecret]\"}}]}}");
	assert_text(&f, "coreos-cloud-config", &coreos,
	            "#cloud-config\n\ncoreos:\n  units:\n  - name: \"a.service\"\n"
	            "    content: \"token: [top<secret]\"\n");
	TEXT_ADD_LIT(&content, "\n");
	unit.content = text_value(f.arena, &content);
	assert_text(&f, "coreos-cloud-config", &coreos,
	            "#cloud-config\n\ncoreos:\n  units:\n  - name: \"a.service\"\n"
	            "    content: \"[token: top<secret\\n]\"\n");
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void assert_refused(const char *format, const struct node_config *node, enum diag_code code,
                           const char *text)
{
	FIXTURE_AUTO f = fixture_new();
	struct value written_text;

	assert_int_equal(userdata_format_find(sv_from_cstr(format))
	                     ->write(f.arena, &f.sink, node, &written_text),
	                 STATUS_FAILED);
	assert_one_diag(&f.sink, code, "0:0", text);
}

static void what_a_format_has_no_place_for(void **state)
{
	const struct node_script script = {.after = value_string(SV("true"))};
	const struct node_config scripted = {.script = &script};
	const struct node_config linked = {.links = links, .link_count = 1};
	const struct node_config topped = {.cloud_config = value_string(SV("runcmd: []"))};
	const struct node_config rebooting = {.reboot_strategy = value_string(SV("off"))};

	(void)state;
	assert_refused("ignition", &scripted, DIAG_USERDATA_TEXT,
	               "script: this format runs no commands");
	assert_refused("coreos-cloud-config", &linked, DIAG_USERDATA_TEXT,
	               "link: this format has no links");
	assert_refused("bash", &topped, DIAG_USERDATA_TEXT,
	               "cloudInit: only the format cloud-config supports it");
	assert_refused("cloud-config", &topped, DIAG_USERDATA_TEXT,
	               "cloudInit: these lines are not fields of a cloud-config");
	assert_refused("bash", &rebooting, DIAG_USERDATA_TEXT,
	               "rebootStrategy: only the format coreos-cloud-config supports it");
}

static void what_ignition_refuses(void **state)
{
	struct node_file two[] = {files[0], files[0]};
	struct node_file sticky = {.path = value_string(SV("/a")), .mode = 01777};
	struct node_file below = {.path = value_string(SV("/l/m/x")), .mode = NODE_MODE_ABSENT};
	struct node_file dirty = {.path = value_string(SV("/a/../b")), .mode = 0};
	struct node_unit nameless = {.name = value_string(SV("a.conf"))};
	struct node_unit broken = {.name = value_string(SV("a.service")),
	                           .content = value_string(SV("[Unit] x\n"))};
	struct node_unit twice[] = {units[1], units[1]};

	(void)state;
	assert_refused("ignition", &(struct node_config){.files = two, .file_count = 2},
	               DIAG_IGNITION_FILE, "\"/a\": Ignition takes each path once");
	assert_refused("ignition", &(struct node_config){.files = &sticky, .file_count = 1},
	               DIAG_IGNITION_FILE,
	               "\"/a\": Ignition does not set setuid, setgid and sticky bits");
	assert_refused("ignition",
	               &(struct node_config){
	                   .files = &below, .file_count = 1, .links = links, .link_count = 1},
	               DIAG_IGNITION_FILE,
	               "\"/l/m/x\": the path leads through a link of the same configuration");
	assert_refused("ignition", &(struct node_config){.files = &dirty, .file_count = 1},
	               DIAG_IGNITION_FILE,
	               "\"/a/../b\": Ignition takes no path with //, /./ or /../ in it");
	assert_refused("ignition", &(struct node_config){.units = &nameless, .unit_count = 1},
	               DIAG_IGNITION_UNIT,
	               "\"a.conf\": Ignition takes only units whose names end in a unit type");
	assert_refused("ignition", &(struct node_config){.units = &broken, .unit_count = 1},
	               DIAG_IGNITION_UNIT, "\"a.service\": found garbage after section name");
	assert_refused("ignition", &(struct node_config){.units = twice, .unit_count = 2},
	               DIAG_IGNITION_UNIT, "\"b.service\": Ignition takes each unit once");
}

/* The folder of a link is made before: what is secret in its path is so in both. */
static void secrets_in_the_path_of_a_link(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("top")};
	struct text path = text_in(f.arena);

	(void)state;
	TEXT_ADD_LIT(&path, "/");
	text_add_secret(&path, secret.text, &secret);
	TEXT_ADD_LIT(&path, "/x");
	struct node_link link = {.path = text_value(f.arena, &path),
	                         .target = value_string(SV("/y"))};
	struct value text =
	    written(&f, "cloud-config", &(struct node_config){.links = &link, .link_count = 1});
	assert_contains(show_taint(f.arena, &text),
	                "mkdir -p '/[top]/' && ln -sfT -- '/y' '/[top]/x'");
}

/* Where in a text the first byte is that is not UTF-8. */
static void texts_that_are_not_utf8(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value written_text;
	struct node_unit unit = {.name = value_string(SV("a.service")),
	                         .content = value_string(SV("[Unit]\nA=\xFF"))};
	const struct node_config node = {.units = &unit, .unit_count = 1};

	(void)state;
	assert_refused("coreos-cloud-config", &node, DIAG_USERDATA_TEXT,
	               "unit \"a.service\": the content is not UTF-8, and the format cannot hold "
	               "other bytes");
	struct node_file file = {.path = value_string(SV("/a")),
	                         .content = value_string(SV("x\xFF")),
	                         .is_transparent = true};
	assert_refused("coreos-cloud-config",
	               &(struct node_config){.files = &file, .file_count = 1}, DIAG_USERDATA_TEXT,
	               "file \"/a\": the content is not UTF-8, and the format cannot hold other "
	               "bytes");
	struct node_drop_in drop_in = {value_string(SV("\xFF.conf")), value_string(SV("[Unit]\n"))};
	struct node_unit dropped = {
	    .name = value_string(SV("a.service")), .drop_ins = &drop_in, .drop_in_count = 1};
	assert_refused("cloud-config", &(struct node_config){.units = &dropped, .unit_count = 1},
	               DIAG_USERDATA_TEXT,
	               "drop-in \"\xFF.conf\": the content is not UTF-8, and the format cannot "
	               "hold other bytes");
	/* The place is that of the byte, after characters of several bytes, U+FFFD among them. */
	sv written = SV("a\xC3\xA9\xEF\xBF\xBD b\xFF");
	struct node_file placed = {.path = value_string(SV("/a")),
	                           .content = value_string(written),
	                           .is_transparent = true};
	placed.content.origin =
	    (struct origin){.source = source_new(f.arena, SV("x.yaml"), written, false),
	                    .length = (uint32_t)written.len};
	struct sink placing = sink_in(f.arena);
	assert_int_equal(userdata_format_find(SV("cloud-config"))
	                     ->write(f.arena, &placing,
	                             &(struct node_config){.files = &placed, .file_count = 1},
	                             &written_text),
	                 STATUS_FAILED);
	assert_int_equal(placing.diags.items[0]->at.offset, 8);
	assert_refused("cloud-config", &(struct node_config){.files = &file, .file_count = 1},
	               DIAG_USERDATA_TEXT,
	               "file \"/a\": the content is not UTF-8, and the format cannot hold other "
	               "bytes");
	assert_refused("ignition", &node, DIAG_USERDATA_TEXT,
	               "unit \"a.service\": the content is not UTF-8, and the format cannot hold "
	               "other bytes");
	assert_int_equal(
	    userdata_format_find(SV("cloud-config"))->write(f.arena, &f.sink, &node, &written_text),
	    STATUS_OK);
}

/* Each string of a node that is written as it is, by its only bad byte. */
static void strings_that_cloud_config_cannot_hold(void **state)
{
	const struct value bad = value_string(SV("\xFF"));
	const struct value good = value_string(SV("/a"));
	struct node_link to = {.path = good, .target = bad};
	struct node_link from = {.path = value_string(SV("/\xFF")), .target = good};
	struct node_unit unit = {.name = value_string(SV("\xFF.service"))};
	const struct node_start start = {.name = value_string(SV("\xFF.service"))};
	const struct node_script starts = {.starts = &start, .start_count = 1};
	const struct node_script before = {.before = bad};
	const struct node_script after = {.after = bad};
	const struct {
		const char *place;
		struct node_config node;
	} cases[] = {
	    {"link \"/a\"", {.links = &to, .link_count = 1}},
	    {"link \"/\xFF\"", {.links = &from, .link_count = 1}},
	    {"unit \"\xFF.service\"", {.units = &unit, .unit_count = 1}},
	    {"unit \"\xFF.service\"", {.script = &starts}},
	    {"script \"\xFF\"", {.script = &before}},
	    {"script \"\xFF\"", {.script = &after}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[200];

		snprintf(text, sizeof(text),
		         "%s: the content is not UTF-8, and the format cannot hold other bytes",
		         cases[i].place);
		assert_refused("cloud-config", &cases[i].node, DIAG_USERDATA_TEXT, text);
	}
}

/* Characters that YAML 1.1 does not have, or takes for the end of a line, and their neighbours. */
static void characters_that_are_escaped(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	static const struct {
		sv path;
		const char *written;
	} cases[] = {
	    {SV_INIT("\t\n\x1f"), "\\t\\n\\u001f"}, {SV_INIT("~\x7f"), "~\\u007f"},
	    {SV_INIT("\xc2\x80"), "\\u0080"},       {SV_INIT("\xc2\x9f"), "\\u009f"},
	    {SV_INIT("\xc2\xa0"), "\xc2\xa0"},      {SV_INIT("\xe2\x80\xa7"), "\xe2\x80\xa7"},
	    {SV_INIT("\xe2\x80\xa8"), "\\u2028"},   {SV_INIT("\xe2\x80\xa9"), "\\u2029"},
	    {SV_INIT("\xef\xbb\xbf"), "\\ufeff"},   {SV_INIT("\xef\xbf\xbd"), "\xef\xbf\xbd"},
	    {SV_INIT("\xef\xbf\xbe"), "\\ufffe"},   {SV_INIT("\xef\xbf\xbf"), "\\uffff"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		sv path = ARENA_CONCAT(f.arena, SV("/etc/"), cases[i].path);
		struct node_file file = {.path = value_string(path),
		                         .content = value_string(SV("x"))};
		const struct node_config node = {.files = &file, .file_count = 1};
		struct value got;

		assert_int_equal(
		    userdata_format_find(SV("cloud-config"))->write(f.arena, &f.sink, &node, &got),
		    STATUS_OK);
		assert_contains(got.string,
		                arena_cstr(f.arena, arena_printf(f.arena, "- path: \"/etc/%s\"\n",
		                                                 cases[i].written)));
	}
}

/* ---- MIME ---------------------------------------------------------------------------------- */

static void mime(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct secret secret = {.name = SV("s"), .text = SV("top=secret")};
	const struct secret eight_bit = {.name = SV("e"), .text = SV("\xC3\xA9")};
	struct userdata_part parts[] = {
	    {SV("text/x-vsmp; section=vsmp"), value_string(SV("system_memory=6x\n"))},
	    {SV("text/x-shellscript"), value_secret_string(f.arena, secret.text, &secret)},
	};
	struct value text = userdata_multipart(f.arena, parts, 2);

	(void)state;
	assert_sv(show_taint(f.arena, &text),
	          "Content-Type: multipart/mixed; boundary=\"==BOUNDARY==\"\nMIME-Version: 1.0\n"
	          "\n--==BOUNDARY==\nContent-Type: text/x-vsmp; section=vsmp\n\n"
	          "system_memory=6x\n"
	          "\n--==BOUNDARY==\nContent-Type: text/x-shellscript\n\n[top=secret]"
	          "\n--==BOUNDARY==--\n");
	parts[0].text = value_string(SV("==BOUNDARY==<<A>>=\xC3\xA9 \n"));
	text = userdata_multipart(f.arena, parts, 1);
	/* In quoted-printable the boundary does not stand there any more. */
	assert_sv(text.string,
	          "Content-Type: multipart/mixed; boundary=\"==BOUNDARY==\"\n"
	          "MIME-Version: 1.0\n\n--==BOUNDARY==\nContent-Type: text/x-vsmp; section=vsmp\n"
	          "Content-Transfer-Encoding: quoted-printable\n\n"
	          "=3D=3DBOUNDARY=3D=3D<<A>>=3D=C3=A9=20\n\n--==BOUNDARY==--\n");
	parts[0].text = value_string(SV("==BOUNDARY-2====BOUNDARY=="));
	text = userdata_multipart(f.arena, parts, 1);
	assert_contains(text.string, "boundary=\"==BOUNDARY-3==\"");
	assert_null(text.taint);
	/* Neither a boundary nor an encoding may tell of a secret. */
	text = userdata_multipart(f.arena, parts, 2);
	assert_ptr_equal(taint_derived_from(text.taint), &secret);
	parts[0].text = value_secret_string(f.arena, SV("==BOUNDARY=="), &secret);
	text = userdata_multipart(f.arena, parts, 1);
	assert_ptr_equal(taint_derived_from(text.taint), &secret);
	parts[0].text = value_secret_string(f.arena, eight_bit.text, &eight_bit);
	text = userdata_multipart(f.arena, parts, 1);
	assert_ptr_equal(taint_derived_from(text.taint), &eight_bit);
	/* cloud-init's parser of mail takes control characters, but no NUL. */
	parts[0].text = value_string((sv){"a\0b\1", 4});
	text = userdata_multipart(f.arena, parts, 1);
	assert_contains(text.string, "\na=00b=01\n");
	parts[0].text = value_string(SV("b\1"));
	text = userdata_multipart(f.arena, parts, 1);
	assert_contains(text.string, "\n\nb\1\n");
	/* A secret stays marked where its part is encoded for another reason. */
	struct taint_span span = {3, 13, &secret};
	const struct taint taint = {.spans = &span, .count = 1};

	parts[0].text = value_string(SV("\xC3\xA9 top=secret"));
	parts[0].text.taint = &taint;
	text = userdata_multipart(f.arena, parts, 1);
	assert_contains(show_taint(f.arena, &text), "\n=C3=A9 [top=3Dsecret]\n");
}

static void each_name_is_a_format(void **state UNUSED)
{
	struct sv_splitter it = sv_split(SV(USERDATA_FORMATS), '|');
	size_t count = 0;
	sv name;

	for (; sv_split_next(&it, &name); count++)
		assert_true(sv_eq(userdata_format_find(name)->name, name));
	assert_int_equal(count, 4);
	assert_null(userdata_format_find(SV("ignition2")));
}

UNIT_TESTS(userdata_formats)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_name_is_a_format),
	    cmocka_unit_test(cloud_config),
	    cmocka_unit_test(coreos_cloud_config),
	    cmocka_unit_test(ignition),
	    cmocka_unit_test(ignition2),
	    cmocka_unit_test(secrets_stay_marked),
	    cmocka_unit_test(what_a_format_has_no_place_for),
	    cmocka_unit_test(what_ignition_refuses),
	    cmocka_unit_test(secrets_in_the_path_of_a_link),
	    cmocka_unit_test(texts_that_are_not_utf8),
	    cmocka_unit_test(strings_that_cloud_config_cannot_hold),
	    cmocka_unit_test(characters_that_are_escaped),
	    cmocka_unit_test(mime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
