/*
 * The files that a kustomization names. A path that does not lead to a file of the commit is
 * refused here, before anything runs: kustomize takes other strings for repositories to fetch.
 */
#include "kustomize/internal.h"

#include "secrecy/secrecy.h"

const sv kustomize_file_names[KUSTOMIZE_FILE_NAMES] = {
    SV_INIT("kustomization.yaml"),
    SV_INIT("kustomization.yml"),
    SV_INIT("Kustomization"),
};

struct diag *kustomize_refuse(struct kustomize_reader *r, struct position at, sv text)
{
	struct diag *diag = diag_report(r->sink, DIAG_KUSTOMIZE_REFUSED, at, "%.*s", SV_ARG(text));

	if (r->inputs->at.source && r->inputs->at.source != at.source)
		diag_add_note(r->sink, diag, r->inputs->at,
		              "the kustomization is read because of this");
	return diag;
}

/* ---- paths ------------------------------------------------------------------------------- */

/*
 * Returns true for a string that kustomize may take for an address, whatever files there are: it
 * tries addresses of repositories before folders.
 */
static bool is_remote(sv path)
{
	static const sv begins[] = {SV_INIT("github.com"), SV_INIT("www.github.com")};

	for (size_t i = 0; i < COUNT_OF(begins); i++)
		if (path.len >= begins[i].len &&
		    sv_eq_fold_ascii(sv_slice(path, 0, begins[i].len), begins[i]))
			return true;
	return sv_find_char(path, ':') != SV_NPOS || sv_find_char(path, '?') != SV_NPOS ||
	       sv_find_char(path, '@') != SV_NPOS;
}

bool kustomize_is_link(struct kustomize_reader *r, sv path)
{
	for (size_t end = 1; end <= path.len; end++)
		if ((end == path.len || path.ptr[end] == '/') &&
		    r->tree->kind(r->tree->context, sv_slice(path, 0, end)) == KUSTOMIZE_LINK)
			return true;
	return false;
}

bool kustomize_locate(struct kustomize_reader *r, sv folder, struct position at, sv path,
                      sv *ret_path)
{
	struct diag *diag;

	if (is_remote(path)) {
		diag = kustomize_refuse(
		    r, at,
		    ARENA_CONCAT(
		        r->arena, SV("\""), secrecy_mask_userinfo(r->arena, path),
		        SV("\" is the address of something outside of the commit, which is "
		           "not fetched")));
		diag_set_help(r->sink, diag, "commit a copy, and name the copy");
		return false;
	}
	if (sv_empty(path) || path.ptr[0] == '/' || sv_find_char(path, '\0') != SV_NPOS ||
	    !os_resolve(r->arena, folder, path, ret_path)) {
		diag = kustomize_refuse(
		    r, at,
		    arena_printf(r->arena, "the path \"%.*s\" leads out of the repository",
		                 SV_ARG(path)));
		diag_set_help(r->sink, diag,
		              "name a file of the repository, by its path from here");
		return false;
	}
	if (kustomize_is_link(r, *ret_path)) {
		diag = kustomize_refuse(
		    r, at,
		    arena_printf(r->arena,
		                 "\"%.*s\" is a symbolic link, or below one, which is not followed",
		                 SV_ARG(path)));
		diag_set_help(r->sink, diag, "commit the file itself in its place");
		return false;
	}
	return true;
}

static void report_absent(struct kustomize_reader *r, struct position at, sv path)
{
	struct diag *diag = kustomize_refuse(
	    r, at, arena_printf(r->arena, "the commit has no file \"%.*s\"", SV_ARG(path)));

	diag_set_help(r->sink, diag, "commit the file; osm-gen fetches nothing from elsewhere");
}

/* ---- files ------------------------------------------------------------------------------- */

/* Any of these files may hold secrets, and is in the result's messages only by its name then. */
static struct source *open_source(struct kustomize_reader *r, sv path, sv text)
{
	bool may_hold =
	    sv_contains(text, SV("Secret")) || secrecy_manifest_may_hold_credential(text);
	struct source *source = source_new(r->arena, path, text, may_hold);

	source->suspected = may_hold;
	source->values = r->tree->values;
	return source;
}

static void check_sealed(struct kustomize_reader *r, struct kustomize_file *file,
                         enum kustomize_role role)
{
	struct diag *diag;

	VEC_EACH (document, &file->documents)
		file->is_sealed |= seal_is_input(&document->root);
	bool looks_sealed = role == KUSTOMIZE_DATA &&
	                    (sv_contains(file->source->text, SV("ENC[AES256_GCM,")) ||
	                     sv_contains(file->source->text, SV("-----BEGIN AGE ENCRYPTED FILE")));
	if (role == KUSTOMIZE_RESOURCE || (!file->is_sealed && !looks_sealed))
		return;
	diag =
	    diag_report(r->sink, DIAG_KUSTOMIZE_SECRET, position_of_source(file->source),
	                role == KUSTOMIZE_DATA
	                    ? "a generator of a kustomization would wrap this encrypted file"
	                    : "this file of a kustomization is encrypted, and is not a resource");
	diag_set_help(r->sink, diag,
	              "commit an encrypted Secret in its place, and list it under resources");
}

