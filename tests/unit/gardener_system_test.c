/*
 * Operating systems as documents: those inside the program, the mistakes of others, and what a
 * document says to an OperatingSystemConfig.
 */
#include "gardener/internal.h"

#include "texts.h"

struct fixture {
	struct arena *arena;
	struct sink sink;
};

static struct fixture fixture_new(void)
{
	struct fixture f = {.arena = arena_new(ARENA_PLAIN)};

	f.sink = sink_in(f.arena);
	return f;
}

static void fixture_free(struct fixture *f)
{
	arena_free(f->arena);
}
#define FIXTURE_AUTO CLEANUP(fixture_free) struct fixture

static struct kube_object *object_of(struct fixture *f, const char *yaml)
{
	struct yml_documents documents =
	    yaml_documents_of(f->arena, SV("a.yaml"), sv_from_cstr(yaml));
	struct value *root = ARENA_NEW(f->arena, struct value);
	struct kube_object *object = ARENA_NEW(f->arena, struct kube_object);

	*root = documents.items[0].root;
	assert_int_equal(kube_object_read(f->arena, &f->sink, root->origin.source, root, object),
	                 STATUS_OK);
	return object;
}

static enum status read(struct fixture *f, const char *yaml, const struct gardener_system **system)
{
	return gardener_system_read(f->arena, &f->sink, object_of(f, yaml), system);
}

#define HEAD                                                                                       \
	"apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemExtension\n"                       \
	"metadata: {name: rocky}\n"
/* What follows it begins in line 8. */
#define SPEC      HEAD "spec:\n  version: v1.0.0\n  types: [rocky]\n  contract: current\n"
#define SPEC_2021 HEAD "spec:\n  version: v1.0.0\n  types: [rocky]\n  contract: '2021'\n"

/* ---- those inside ------------------------------------------------------------------------ */

static void embedded_documents_are_right(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct gardener_systems systems = {0};

	(void)state;
	int status =
	    gardener_system_embedded(f.arena, &f.sink, dialect_contract_newest(), &systems);
	assert_diag_count(&f.sink, 0);
	assert_int_equal(status, STATUS_OK);
	assert_true(systems.count > 3);
	for (size_t i = 1; i < systems.count; i++)
		assert_true(sv_cmp(gardener_system_name(systems.items[i - 1]),
		                   gardener_system_name(systems.items[i])) < 0);
}

/* One type is served once under each contract: which document counts must not be chance. */
static void embedded_documents_do_not_overlap(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct gardener_systems systems = {0};
	struct map seen = map_in(f.arena);

	(void)state;
	assert_int_equal(
	    gardener_system_embedded(f.arena, &f.sink, dialect_contract_newest(), &systems),
	    STATUS_OK);
	for (size_t i = 0; i < systems.count; i++) {
		size_t count;
		const sv *types = gardener_system_types(systems.items[i], &count);
		sv contract = gardener_contract_name(gardener_system_contract(systems.items[i]));

		for (size_t k = 0; k < count; k++) {
			sv key = ARENA_CONCAT(f.arena, contract, SV(" "), types[k]);

			if (map_get(&seen, key))
				fail_msg("%.*s is served twice", SV_ARG(key));
			map_put(&seen, key, (void *)systems.items[i]);
		}
	}
}

/* ---- mistakes ---------------------------------------------------------------------------- */

struct mistake {
	const char *yaml;
	const char *place;
	const char *text;
};

static void assert_mistakes(const struct mistake *cases, size_t count, enum diag_code code)
{
	for (size_t i = 0; i < count; i++) {
		FIXTURE_AUTO f = fixture_new();
		const struct gardener_system *system;

		int status = read(&f, cases[i].yaml, &system);
		assert_one_diag(&f.sink, code, cases[i].place, cases[i].text);
		assert_int_equal(status == STATUS_OK, f.sink.error_count == 0);
	}
}

