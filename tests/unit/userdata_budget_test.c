/* How much user-data each cloud takes (docs/spec/userdata.md 5). */
#include "osm_fixture.h"

#include "codec/codec.h"
#include "osm/cloud.h"
#include "userdata/userdata.h"

static size_t measured(struct fixture *f, const char *provider, const char *os_name, sv text)
{
	return userdata_measure_bytes(
	    f->arena, userdata_budget_find(sv_from_cstr(provider), sv_from_cstr(os_name)), text);
}

static void sizes_are_those_after_machine_controller(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const sv text = SV("a <MACHINE_NAME> b\n \t \n<MACHINE_NAME>%3CMACHINE_NAME%3E\n");
	const size_t expanded = 4 + 63 + 1 + 1 + 2 * 63 + 1;

	(void)state;
	assert_int_equal(userdata_measure_bytes(f.arena, NULL, text), expanded);
	assert_int_equal(measured(&f, "hetzner", "ubuntu", text), expanded);
	assert_int_equal(measured(&f, "openstack", "ubuntu", text), (expanded + 2) / 3 * 4);
	assert_int_equal(measured(&f, "vsphere", "flatcar", text), (expanded + 2) / 3 * 4);
	/* Flatcar's Ignition reads no gzip. */
	assert_int_equal(measured(&f, "aws", "flatcar", text), expanded);
	assert_true(measured(&f, "aws", "ubuntu", text) < expanded);
}

/* Text that does not compress: hex digits of digests carry 4 bits a byte. */
static sv noise(struct arena *arena, size_t bytes)
{
	struct buf buf = buf_in(arena);

	while (buf.len < bytes)
		buf_add(&buf, digest_hex(arena, DIGEST_SHA256, buf_sv(&buf)));
	return sv_slice(buf_sv(&buf), 0, bytes);
}

struct budget_case {
	const char *provider;
	const char *os_name;
	size_t bytes;
	enum diag_code code; /* 0: fine */
};

static void check_budget(const struct budget_case *c, sv text)
{
	FIXTURE_AUTO f = fixture_new();
	const struct userdata_budget *budget =
	    userdata_budget_find(sv_from_cstr(c->provider), sv_from_cstr(c->os_name));
	size_t bytes = 0;

	enum status status = userdata_check_budget(f.arena, &f.sink, budget, text, NOWHERE, &bytes);
	assert_true(bytes > 0);
	enum diag_code got = f.sink.diags.count ? f.sink.diags.items[0]->code : 0;
	if (got != c->code)
		fail_msg("%s %s %zu: %d, want %d", c->provider, c->os_name, c->bytes, (int)got,
		         (int)c->code);
	assert_true(f.sink.diags.count <= 1);
	assert_int_equal(status == STATUS_FAILED, f.sink.error_count > 0);
	if (got) {
		sv help = f.sink.diags.items[0]->help;

		if (budget->remedy)
			assert_sv(help, budget->remedy);
		else
			assert_contains(
			    help, arena_cstr(f.arena, ARENA_CONCAT(f.arena, SV("userDataLimits: {"),
			                                           sv_from_cstr(c->provider))));
		assert_int_equal(sv_starts_with(help, SV("try one machine")),
		                 budget->assumed && !budget->remedy);
		assert_int_equal(f.sink.diags.items[0]->notes.count, 1);
		assert_true(strlen(budget->source) > 10);
	}
}

#define NEAR DIAG_USERDATA_NEAR_LIMIT
#define OVER DIAG_USERDATA_LIMIT
/* No number is published: the text is let through with a warning. */
#define GUESS DIAG_USERDATA_ASSUMED_LIMIT

static void every_provider_has_its_limit(void **state)
{
	/* The largest text that is let through, and the smallest that is not. */
	static const struct budget_case cases[] = {
	    {"alibaba", "ubuntu", 16384, 0},
	    {"alibaba", "ubuntu", 16385, NEAR},
	    {"alibaba", "ubuntu", 32768, NEAR},
	    {"alibaba", "ubuntu", 32769, OVER},
	    {"anexia", "flatcar", 16384, 0},
	    {"anexia", "flatcar", 16385, GUESS},
	    {"aws", "flatcar", 14746, 0},
	    {"aws", "flatcar", 14747, NEAR},
	    {"aws", "flatcar", 16384, NEAR},
	    {"aws", "flatcar", 16385, OVER},
	    {"aws", "ubuntu", 20000, 0},
	    {"aws", "ubuntu", 35000, OVER},
	    {"azure", "rhel", 65535, NEAR},
	    {"azure", "rhel", 65536, OVER},
	    {"baremetal", "ubuntu", 262144, 0},
	    {"baremetal", "ubuntu", 262145, GUESS},
	    {"digitalocean", "ubuntu", 65536, NEAR},
	    {"digitalocean", "ubuntu", 65537, OVER},
	    {"edge", "ubuntu", 262144, 0},
	    {"edge", "ubuntu", 262145, GUESS},
	    {"gardener", "ubuntu", 16385, GUESS}, /* with a help of its own */
	    {"gce", "ubuntu", 262144, NEAR},
	    {"gce", "ubuntu", 262145, OVER},
	    {"hetzner", "ubuntu", 29492, 0},
	    {"hetzner", "ubuntu", 29493, NEAR},
	    {"hetzner", "ubuntu", 32768, NEAR},
	    {"hetzner", "ubuntu", 32769, OVER},
	    {"kubevirt", "flatcar", 204800, NEAR},
	    {"kubevirt", "flatcar", 204801, OVER},
	    {"kubevirt", "ubuntu", 1048576, NEAR},
	    {"kubevirt", "ubuntu", 1048577, OVER},
	    {"linode", "ubuntu", 16384, NEAR},
	    {"linode", "ubuntu", 16385, OVER},
	    {"nutanix", "ubuntu", 24000, NEAR},
	    {"nutanix", "ubuntu", 24001, OVER},
	    {"opennebula", "ubuntu", 65536, 0},
	    {"opennebula", "ubuntu", 65537, GUESS},
	    {"openstack", "ubuntu", 49149, NEAR},
	    {"openstack", "ubuntu", 49152, OVER},
	    {"scaleway", "ubuntu", 65536, 0},
	    {"scaleway", "ubuntu", 65537, GUESS},
	    {"vmware-cloud-director", "ubuntu", 49152, 0},
	    {"vmware-cloud-director", "ubuntu", 49153, GUESS},
	    {"vsphere", "flatcar", 49152, NEAR},
	    {"vsphere", "flatcar", 49153, OVER},
	    /* An ISO image; nothing that machine-controller hands over. */
	    {"vsphere", "ubuntu", 1048577, 0},
	    {"external", "ubuntu", 1048577, 0},
	    {"fake", "ubuntu", 1048577, 0},
	};

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = noise(arena, 40000);
	char *long_text = arena_alloc_text(arena, 1048577);

	memset(long_text, 'x', 1048577);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		bool compressed = strcmp(cases[i].provider, "aws") == 0;

		check_budget(&cases[i], sv_slice(compressed ? text : sv_from(long_text, 1048577), 0,
		                                 cases[i].bytes));
	}
}

