/*
 * What operating systems' documents say to one OperatingSystemConfig: those inside the program for
 * what the answers of real extensions do not show, and others for each member.
 */
#include "gardener_fixture.h"

struct answer {
	struct gardener_case c;
	struct gardener_settings settings;
	struct gardener_stage stage;
	enum status status;
};

static void answer_free(struct answer *answer)
{
	gardener_case_free(&answer->c);
}
#define ANSWER_AUTO CLEANUP(answer_free) struct answer

static struct answer answer_new(enum gardener_contract contract)
{
	struct answer a = {.c = gardener_case_new()};

	a.settings = *(const struct gardener_settings *)settings_new(
	    a.c.arena, &gardener_settings_table, NULL);
	a.settings.contract = contract;
	return a;
}

static const struct gardener_system *embedded(struct answer *a, const char *name)
{
	struct gardener_systems systems = {0};

	assert_int_equal(
	    gardener_system_embedded(a->c.arena, &a->c.sink, dialect_contract_newest(), &systems),
	    STATUS_OK);
	VEC_EACH (system, &systems)
		if (sv_eq_cstr(gardener_system_name(*system), name))
			return *system;
	fail_msg("there is no %s", name);
	return NULL;
}

static const struct gardener_system *document(struct answer *a, const char *spec)
{
	const struct gardener_system *system = NULL;
	struct kube_object *object = ARENA_NEW(a->c.arena, struct kube_object);
	struct value *root = ARENA_NEW(a->c.arena, struct value);

	*root = yaml_value_of(
	    a->c.arena, ARENA_CONCAT(a->c.arena,
	                             SV("apiVersion: osm-gen.dev/v1alpha1\n"
	                                "kind: OperatingSystemExtension\nmetadata: {name: rocky}\n"
	                                "spec:\n  version: v1.0.0\n  types: [rocky]\n"),
	                             sv_from_cstr(spec)));
	assert_int_equal(
	    kube_object_read(a->c.arena, &a->c.sink, root->origin.source, root, object), STATUS_OK);
	int status = gardener_system_read(a->c.arena, &a->c.sink, object, &system);
	assert_diag_count(&a->c.sink, 0);
	assert_int_equal(status, STATUS_OK);
	return system;
}

/* lines: of the OperatingSystemConfig's spec, from its type on. */
static void ask(struct answer *a, const struct gardener_system *system, const char *lines)
{
	const struct dialect_job job = {0};

	gardener_case_run(
	    &a->c, a->settings.contract,
	    ARENA_CONCAT(a->c.arena,
	                 SV("apiVersion: extensions.gardener.cloud/v1alpha1\n"
	                    "kind: OperatingSystemConfig\nmetadata: {name: a, namespace: ns}\n"
	                    "spec:\n"),
	                 sv_from_cstr(lines)));
	assert_int_equal(a->c.status, STATUS_OK);
	a->status = gardener_system_stage(a->c.arena, &a->c.sink, system, &a->c.osc, &a->settings,
	                                  &job, &a->stage);
	assert_int_equal(a->status == STATUS_OK, a->c.sink.error_count == 0);
}

static const struct node_file *file_of(const struct answer *a, const char *path)
{
	for (size_t i = 0; i < a->stage.file_count; i++)
		if (sv_eq_cstr(a->stage.files[i].path.string, path))
			return &a->stage.files[i];
	return NULL;
}

/* ---- MemoryOne --------------------------------------------------------------------------- */

#define MEMORY_ONE                                                                                 \
	"  type: memoryone-chost\n  purpose: provision\n  providerConfig:\n"                       \
	"    apiVersion: memoryone-chost.os.extensions.gardener.cloud/v1alpha1\n"                  \
	"    kind: OperatingSystemConfiguration\n"