static void mistakes_of_the_head(void **state)
{
	static const struct mistake cases[] = {
	    {HEAD "spec: [a]\n", "4:7", "spec must be a map"},
	    {HEAD "spec:\n  types: [a]\n  contract: current\n  provision: {format: bash}\n", "5:3",
	     "the document lacks version here"},
	    {HEAD "spec:\n  version: 1.0.0\n  types: [a]\n  contract: current\n"
	          "  provision: {format: bash}\n",
	     "5:12", "version \"1.0.0\" is not a semantic version with a leading v"},
	    {HEAD "spec:\n  version: v1.0.0\n  types: []\n  contract: current\n"
	          "  provision: {format: bash}\n",
	     "6:10", "types is empty"},
	    {HEAD "spec:\n  version: v1.0.0\n  types: [a, 1]\n  contract: current\n"
	          "  provision: {format: bash}\n",
	     "6:14", "a type must be a string"},
	    {HEAD "spec:\n  version: v1.0.0\n  types: [a, b, a]\n  contract: current\n"
	          "  provision: {format: bash}\n",
	     "6:17", "the type is listed twice"},
	    {HEAD "spec:\n  version: v1.0.0\n  types: [a]\n  contract: curent\n"
	          "  provision: {format: bash}\n",
	     "7:13", "contract cannot be \"curent\""},
	    {SPEC "  command: bash {{ .Path }}\n  provision: {format: bash}\n", "8:12",
	     "contract current has no status.command"},
	    {SPEC "  reconcile: {}\n", "5:3", "the document lacks provision here"},
	    {SPEC_2021 "  provision: {format: bash}\n", "5:3", "the document lacks reconcile here"},
	    {SPEC "  templates: {a: 1}\n  provision: {format: bash}\n", "8:18",
	     "template \"a\" must be a string"},
	};

	(void)state;
	assert_mistakes(cases, COUNT_OF(cases), DIAG_GARDENER_SYSTEM);
}

static void mistakes_of_a_stage(void **state)
{
	static const struct mistake cases[] = {
	    {SPEC "  provision: {once: true}\n", "8:14", "the document lacks format here"},
	    {SPEC "  provision: {format: bsh}\n", "8:23", "format cannot be \"bsh\""},
	    {SPEC "  provision: {format: bash, once: 1}\n", "8:35", "once must be true or false"},
	    {SPEC "  provision: {format: ignition, after: ls}\n", "8:40",
	     "after is not allowed here: the format runs no commands"},
	    {SPEC "  provision: {format: cloud-config, once: true}\n", "8:43",
	     "once is not allowed here: only a script can be applied twice"},
	    {SPEC "  provision: {format: ignition, multipart: []}\n", "8:44",
	     "multipart is not allowed here: only user-data that cloud-init reads can be a MIME "
	     "part"},
	    {SPEC "  provision: {format: bash, inPlaceUpdate: {command: /a}}\n", "8:44",
	     "inPlaceUpdate is not allowed here: only reconcile under contract current has a "
	     "status for it"},
	    {SPEC "  provision: {format: bash}\n  reconcile: {format: bash}\n", "9:23",
	     "format is not allowed here: under contract current, reconcile has no user-data; its "
	     "files and units are in the status"},
	    {SPEC "  provision: {format: bash}\n  reconcile: {after: ls}\n", "9:22",
	     "after is not allowed here: under contract current, gardener-node-agent applies files "
	     "and units, and nothing else"},
	    {SPEC "  provision: {format: bash, start: {units: all}}\n", "8:44",
	     "units of start cannot be \"all\""},
	    {SPEC "  provision: {format: bash, start: {except: [a]}}\n", "8:46",
	     "the name of a unit must be a name that systemd accepts"},
	    {SPEC "  provision: {format: bash}\n  cloudConfig: {provision: {format: bash}}\n",
	     "9:37", "format must be cloud-config here"},
	    {SPEC "  provision: {format: bash}\n"
	          "  reconcile: {inPlaceUpdate: {command: /a, args: [1]}}\n",
	     "9:51", "an argument must be a string"},
	};

	(void)state;
	assert_mistakes(cases, COUNT_OF(cases), DIAG_GARDENER_SYSTEM);
}

