/*
 * Sample files made by another implementation, where they are present. The writer differs from
 * theirs on purpose (docs/spec/sealing.md 6): they are for the reader.
 */
#include "seal/seal.h"

#include "texts.h"

#include <stdio.h>

#define SAMPLES "../shared/conformance/sealing/"

/* False when there is no such file. */
static bool read_file(struct arena *arena, const char *path, struct source **ret_source)
{
	FILE *file = fopen(path, "rb");
	struct buf text = buf_in(arena);
	size_t got;

	if (!file)
		return false;
	while ((got = fread(buf_reserve(&text, 4096), 1, 4096, file)) > 0)
		text.len += got;
	fclose(file);
	*ret_source = source_new(arena, sv_from_cstr(path), buf_sv(&text), true);
	return true;
}

/* Skipping jumps: it must come before anything is allocated. */
static void skip_without_samples(void)
{
	FILE *file = fopen(SAMPLES "kat-identity.txt", "rb");

	if (!file) {
		print_message("skipped: the samples are not part of the sources\n");
		skip();
	}
	fclose(file);
}

static struct value open_sample(struct arena *arena, const char *path)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	struct source *source;
	struct value opened;

	assert_true(read_file(arena, SAMPLES "kat-identity.txt", &source));
	assert_int_equal(seal_identities_add(&sink, identities, source), STATUS_OK);
	assert_true(read_file(arena, path, &source));
	struct value sealed = yaml_value_of(arena, source->text);
	assert_true(seal_is_sealed(&sealed));
	assert_int_equal(seal_open(arena, &sink, &sealed, 1, identities, &opened), STATUS_OK);
	return opened;
}

static void test_secret(void **state)
{
	(void)state;
	skip_without_samples();
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct value opened = open_sample(arena, SAMPLES "kat-secret.enc.yaml");

	assert_sv(value_text(value_path(&opened, "data.cloud-config")), "I2Nsb3VkLWNvbmZpZwo=");
	assert_true(value_is_string(value_path(&opened, "data.empty")));
	assert_true(value_path(&opened, "immutable")->boolean);
	assert_sv(secrecy_find(value_path(&opened, "data"))->text, "#cloud-config\n");
}

static void test_osc(void **state)
{
	(void)state;
	skip_without_samples();
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct value opened = open_sample(arena, SAMPLES "kat-osc.enc.yaml");
	const struct value *files = value_path(&opened, "spec.provisioningConfig.files");

	assert_int_equal(value_count(files), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct value *data = value_path(value_item(files, i), "content.inline.data");

		assert_sv(value_text(data), "same\ntext\n");
		assert_non_null(secrecy_find(data));
	}
}

UNIT_TESTS(seal_samples)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_secret),
	    cmocka_unit_test(test_osc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