static bool parse(struct kustomize_reader *r, struct kustomize_file *file)
{
	return yml_parse(r->secret_arena, r->sink, file->source, &file->documents) == STATUS_OK;
}

/* A file may be a resource here, and wrapped by a generator there. */
static struct kustomize_file *use_again(struct kustomize_reader *r, struct kustomize_file *file,
                                        enum kustomize_role role)
{
	if (role == file->role || !file->source)
		return file;
	if (file->role == KUSTOMIZE_DATA && !parse(r, file))
		return NULL;
	if (file->role == KUSTOMIZE_DATA)
		file->role = role;
	check_sealed(r, file, role);
	return file;
}

struct kustomize_file *kustomize_add_file(struct kustomize_reader *r, struct position at, sv path,
                                          enum kustomize_role role)
{
	struct kustomize_file *file = map_get(&r->inputs->files, path);
	sv text;

	if (file)
		return use_again(r, file, role);
	if (r->inputs->files.count >= KUSTOMIZE_MAX_FILES) {
		kustomize_refuse(r, at, SV("the kustomization uses more than 20000 files"));
		return NULL;
	}
	file = ARENA_NEW(r->arena, struct kustomize_file);
	*file = (struct kustomize_file){.path = arena_dup(r->arena, path), .role = role};
	map_put(&r->inputs->files, file->path, file);
	if (!r->tree->read(r->tree->context, path, &text)) {
		kustomize_refuse(r, at,
		                 ARENA_CONCAT(r->arena, SV("cannot read \""), path, SV("\"")));
		return NULL;
	}
	file->source = open_source(r, file->path, text);
	if (role != KUSTOMIZE_DATA && !parse(r, file))
		return NULL;
	check_sealed(r, file, role);
	return file;
}

const struct kustomize_file *kustomize_use_path(struct kustomize_reader *r, sv folder,
                                                const struct value *at, sv path,
                                                enum kustomize_role role)
{
	sv found;

	if (!kustomize_locate(r, folder, value_position(at), path, &found))
		return NULL;
	if (r->tree->kind(r->tree->context, found) == KUSTOMIZE_FILE)
		return kustomize_add_file(r, value_position(at), found, role);
	report_absent(r, value_position(at), path);
	return NULL;
}

const struct kustomize_file *kustomize_use_file(struct kustomize_reader *r, sv folder,
                                                const struct value *path, enum kustomize_role role)
{
	if (value_is_string(path))
		return kustomize_use_path(r, folder, path, path->string, role);
	if (!value_is_null(path))
		kustomize_refuse(r, value_position(path), SV("a path must be a string here"));
	return NULL;
}

/* ---- folders ----------------------------------------------------------------------------- */

static bool has_kustomization(struct kustomize_reader *r, sv folder)
{
	for (size_t i = 0; i < KUSTOMIZE_FILE_NAMES; i++)
		if (r->tree->kind(r->tree->context,
		                  os_join(r->arena, folder, kustomize_file_names[i])) !=
		    KUSTOMIZE_ABSENT)
			return true;
	return false;
}

void kustomize_add_folder(struct kustomize_reader *r, sv folder, struct position at)
{
	if (!set_add(&r->known_folders, folder))
		return;
	if (r->folders.count >= KUSTOMIZE_MAX_FOLDERS) {
		kustomize_refuse(r, at, SV("the kustomization uses more than 1000 others"));
		return;
	}
	VEC_PUSH(r->arena, &r->folders, folder);
	VEC_PUSH(r->arena, &r->named_at, at);
}

void kustomize_use_resource(struct kustomize_reader *r, sv folder, const struct value *path)
{
	struct position at = value_position(path);
	sv found;

	if (!value_is_string(path)) {
		kustomize_refuse(r, at, SV("a path must be a string here"));
		return;
	}
	if (!kustomize_locate(r, folder, at, path->string, &found))
		return;
	if (r->tree->kind(r->tree->context, found) == KUSTOMIZE_FILE)
		(void)kustomize_add_file(r, at, found, KUSTOMIZE_RESOURCE);
	else if (has_kustomization(r, found))
		kustomize_add_folder(r, found, at);
	else
		report_absent(r, at, path->string);
}

bool kustomize_is_inline(sv text)
{
	return sv_find_char(text, '\n') != SV_NPOS || sv_contains(text, SV(": ")) ||
	       sv_starts_with(sv_trim_space(text), SV("{"));
}
