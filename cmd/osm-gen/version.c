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
static struct json_t *libraries(struct arena *arena)
{
	struct json_t *map = json_doc_map();

	if (git_isal_version())
		json_doc_set_text(map, "isa-l", sv_from_cstr(git_isal_version()));
	json_doc_set_text(map, "jansson", sv_from_cstr(json_library_version()));
	json_doc_set_text(map, "libcrypto", sv_from_cstr(codec_crypto_version()));
	json_doc_set_text(map, "libdeflate", sv_from_cstr(git_deflate_version()));
	json_doc_set_text(map, "libgit2", git_library_version(arena));
	json_doc_set_text(map, "libsodium", sv_from_cstr(seal_library_version()));
	json_doc_set_text(map, "libyaml", sv_from_cstr(yml_library_version()));
	json_doc_set_text(map, "utf8proc", sv_from_cstr(go_rune_library_version()));
	json_doc_set_text(map, "zlib", sv_from_cstr(codec_zlib_version()));
	return map;
}

/* The controllers whose results it reproduces, with their versions. */
static struct json_t *levels(const struct context *context)
{
	struct json_t *map = json_doc_map();

	for (size_t i = 0; i < context->dialect_count; i++) {
		const struct dialect *dialect = context->dialects[i];

		if (!sv_empty(dialect->program))
			json_doc_set_text(map, dialect->program.ptr, dialect->program_version);
	}
	return map;
}

/* The output contracts that a Fleet may name (spec.contract). */
static struct json_t *contracts(void)
{
	struct json_t *map = json_doc_map();

	json_doc_set_size(map, "oldest", dialect_contract_oldest());
	json_doc_set_size(map, "newest", dialect_contract_newest());
	return map;
}

int command_version(struct context *context)
{
	struct buf buf = buf_in(context->arena);

	if (context->options->version || !sv_eq(context->options->format, SV("json"))) {
		BUF_ADD_LIT(&buf, "osm-gen " OSM_GEN_VERSION "\n");
	} else {
		JSON_DOC_AUTO root = json_doc_map();

		json_doc_set_text(root, "formatVersion", SV("1.0"));
		json_doc_set_text(root, "name", SV("osm-gen"));
		json_doc_set_text(root, "version", SV(OSM_GEN_VERSION));
		json_doc_set_text(root, "sourceDigest", SV("sha256:" OSM_GEN_SOURCE_DIGEST));
		json_doc_set(root, "contracts", contracts());
		json_doc_set(root, "controllers", levels(context));
		json_doc_set(root, "libraries", libraries(context->arena));
		json_doc_write(&buf, root);
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
