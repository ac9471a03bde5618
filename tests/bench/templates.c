/*
 * How long the templates of a profile take: parsed once, rendered many times with one machine's
 * data. Prints seconds for all renderings and the bytes of one.
 *
 *   bench-templates PROFILE.yaml COUNT
 */
#include "../template/cases.h"

#include "os/os.h"
#include "tmpl/tmpl.h"
#include "yaml/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

VEC_TYPE(sources, struct tmpl_source);

struct profile_texts {
	struct sources templates;
	struct sources files;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void add_templates(struct arena *arena, const struct value *map, struct sources *sources)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		VEC_PUSH(arena, sources, ((struct tmpl_source){entry->key, &entry->value}));
	}
}

static void add_files(struct arena *arena, const struct value *list, struct sources *sources)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *file = value_item(list, i);
		const struct value *text = value_path(file, "content.inline.data");
		if (text)
			VEC_PUSH(arena, sources,
			         ((struct tmpl_source){value_text(value_map_get(file, SV("path"))),
			                               text}));
	}
}

static bool load(struct arena *arena, struct sink *sink, const char *path,
                 struct profile_texts *texts)
{
	struct yml_documents documents;
	sv text;

	if (os_read_file(arena, sink, sv_from_cstr(path), 1 << 24, &text) != STATUS_OK)
		return false;
	const struct source *source = source_new(arena, sv_from_cstr(path), text, false);
	if (yml_parse(arena, sink, source, &documents) != STATUS_OK || documents.count == 0)
		return false;
	const struct value *config =
	    value_path(&documents.items[0].root, "spec.provisioningConfig");
	const struct value *runtimes = value_path(config, "supportedContainerRuntimes");
	if (value_count(runtimes) > 0) {
		add_templates(arena, value_path(value_item(runtimes, 0), "templates"),
		              &texts->templates);
		add_files(arena, value_path(value_item(runtimes, 0), "files"), &texts->files);
	}
	add_templates(arena, value_path(config, "templates"), &texts->templates);
	add_files(arena, value_path(config, "files"), &texts->files);
	return true;
}

static bool render(const struct tmpl_profile *profile, const struct profile_texts *texts,
                   const struct value *data, int count, size_t *ret_bytes)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct tmpl_rendered *files;
	struct tmpl_error error;

	for (int i = 0; i < count; i++) {
		arena_reset(arena);
		struct sink sink = sink_in(arena);
		if (tmpl_profile_render(arena, &sink, profile, data, NULL, &files, &error) !=
		    STATUS_OK) {
			fprintf(stderr, "bench-templates: %.*s\n", SV_ARG(error.text));
			return false;
		}
		*ret_bytes = 0;
		for (size_t f = 0; f < texts->files.count; f++)
			*ret_bytes += files[f].content.string.len;
	}
	return true;
}

int main(int argc, char **argv)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct profile_texts read = {0};
	struct tmpl_profile *profile;
	size_t bytes = 0;

	if (argc != 3 || !load(arena, &sink, argv[1], &read)) {
		fputs("usage: bench-templates PROFILE.yaml COUNT\n", stderr);
		return 64;
	}
	const struct tmpl_profile_texts texts = {
	    .templates = {read.templates.items, read.templates.count},
	    .files = {read.files.items, read.files.count}};
	if (tmpl_profile_parse(arena, &sink, &tmpl_funcs_profile, &texts, &profile, NULL) !=
	    STATUS_OK) {
		fprintf(stderr, "bench-templates: %s is no profile\n", argv[1]);
		return 1;
	}
	double start = seconds();
	if (!render(profile, &read, case_dataset(arena, "osp-full"), atoi(argv[2]), &bytes))
		return 1;
	printf("%.3f %zu\n", seconds() - start, bytes);
	return 0;
}