/* A provider of the schema that is in neither list was forgotten. */
static void no_provider_is_forgotten(void **state)
{
	static const char *const without[] = {"external", "fake"};
	size_t count;
	const struct osm_provider *table = osm_provider_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool known = userdata_budget_find(table[i].name, SV("flatcar"));

		for (size_t k = 0; k < COUNT_OF(without); k++)
			known |= sv_eq_cstr(table[i].name, without[k]);
		if (!known)
			fail_msg("%.*s has no budget", SV_ARG(table[i].name));
	}
}

static void secrets_hold_a_mebibyte(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	sv text = sv_from(arena_alloc_text(f.arena, 1048577), 1048577);

	(void)state;
	assert_int_equal(userdata_check_secret(&f.sink, "x", sv_slice(text, 0, 943719), 0, NOWHERE),
	                 STATUS_OK);
	assert_diag_count(&f.sink, 0);
	assert_int_equal(
	    userdata_check_secret(&f.sink, "x", sv_slice(text, 0, 1048576), 0, NOWHERE), STATUS_OK);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_USERDATA_NEAR_LIMIT);
	assert_int_equal(userdata_check_secret(&f.sink, "x", text, 0, NOWHERE), STATUS_FAILED);
	assert_int_equal(f.sink.diags.items[1]->code, DIAG_USERDATA_SECRET_SIZE);
	assert_sv(f.sink.diags.items[1]->text, "the x has 1048577 bytes, a Secret holds 1048576");
}

/* With sealing.roundLengths no message gives an exact size, nor one above a limit that is kept. */
static void messages_round_sizes(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	sv text = sv_from(arena_alloc_text(f.arena, 1048577), 1048577);
	struct userdata_budget budget = *userdata_budget_find(SV("hetzner"), SV("ubuntu"));
	size_t bytes;

	(void)state;
	memset((char *)text.ptr, 'x', text.len);
	budget.multiple = 1000;
	assert_int_equal(userdata_check_budget(f.arena, &f.sink, &budget, sv_slice(text, 0, 30001),
	                                       NOWHERE, &bytes),
	                 STATUS_OK);
	assert_sv(f.sink.diags.items[0]->text,
	          "the bootstrap user-data has up to 31000 bytes; hetzner takes 32768");
	assert_int_equal(bytes, 30001);
	assert_int_equal(userdata_check_budget(f.arena, &f.sink, &budget, sv_slice(text, 0, 32700),
	                                       NOWHERE, &bytes),
	                 STATUS_OK);
	assert_sv(f.sink.diags.items[1]->text,
	          "the bootstrap user-data has up to 32768 bytes; hetzner takes 32768");
	assert_int_equal(userdata_check_budget(f.arena, &f.sink, &budget, sv_slice(text, 0, 32769),
	                                       NOWHERE, &bytes),
	                 STATUS_FAILED);
	assert_sv(f.sink.diags.items[2]->text,
	          "the bootstrap user-data has up to 33000 bytes; hetzner takes 32768");
	assert_int_equal(
	    userdata_check_secret(&f.sink, "x", sv_slice(text, 0, 1048000), 1000, NOWHERE),
	    STATUS_OK);
	assert_sv(f.sink.diags.items[3]->text,
	          "the x has up to 1048000 bytes, a Secret holds 1048576");
	assert_int_equal(userdata_check_secret(&f.sink, "x", text, 1000, NOWHERE), STATUS_FAILED);
	assert_sv(f.sink.diags.items[4]->text,
	          "the x has up to 1049000 bytes, a Secret holds 1048576");
	assert_int_equal(userdata_shown_bytes(5, 0, 8), 8);
	assert_int_equal(userdata_shown_bytes(5, 6, 1), 5);
	assert_int_equal(userdata_shown_bytes(5, 0, 0), 5);
	assert_int_equal(userdata_shown_bytes(5, 0, 2), 6);
	assert_int_equal(userdata_shown_bytes(5, 5, 2), 5);
	assert_int_equal(userdata_shown_bytes(6, 5, 8), 8);
}

UNIT_TESTS(userdata_budget)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes_are_those_after_machine_controller),
	    cmocka_unit_test(every_provider_has_its_limit),
	    cmocka_unit_test(no_provider_is_forgotten),
	    cmocka_unit_test(secrets_hold_a_mebibyte),
	    cmocka_unit_test(messages_round_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