static void memory_one_has_its_settings_in_order(void **state)
{
	static const struct {
		const char *lines;
		const char *want;
	} rows[] = {
	    {"  type: memoryone-chost\n  purpose: provision\n",
	     "mem_topology=2\nsystem_memory=6x\n"},
	    {MEMORY_ONE "    memoryTopology: '3'\n    systemMemory: 7x\n",
	     "mem_topology=3\nsystem_memory=7x\n"},
	    {MEMORY_ONE "    vsmpConfiguration: {z: '1', a: '2', mem_topology: '9'}\n",
	     "a=2\nmem_topology=9\nsystem_memory=6x\nz=1\n"},
	    {MEMORY_ONE "    vsmpConfiguration: {a: 1;b=2, 'c;d': e}\n    systemMemory: 8x\n",
	     "a=1\nc=e\nmem_topology=2\nsystem_memory=8x\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		ask(&a, embedded(&a, "suse-chost"), rows[i].lines);
		assert_diag_count(&a.c.sink, 0);
		assert_int_equal(a.stage.part_count, 1);
		assert_sv(a.stage.parts[0].text.string, rows[i].want);
		assert_sv(a.stage.part_type, "text/x-shellscript");
	}
	ANSWER_AUTO plain = answer_new(GARDENER_CURRENT);
	ask(&plain, embedded(&plain, "suse-chost"), "  type: suse-chost\n  purpose: provision\n");
	assert_int_equal(plain.stage.part_count, 0);
}

static void memory_one_on_garden_linux_has_what_is_said(void **state)
{
	ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

	(void)state;
	ask(&a, embedded(&a, "gardenlinux"),
	    "  type: memoryone-gardenlinux\n  purpose: provision\n  providerConfig:\n"
	    "    apiVersion: memoryone-gardenlinux.os.extensions.gardener.cloud/v1alpha1\n"
	    "    kind: OperatingSystemConfiguration\n    systemMemory: 7x\n");
	assert_diag_count(&a.c.sink, 0);
	assert_sv(a.stage.parts[0].text.string, "system_memory=7x\n");
}

static void a_wrong_provider_config_is_refused(void **state)
{
	static const struct {
		const char *lines;
		const char *place;
		const char *text;
		enum diag_code code;
	} rows[] = {
	    {"  type: memoryone-chost\n  purpose: provision\n  providerConfig:\n"
	     "    apiVersion: v1\n    kind: OperatingSystemConfiguration\n",
	     "8:17",
	     "apiVersion of providerConfig must be "
	     "memoryone-chost.os.extensions.gardener.cloud/v1alpha1",
	     DIAG_GARDENER_PROVIDER_CONFIG},
	    {"  type: memoryone-chost\n  purpose: provision\n  providerConfig:\n"
	     "    apiVersion: memoryone-chost.os.extensions.gardener.cloud/v1alpha1\n",
	     "8:5", "kind of providerConfig must be OperatingSystemConfiguration",
	     DIAG_GARDENER_PROVIDER_CONFIG},
	    {MEMORY_ONE "    memoryTopology: 2\n", "10:21",
	     "memoryTopology of providerConfig must be a string", DIAG_GARDENER_PROVIDER_CONFIG},
	    {MEMORY_ONE "    memoryTopologie: '2'\n", "10:5",
	     "unknown field \"memoryTopologie\" in providerConfig has no effect",
	     DIAG_GARDENER_SYSTEM_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		ask(&a, embedded(&a, "suse-chost"), rows[i].lines);
		assert_one_diag(&a.c.sink, rows[i].code, rows[i].place, rows[i].text);
	}
}

/* ---- what depends on settings ------------------------------------------------------------ */

static void chost_tells_the_kubelet_of_cgroups_v1(void **state)
{
	static const struct {
		const char *version;
		bool wanted;
	} rows[] = {{"", false},       {"1.34.9", false}, {"1.35.0", true},
	            {"v1.37.4", true}, {"1.38.0", false}, {"1.36", true}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		a.settings.kubernetes_version = sv_from_cstr(rows[i].version);
		ask(&a, embedded(&a, "suse-chost"), "  type: suse-chost\n  purpose: reconcile\n");
		assert_diag_count(&a.c.sink, 0);
		if ((file_of(&a, "/var/lib/kubelet/extra_args") != NULL) != rows[i].wanted)
			fail_msg("kubelet %s", rows[i].version);
	}
}

static void cloud_config_is_chosen_where_there_is_one(void **state)
{
	ANSWER_AUTO a = answer_new(GARDENER_2021);
	ANSWER_AUTO b = answer_new(GARDENER_2021);

	(void)state;
	a.settings.format = b.settings.format = GARDENER_FORMAT_CLOUD_CONFIG;
	ask(&a, embedded(&a, "ubuntu-2021"),
	    "  type: ubuntu\n  purpose: reconcile\n"
	    "  reloadConfigFilePath: /var/a b\n");
	assert_sv(a.stage.format->name, "cloud-config");
	assert_sv(a.stage.command.string, "/usr/bin/cloud-init clean && /usr/bin/cloud-init --file "
	                                  "'/var/a b' init");
	assert_sv(a.stage.cloud_init.string, "apt_update: false\nmanage_etc_hosts: true\n");
	ask(&b, embedded(&b, "gardenlinux-2021"), "  type: gardenlinux\n  purpose: reconcile\n");
	assert_sv(b.stage.format->name, "bash");
	assert_null(b.stage.command.type);
}

/* ---- Flatcar ----------------------------------------------------------------------------- */

#define FLATCAR                                                                                    \
	"  providerConfig:\n"                                                                      \
	"    apiVersion: config.coreos.os.extensions.gardener.cloud/v1alpha1\n"                    \
	"    kind: ExtensionConfig\n"

static sv units_of(const struct answer *a)
{
	struct buf buf = buf_in(a->c.arena);

	for (size_t i = 0; i < a->stage.unit_count; i++)
		buf_printf(&buf, "%.*s=%.*s ", SV_ARG(a->stage.units[i].name.string),
		           SV_ARG(a->stage.units[i].command));
	return buf_sv(&buf);
}

static void flatcar_has_the_time_client_that_is_asked_for(void **state)
{
	static const struct {
		const char *lines;
		const char *want;
	} rows[] = {
	    {"", "systemd-timesyncd.service=start ntpd.service=stop "},
	    {FLATCAR "    ntp: {enabled: false, daemon: ntpd}\n", ""},
	    {FLATCAR "    ntp: {daemon: ntpd, ntpd: {servers: [a.example.com]}}\n",
	     "systemd-timesyncd.service=stop ntpd.service=start "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		ask(&a, embedded(&a, "flatcar"),
		    arena_cstr(a.c.arena,
		               ARENA_CONCAT(a.c.arena,
		                            SV("  type: flatcar\n  purpose: reconcile\n"),
		                            sv_from_cstr(rows[i].lines))));
		assert_diag_count(&a.c.sink, 0);
		assert_sv(units_of(&a),
		          arena_cstr(a.c.arena,
		                     ARENA_CONCAT(
		                         a.c.arena,
		                         SV("update-engine.service=stop locksmithd.service=stop "),
		                         sv_from_cstr(rows[i].want),
		                         SV("kubelet.service= containerd.service= "))));
		assert_int_equal(file_of(&a, "/etc/ntp.conf") != NULL, i == 2);
	}
}

static void flatcar_says_what_is_wrong_with_a_time_client(void **state)
{
	static const struct {
		const char *lines;
		const char *text;
	} rows[] = {
	    {"    ntp: {daemon: chrony}\n",
	     "ntp.daemon of providerConfig cannot be \"chrony\": systemd-timesyncd or ntpd"},
	    {"    ntp: {daemon: ntpd}\n", "ntpd needs a server: ntp.ntpd.servers of "
	                                  "providerConfig, or the setting gardenerNtpServers"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		ask(&a, embedded(&a, "flatcar"),
		    arena_cstr(a.c.arena,
		               ARENA_CONCAT(a.c.arena,
		                            SV("  type: flatcar\n  purpose: reconcile\n"),
		                            SV(FLATCAR), sv_from_cstr(rows[i].lines))));
		assert_int_equal(a.status, STATUS_FAILED);
		assert_contains(a.c.sink.diags.items[0]->text, rows[i].text);
		assert_true(a.c.sink.diags.items[0]->help.len > 0);
	}
}

static void flatcar_writes_the_servers_of_ntpd(void **state)
{
	ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

	(void)state;
	ask(&a, embedded(&a, "flatcar"),
	    "  type: flatcar\n  purpose: reconcile\n" FLATCAR "    ntp:\n      daemon: ntpd\n"
	    "      ntpd: {servers: [a.example.com, b.example.com], interfaces: [eth0]}\n");
	const struct node_file *file = file_of(&a, "/etc/ntp.conf");
	assert_non_null(file);
	assert_true(sv_starts_with(file->content.string, SV("server a.example.com iburst\n"
	                                                    "server b.example.com iburst\n"
	                                                    "driftfile /var/lib/ntp/ntp.drift\n")));
	assert_true(sv_ends_with(file->content.string,
	                         SV("interface ignore wildcard\ninterface listen 127.0.0.1\n"
	                            "interface listen eth0\n")));
}

static void flatcar_has_docker_when_it_is_enabled(void **state)
{
	(void)state;
	for (int enabled = 0; enabled < 2; enabled++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		ask(&a, embedded(&a, "flatcar"),
		    enabled ? "  type: flatcar-lts\n  purpose: provision\n" FLATCAR
		              "    enableDocker: true\n"
		            : "  type: flatcar-lts\n  purpose: provision\n");
		assert_diag_count(&a.c.sink, 0);
		assert_int_equal(a.stage.unit_count, 2 + enabled);
		assert_int_equal(a.stage.link_count, 5);
		assert_sv(a.stage.links[4].target.string,
		          enabled ? "/usr/lib/systemd/system/docker.service" : "/dev/null");
	}
}

/* ---- members ----------------------------------------------------------------------------- */

static void items_stand_before_and_behind_and_under_conditions(void **state)
{
	ANSWER_AUTO a = answer_new(GARDENER_2021);

	(void)state;
	const struct gardener_system *system =
	    document(&a, "  contract: '2021'\n  command: run {{ .Path }}\n"
	                 "  provision: {format: bash}\n"
	                 "  reconcile:\n    format: coreos-cloud-config\n    files:\n"
	                 "    - {path: /after, content: a, after: true}\n"
	                 "    - {path: '/{{ .CRI }}', content: '{{ .Type }} {{ .Purpose }}', "
	                 "permissions: 0600}\n"
	                 "    - {path: /no, content: x, when: ' '}\n"
	                 "    - {path: /never, content: x, when: '{{ eq .CRI \"docker\" }}'}\n"
	                 "    units:\n"
	                 "    - {name: b.service, after: true, reported: true}\n"
	                 "    - {name: a.service, enable: false, mask: true, command: stop}\n");
	ask(&a, system,
	    "  type: rocky\n  purpose: reconcile\n  criConfig: {name: containerd}\n"
	    "  reloadConfigFilePath: /it's\n");
	assert_diag_count(&a.c.sink, 0);
	assert_int_equal(a.stage.file_count, 2);
	assert_int_equal(a.stage.files_before, 1);
	assert_sv(a.stage.files[0].path.string, "/containerd");
	assert_sv(a.stage.files[0].content.string, "rocky reconcile");
	assert_int_equal(a.stage.files[0].mode, 0600);
	assert_sv(a.stage.files[1].path.string, "/after");
	assert_int_equal(a.stage.files[1].mode, 0644);
	assert_int_equal(a.stage.units_before, 1);
	assert_sv(a.stage.units[0].name.string, "a.service");
	assert_true(a.stage.units[0].mask);
	assert_int_equal(a.stage.units[0].enable, NODE_ENABLE_NO);
	assert_int_equal(a.stage.status_unit_count, 1);
	assert_sv(a.stage.status_units[0].string, "b.service");
	assert_sv(a.stage.command.string, "run '/it'\\''s'");
	assert_false(a.stage.starts_spec_units);
}

static void what_a_template_gives_is_judged(void **state)
{
	static const struct {
		const char *item;
		const char *text;
	} rows[] = {
	    {"files: [{path: '{{ .CRI }}', content: ''}]",
	     "this template's result is not a valid path: it must begin with /"},
	    {"units: [{name: '{{ .CRI }}'}]",
	     "this template's result is not a valid unit: it must be a name that systemd accepts"},
	    {"units: [{name: a.service, dropIns: [{name: '{{ .CRI }}', content: ''}]}]",
	     "this template's result is not a valid drop-in: it must end with .conf"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);
		const char *spec = arena_cstr(
		    a.c.arena,
		    arena_printf(a.c.arena,
		                 "  contract: current\n  provision:\n    format: bash\n    %s\n",
		                 rows[i].item));

		ask(&a, document(&a, spec),
		    "  type: rocky\n  purpose: provision\n  criConfig: {name: containerd}\n");
		assert_int_equal(a.status, STATUS_FAILED);
		assert_diag_count(&a.c.sink, 1);
		assert_diag(a.c.sink.diags.items[0], DIAG_GARDENER_SYSTEM, rows[i].text);
	}
}

/* A member that there is not is a mistake of the document, and no empty text. */
static void an_unknown_field_of_the_data_is_an_error(void **state)
{
	ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

	(void)state;
	ask(&a,
	    document(&a,
	             "  contract: current\n  provision: {format: bash, after: '{{ .Files }}'}\n"),
	    "  type: rocky\n  purpose: provision\n");
	assert_int_equal(a.status, STATUS_FAILED);
	assert_contains(a.c.sink.diags.items[0]->text, "can't evaluate field Files");
}

/* ---- settings ---------------------------------------------------------------------------- */

#define NEW_UBUNTU     "  type: ubuntu\n  purpose: provision\n"
#define RUNNING_UBUNTU "  type: ubuntu\n  purpose: reconcile\n"

static void set(struct answer *a, const char *name, const char *text)
{
	const struct value v = value_string(sv_from_cstr(text));

	for (size_t i = 0; i < gardener_settings_table.count; i++) {
		const struct setting *setting = &gardener_settings_table.rows[i];

		if (!sv_eq_cstr(setting->name, name))
			continue;
		enum status status = setting_set(a->c.arena, &a->c.sink, &a->settings, setting, &v);
		assert_int_equal(status == STATUS_OK, a->c.sink.error_count == 0);
		return;
	}
	fail_msg("there is no %s", name);
}

static void ubuntu_has_the_mirrors_of_the_settings(void **state)
{
	ANSWER_AUTO both = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO one = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO none = answer_new(GARDENER_CURRENT);

	(void)state;
	set(&both, "gardenerAptMirror", "http://mirror.example.com/ubuntu");
	set(&both, "gardenerAptSecurityMirror", "http://security.example.com/ubuntu");
	ask(&both, embedded(&both, "ubuntu"), NEW_UBUNTU);
	assert_int_equal(both.stage.part_count, 1);
	assert_sv(both.stage.parts[0].content_type, "text/cloud-config");
	assert_sv(both.stage.parts[0].text.string,
	          "#cloud-config\napt:\n  preserve_sources_list: false\n  primary:\n"
	          "  - arches: [default]\n    uri: \"http://mirror.example.com/ubuntu\"\n"
	          "  security:\n  - arches: [default]\n"
	          "    uri: \"http://security.example.com/ubuntu\"\n");
	set(&one, "gardenerAptSecurityMirror", "http://security.example.com/ubuntu");
	ask(&one, embedded(&one, "ubuntu"), NEW_UBUNTU);
	assert_sv(one.stage.parts[0].text.string,
	          "#cloud-config\napt:\n  preserve_sources_list: false\n"
	          "  security:\n  - arches: [default]\n"
	          "    uri: \"http://security.example.com/ubuntu\"\n");
	ask(&none, embedded(&none, "ubuntu"), NEW_UBUNTU);
	assert_int_equal(none.stage.part_count, 0);
}

static void ubuntu_upgrades_itself_unless_a_setting_is_false(void **state)
{
	static const char path[] = "/etc/apt/apt.conf.d/99-auto-upgrades.conf";
	ANSWER_AUTO off = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO unset = answer_new(GARDENER_CURRENT);

	(void)state;
	set(&off, "gardenerUnattendedUpgrades", "false");
	ask(&off, embedded(&off, "ubuntu"), NEW_UBUNTU);
	assert_contains(file_of(&off, path)->content.string,
	                "APT::Periodic::Unattended-Upgrade \"0\";");
	ask(&unset, embedded(&unset, "ubuntu"), NEW_UBUNTU);
	assert_null(file_of(&unset, path));
}

static void the_time_client_is_that_of_the_settings(void **state)
{
	ANSWER_AUTO ntpd = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO none = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO no_server = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO flatcar = answer_new(GARDENER_CURRENT);

	(void)state;
	set(&ntpd, "gardenerNtp", "ntpd");
	set(&ntpd, "gardenerNtpServers", "0.pool.ntp.org, 192.0.2.1");
	ask(&ntpd, embedded(&ntpd, "ubuntu"), RUNNING_UBUNTU);
	assert_int_equal(ntpd.status, STATUS_OK);
	assert_contains(file_of(&ntpd, "/etc/ntp.conf")->content.string,
	                "server 0.pool.ntp.org iburst\nserver 192.0.2.1 iburst\ndriftfile ");
	assert_contains(ntpd.stage.units[0].content.string, "install-ntp.sh ntpd\n");
	set(&none, "gardenerNtp", "none");
	ask(&none, embedded(&none, "ubuntu"), RUNNING_UBUNTU);
	assert_null(file_of(&none, "/opt/gardener/bin/install-ntp.sh"));
	assert_int_equal(none.stage.unit_count, 1);
	set(&no_server, "gardenerNtp", "ntpd");
	ask(&no_server, embedded(&no_server, "ubuntu"), RUNNING_UBUNTU);
	assert_int_equal(no_server.status, STATUS_FAILED);
	assert_contains(no_server.c.sink.diags.items[0]->text, "gardenerNtpServers");
	/* providerConfig wins */
	set(&flatcar, "gardenerNtp", "ntpd");
	set(&flatcar, "gardenerNtpServers", "192.0.2.1");
	ask(&flatcar, embedded(&flatcar, "flatcar"), "  type: flatcar\n  purpose: reconcile\n");
	assert_contains(file_of(&flatcar, "/etc/ntp.conf")->content.string, "server 192.0.2.1 ");
	ANSWER_AUTO given = answer_new(GARDENER_CURRENT);
	set(&given, "gardenerNtp", "ntpd");
	ask(&given, embedded(&given, "flatcar"),
	    "  type: flatcar\n  purpose: reconcile\n  providerConfig:\n"
	    "    apiVersion: config.coreos.os.extensions.gardener.cloud/v1alpha1\n"
	    "    kind: ExtensionConfig\n    ntp: {daemon: systemd-timesyncd}\n");
	assert_int_equal(given.status, STATUS_OK);
	assert_null(file_of(&given, "/etc/ntp.conf"));
}

static void wrong_settings_are_refused(void **state)
{
	static const struct {
		const char *name;
		const char *text;
		const char *want;
	} rows[] = {
	    {"gardenerNtp", "chrony", "gardenerNtp: must be systemd-timesyncd, ntpd or none"},
	    {"gardenerNtpServers", "a b",
	     "gardenerNtpServers: must be names or addresses of hosts"},
	    {"gardenerAptMirror", "ftp://a", "gardenerAptMirror: must be a URL of http or https"},
	    {"gardenerAptMirror", "http://a\nb",
	     "gardenerAptMirror: has a blank, a quote or another character that no URL has"},
	    {"gardenerUnattendedUpgrades", "no",
	     "gardenerUnattendedUpgrades: must be true or false"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		set(&a, rows[i].name, rows[i].text);
		assert_diag_count(&a.c.sink, 1);
		assert_diag(a.c.sink.diags.items[0], DIAG_SETTING_VALUE, rows[i].want);
	}
}

/* ---- advice, and a dumped status --------------------------------------------------------- */

static void files_in_read_only_folders_are_a_warning(void **state)
{
	static const char files[] =
	    "  type: flatcar\n  purpose: reconcile\n  files:\n"
	    "  - {path: /usr/bin/a, content: {inline: {encoding: '', data: a}}}\n"
	    "  - {path: /usr2/a, content: {inline: {encoding: '', data: a}}}\n"
	    "  - {path: /opt/usr/a, content: {inline: {encoding: '', data: a}}}\n";

	(void)state;
	for (int contract = GARDENER_CURRENT; contract <= GARDENER_2021; contract++) {
		ANSWER_AUTO a = answer_new((enum gardener_contract)contract);

		ask(&a, embedded(&a, contract == GARDENER_2021 ? "flatcar-2021" : "flatcar"),
		    files);
		assert_diag_count(&a.c.sink, 1);
		assert_diag(a.c.sink.diags.items[0], DIAG_GARDENER_READ_ONLY,
		            "/usr/bin/a cannot be written on \"flatcar\": /usr is read-only");
	}
	ANSWER_AUTO ubuntu = answer_new(GARDENER_CURRENT);
	ask(&ubuntu, embedded(&ubuntu, "ubuntu"), files);
	assert_diag_count(&ubuntu.c.sink, 0);
}

#define KUBELET(driver)                                                                            \
	"  type: gardenlinux\n  purpose: reconcile\n"                                              \
	"  criConfig: {name: containerd, cgroupDriver: cgroupfs}\n  files:\n"                      \
	"  - path: /var/lib/kubelet/config/kubelet\n"                                              \
	"    content: {inline: {encoding: '', data: \"kind: K\\ncgroupDriver: " driver             \
	"\\nb: c\\n\"}}\n"

static void garden_linux_leaves_cgroups_to_systemd(void **state)
{
	ANSWER_AUTO a = answer_new(GARDENER_CURRENT);
	ANSWER_AUTO right = answer_new(GARDENER_CURRENT);

	(void)state;
	ask(&a, embedded(&a, "gardenlinux"), KUBELET("cgroupfs"));
	const struct value *cri = gardener_cri(a.c.arena, &a.c.osc, &a.stage);
	assert_sv(value_text(value_map_get(cri, SV("cgroupDriver"))), "systemd");
	assert_sv(value_text(value_map_get(cri, SV("name"))), "containerd");
	assert_diag_count(&a.c.sink, 1);
	assert_int_equal(a.c.sink.diags.items[0]->code, DIAG_GARDENER_CGROUP_DRIVER);
	assert_contains(a.c.sink.diags.items[0]->text, "another cgroupDriver than systemd");
	ask(&right, embedded(&right, "gardenlinux"), KUBELET("systemd"));
	assert_diag_count(&right.c.sink, 0);
}

static void a_status_replaces_a_document(void **state)
{
	static const char dumped[] =
	    "  type: rocky\n  purpose: reconcile\nstatus:\n"
	    "  extensionFiles:\n"
	    "  - {path: /etc/a, permissions: 420, content: {inline: {encoding: b64, data: YQo=}}}\n"
	    "  extensionUnits:\n"
	    "  - name: a.service\n    enable: false\n    command: stop\n"
	    "    dropIns: [{name: b.conf, content: \"[Service]\"}]\n    filePaths: [/etc/a]\n"
	    "  inPlaceUpdates: {osUpdate: {command: /bin/update, args: [a]}}\n";
	ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

	(void)state;
	ask(&a, gardener_system_of_status(), dumped);
	assert_int_equal(a.status, STATUS_OK);
	assert_int_equal(a.stage.file_count, 1);
	assert_sv(a.stage.files[0].content.string, "a\n");
	assert_int_equal(a.stage.files[0].mode, 0644);
	assert_int_equal(a.stage.unit_count, 1);
	assert_int_equal(a.stage.units[0].enable, NODE_ENABLE_NO);
	assert_sv(a.stage.units[0].command, "stop");
	assert_sv(a.stage.units[0].drop_ins[0].content.string, "[Service]");
	assert_sv(a.stage.unit_file_paths[0].items[0].string, "/etc/a");
	assert_sv(a.stage.update_command.string, "/bin/update");
	assert_int_equal(a.stage.update_arg_count, 1);
}

static void a_status_that_cannot_be_taken_over_is_an_error(void **state)
{
	static const struct {
		const char *status;
		const char *text;
	} rows[] = {
	    {"extensionFiles: [{path: /a, content: {imageRef: {image: a, filePathInImage: b}}}]",
	     "whose content is not inline"},
	    {"extensionFiles: [{path: /a, content: {secretRef: {name: a, dataKey: b}}}]",
	     "whose content is not inline"},
	    {"extensionFiles: [{path: a, content: {inline: {encoding: '', data: b}}}]",
	     "without a path"},
	    {"extensionFiles: [{path: /a, hostName: h, content: {inline: {encoding: '', data: "
	     "b}}}]",
	     "with a hostName"},
	    {"extensionUnits: [{name: a/b.service}]", "without a name"},
	    {"extensionUnits: [{name: a.service, dropIns: [{name: a.conf}]}]",
	     "without name and content"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ANSWER_AUTO a = answer_new(GARDENER_CURRENT);

		ask(&a, gardener_system_of_status(),
		    arena_cstr(a.c.arena,
		               arena_printf(a.c.arena,
		                            "  type: ''\n  purpose: reconcile\nstatus: {%s}\n",
		                            rows[i].status)));
		assert_diag_count(&a.c.sink, 1);
		assert_int_equal(a.c.sink.diags.items[0]->code, DIAG_GARDENER_TYPE);
		assert_contains(a.c.sink.diags.items[0]->text, rows[i].text);
	}
}

UNIT_TESTS(gardener_stage)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_one_has_its_settings_in_order),
	    cmocka_unit_test(memory_one_on_garden_linux_has_what_is_said),
	    cmocka_unit_test(a_wrong_provider_config_is_refused),
	    cmocka_unit_test(chost_tells_the_kubelet_of_cgroups_v1),
	    cmocka_unit_test(cloud_config_is_chosen_where_there_is_one),
	    cmocka_unit_test(flatcar_has_the_time_client_that_is_asked_for),
	    cmocka_unit_test(flatcar_says_what_is_wrong_with_a_time_client),
	    cmocka_unit_test(flatcar_writes_the_servers_of_ntpd),
	    cmocka_unit_test(flatcar_has_docker_when_it_is_enabled),
	    cmocka_unit_test(items_stand_before_and_behind_and_under_conditions),
	    cmocka_unit_test(what_a_template_gives_is_judged),
	    cmocka_unit_test(an_unknown_field_of_the_data_is_an_error),
	    cmocka_unit_test(ubuntu_has_the_mirrors_of_the_settings),
	    cmocka_unit_test(ubuntu_upgrades_itself_unless_a_setting_is_false),
	    cmocka_unit_test(the_time_client_is_that_of_the_settings),
	    cmocka_unit_test(wrong_settings_are_refused),
	    cmocka_unit_test(files_in_read_only_folders_are_a_warning),
	    cmocka_unit_test(garden_linux_leaves_cgroups_to_systemd),
	    cmocka_unit_test(a_status_replaces_a_document),
	    cmocka_unit_test(a_status_that_cannot_be_taken_over_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
