/*
 * Expands KubeOneClusters without a repository: kubeone-expand FOLDER... For each folder with a
 * kubeone.yaml, and perhaps a tf.json, prints one line of JSON with its units, its settings and the
 * diagnostics. A file units.yaml is for committed MachineDeployments, and is not read.
 */
#include "osm/kubeone/kubeone.h"
#include "osm/osm.h"

#include "yaml/yaml.h"
#include "json/json.h"

#include <stdio.h>

struct folder {
	struct arena *arena;
	const char *path;
};

static bool read_text(const void *context, sv path, sv *ret_text)
{
	const struct folder *folder = context;
	const char *full = arena_cstr(
	    folder->arena, ARENA_CONCAT(folder->arena, sv_from_cstr(folder->path), SV("/"), path));
	FILE *file = fopen(full, "rb");
	struct buf text = buf_in(folder->arena);
	int c;

	if (!file)
		return false;
	while ((c = fgetc(file)) != EOF)
		buf_add_char(&text, (char)c);
	fclose(file);
	*ret_text = buf_sv(&text);
	return true;
}

static bool read_file(const void *context, const struct value *path, sv *ret_text)
{
	return read_text(context, path->string, ret_text);
}

static bool is_given(const void *context, sv setting)
{
	(void)context;
	(void)setting;
	return false;
}

static struct value diagnostics(struct arena *arena, const struct sink *sink)
{
	struct value list = value_list_new(arena);

	VEC_EACH (diag, &sink->diags) {
		struct value one = value_map_new(arena);

		value_map_set(arena, &one, SV("code"), value_int((int)(*diag)->code));
		value_map_set(arena, &one, SV("error"),
		              value_bool((*diag)->severity == DIAG_ERROR));
		value_map_set(arena, &one, SV("file"),
		              value_string((*diag)->at.source ? (*diag)->at.source->path : SV("")));
		value_map_set(arena, &one, SV("line"),
		              value_int((int64_t)position_line_column((*diag)->at).line));
		value_map_set(arena, &one, SV("text"), value_string((*diag)->text));
		value_map_set(arena, &one, SV("help"), value_string((*diag)->help));
		value_list_add(arena, &list, one);
	}
	return list;
}

static void print_json(struct arena *arena, const struct value *v)
{
	struct buf out = buf_in(arena);

	json_emit(&out, v, 0);
	printf("%.*s\n", SV_ARG(buf_sv(&out)));
}

static void expand(const char *path)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct folder folder = {arena, path};
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	struct dialect_expansion expansion = {
	    .is_given = is_given, .read_file = read_file, .context = &folder};
	struct dialect_expanded expanded = {0};
	struct value result = value_map_new(arena);
	struct value units = value_list_new(arena);
	sv text = SV("");

	(void)read_text(&folder, SV("kubeone.yaml"), &text);
	struct source *source = source_new(arena, SV("kubeone.yaml"), text, false);
	expansion.has_units = read_text(&folder, SV("units.yaml"), &text);
	if (read_text(&folder, SV("tf.json"), &text))
		expansion.terraform = source_new(arena, SV("tf.json"), text, false);
	if (yml_parse(arena, &sink, source, &documents) == STATUS_OK) {
		expansion.root = &documents.items[0].root;
		expansion.source = source;
		osm_kubeone_expand(arena, &sink, &expansion, &expanded);
	}
	VEC_EACH (unit, &expanded.units)
		value_list_add(arena, &units, **unit);
	value_map_set(arena, &result, SV("folder"), value_string(sv_from_cstr(path)));
	value_map_set(arena, &result, SV("units"), units);
	value_map_set(arena, &result, SV("settings"),
	              expanded.settings.type ? expanded.settings : value_null());
	value_map_set(arena, &result, SV("diagnostics"), diagnostics(arena, &sink));
	print_json(arena, &result);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		expand(argv[i]);
	return 0;
}
