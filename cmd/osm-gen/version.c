/*
 * version: the version of osm-gen, of its source and of its libraries.
 */
#include "version.h"
#include "codec/codec.h"
#include "commands.h"
#include "dialect/dialect.h"
#include "git/git.h"
#include "golang/golang.h"
#include "seal/seal.h"
#include "source_digest.h"
#include "yaml/yaml.h"
#include "json/json.h"

/* RE2 has no function that returns its version. */
static struct value libraries(struct arena *arena)
{
	return VALUE_MAP(arena, {"isa-l", value_cstr_if(git_isal_version())},
	                 {"jansson", value_cstr_if(json_library_version())},
	                 {"libcrypto", value_cstr_if(codec_crypto_version())},
	                 {"libdeflate", value_cstr_if(git_deflate_version())},
	                 {"libgit2", value_string(git_library_version(arena))},
	                 {"libsodium", value_cstr_if(seal_library_version())},
	                 {"libyaml", value_cstr_if(yml_library_version())},
	                 {"utf8proc", value_cstr_if(go_rune_library_version())},
	                 {"zlib", value_cstr_if(codec_zlib_version())});
}

/* The controllers whose results it reproduces, with their versions. */
static struct value controllers(struct arena *arena)
{
	struct value map = value_map_new(arena);
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		if (!sv_empty(all[i]->program))
			value_map_set(arena, &map, all[i]->program,
			              value_string(all[i]->program_version));
	return map;
}

int command_version(struct context *context)
{
	struct arena *arena = context->arena;
	struct buf buf = buf_in(arena);
	/* The output contracts are those that a Fleet may name (spec.contract). */
	struct value root = VALUE_MAP(
	    arena, {"formatVersion", value_string(SV("1.0"))},
	    {"name", value_string(SV("osm-gen"))}, {"version", value_string(SV(OSM_GEN_VERSION))},
	    {"sourceDigest", value_string(SV("sha256:" OSM_GEN_SOURCE_DIGEST))},
	    {"contracts", VALUE_MAP(arena, {"oldest", value_int(dialect_contract_oldest())},
	                            {"newest", value_int(dialect_contract_newest())})},
	    {"controllers", controllers(arena)}, {"libraries", libraries(arena)});

	if (context->options->version || !sv_eq(context->options->print.format, SV("json")))
		report_form(&buf, "version", REPORT_PLAIN, &root);
	else
		report_add_json(&buf, &root);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