#define STAGE SPEC "  provision:\n    format: bash\n"
/* Line 10. */
static void mistakes_of_items(void **state)
{
	static const struct mistake cases[] = {
	    {STAGE "    files: [{path: a, content: ''}]\n", "10:20",
	     "path \"a\" must begin with /"},
	    {STAGE "    files: [{path: /a/, content: ''}]\n", "10:20",
	     "path \"/a/\" must not end with /"},
	    {STAGE "    files: [{path: /a/../b, content: ''}]\n", "10:20",
	     "path \"/a/../b\" must not go up by .."},
	    {STAGE "    files: [{path: /a}]\n", "10:13", "the document lacks content here"},
	    {STAGE "    files: [{path: /a, content: '', permissions: 644}]\n", "10:50",
	     "permissions must be octal digits after a zero"},
	    {STAGE "    files: [{path: /a, content: '', permissions: '0888'}]\n", "10:50",
	     "permissions must be octal digits after a zero"},
	    {STAGE "    files: [{path: /a, content: '', permissions: 010000}]\n", "10:50",
	     "permissions must be octal digits after a zero"},
	    {STAGE "    files: [{path: /a, content: ''}, {path: /a, content: b}]\n", "10:45",
	     "file /a is given twice"},
	    {STAGE "    units: [{name: a}]\n", "10:20",
	     "unit \"a\" must be a name that systemd accepts"},
	    {STAGE "    units: [{name: a b.service}]\n", "10:20",
	     "unit \"a b.service\" must be a name that systemd accepts"},
	    {STAGE "    units: [{name: a.service, command: reload}]\n", "10:40",
	     "command of a unit cannot be \"reload\""},
	    {STAGE "    units: [{name: a.service}, {name: a.service}]\n", "10:39",
	     "unit a.service is given twice"},
	    {STAGE "    units: [{name: a.service, dropIns: [{name: a, content: ''}]}]\n", "10:48",
	     "drop-in \"a\" must end with .conf"},
	    {STAGE "    units: [{name: a.service, dropIns: [{name: b/a.conf, content: ''}]}]\n",
	     "10:48", "drop-in \"b/a.conf\" must be a file's name, without folders"},
	    {STAGE "    units: [{name: a.service, filePaths: [a]}]\n", "10:43",
	     "path \"a\" must begin with /"},
	    {STAGE "    links: [{path: /a, target: ''}]\n", "10:32",
	     "target \"\" must not be empty"},
	    {STAGE "    links: [{path: /a}]\n", "10:13", "the document lacks target here"},
	    {STAGE "    multipart: [{contentType: plain, text: ''}]\n", "10:31",
	     "contentType \"plain\" must be TYPE/SUBTYPE, with parameters after ;"},
	    {STAGE "    multipart: [a]\n", "10:17", "a part must be a map"},
	};

	(void)state;
	assert_mistakes(cases, COUNT_OF(cases), DIAG_GARDENER_SYSTEM);
}

static void mistakes_of_templates(void **state)
{
	static const struct mistake cases[] = {
	    {STAGE "    after: 'a {{ if }} b'\n", "10:21",
	     "template: after:1: missing value for if"},
	    {STAGE "    files: [{path: /a, content: '{{ nope }}'}]\n", "10:37",
	     "template: files.content:1: function \"nope\" not defined"},
	};

	(void)state;
	assert_mistakes(cases, COUNT_OF(cases), DIAG_TEMPLATE_SYNTAX);
}

static void unknown_members(void **state)
{
	static const struct mistake cases[] = {
	    {SPEC "  provision: {format: bash}\n  reconcil: {}\n", "9:3",
	     "unknown field \"reconcil\" in spec has no effect"},
	    {SPEC "  provision: {format: bash, befor: a}\n", "8:29",
	     "unknown field \"befor\" in provision has no effect"},
	    {STAGE "    start: {noblock: true}\n", "10:13",
	     "unknown field \"noblock\" in start has no effect"},
	    {STAGE "    files: [{path: /a, content: '', mode: 0644}]\n", "10:37",
	     "unknown field \"mode\" in a file has no effect"},
	    {STAGE "    units: [{name: a.service, enabled: true}]\n", "10:31",
	     "unknown field \"enabled\" in a unit has no effect"},
	    {STAGE "    links: [{path: /a, target: /b, to: c}]\n", "10:36",
	     "unknown field \"to\" in a link has no effect"},
	};

	(void)state;
	assert_mistakes(cases, COUNT_OF(cases), DIAG_GARDENER_SYSTEM_UNKNOWN);
}

UNIT_TESTS(gardener_system)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(embedded_documents_are_right),
	    cmocka_unit_test(embedded_documents_do_not_overlap),
	    cmocka_unit_test(mistakes_of_the_head),
	    cmocka_unit_test(mistakes_of_a_stage),
	    cmocka_unit_test(mistakes_of_items),
	    cmocka_unit_test(mistakes_of_templates),
	    cmocka_unit_test(unknown_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
