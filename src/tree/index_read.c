/*
 * Reads an index.json in the very form that index_write.c gives it, some ten times faster than a
 * tree of values could be: every run reads all of the previous output's. Any other form, also JSON
 * with the same values, is left to the reader in index.c, which reports mistakes.
 */
#include "tree/index.h"

#include "os/os.h"

enum artifact_role tree_role_of(sv name)
{
	for (int role = ARTIFACT_CONFIG; role <= ARTIFACT_CONFIG_MAP; role++)
		if (sv_eq(name, artifact_role_name((enum artifact_role)role)))
			return (enum artifact_role)role;
	return ARTIFACT_SUPPORT;
}

bool tree_path_is_inside(sv path)
{
	return os_path_stays_inside(path);
}

struct reader {
	struct arena *arena;
	struct arena *scratch;
	struct map strings; /* each once, in scratch: most occur in many files */
	struct map units;   /* likewise, const struct tree_unit * by their strings */
	sv text;
	size_t at;
	size_t depth;
	bool is_empty; /* nothing was read of the list or map that is open */
	sv folder;
};

/* ---- JSON ---------------------------------------------------------------------------------- */

static bool take_literal(struct reader *r, sv literal)
{
	if (r->text.len - r->at < literal.len ||
	    memcmp(r->text.ptr + r->at, literal.ptr, literal.len) != 0)
		return false;
	r->at += literal.len;
	return true;
}

/* Takes a line break and the spaces of the current depth. */
static bool take_line(struct reader *r)
{
	static const char spaces[] = "          ";
	size_t count = 2 * r->depth;

	return count < sizeof(spaces) && take_literal(r, SV("\n")) &&
	       take_literal(r, sv_from(spaces, count));
}

/* Takes the beginning of an item. Takes nothing if no item begins here. */
static bool take_item(struct reader *r)
{
	size_t start = r->at;

	if ((r->is_empty || take_literal(r, SV(","))) && take_line(r)) {
		r->is_empty = false;
		return true;
	}
	r->at = start;
	return false;
}

/* Takes the key of the next member, if it is that one. */
static bool take_member_key(struct reader *r, sv key)
{
	size_t start = r->at;
	bool was_empty = r->is_empty;

	if (take_item(r) && take_literal(r, SV("\"")) && take_literal(r, key) &&
	    take_literal(r, SV("\": ")))
		return true;
	r->at = start;
	r->is_empty = was_empty;
	return false;
}

static bool take_open(struct reader *r, sv bracket)
{
	r->depth++;
	r->is_empty = true;
	return take_literal(r, bracket);
}

static bool take_close(struct reader *r, sv bracket)
{
	bool was_empty = r->is_empty;

	r->depth--;
	r->is_empty = false;
	return (was_empty || take_line(r)) && take_literal(r, bracket);
}

static sv keep_string(struct reader *r, sv s)
{
	char *kept = map_get(&r->strings, s);

	if (kept)
		return sv_from(kept, s.len);
	sv copy = arena_dup(r->arena, s);
	map_put(&r->strings, copy, (void *)(uintptr_t)copy.ptr); /* NOLINT */
	return copy;
}

/* Takes a string without escapes and of ASCII only. */
static bool take_plain_string(struct reader *r, sv *ret_text)
{
	size_t end;

	if (!take_literal(r, SV("\"")))
		return false;
	for (end = r->at; end < r->text.len && r->text.ptr[end] != '"'; end++) {
		unsigned char c = (unsigned char)r->text.ptr[end];

		if (c < 0x20 || c >= 0x80 || c == '\\')
			return false;
	}
	*ret_text = keep_string(r, sv_slice(r->text, r->at, end));
	r->at = end;
	return take_literal(r, SV("\""));
}

/* Sets *text if the next member has that key. Returns false for anything but a string. */
static bool take_text(struct reader *r, sv key, sv *text)
{
	return !take_member_key(r, key) || take_plain_string(r, text);
}

static bool take_size(struct reader *r, size_t *ret_size)
{
	size_t start = r->at;
	int64_t number;

	while (r->at < r->text.len && ascii_is_digit((uint8_t)r->text.ptr[r->at]))
		r->at++;
	sv digits = sv_slice(r->text, start, r->at);
	if (sv_empty(digits) || (digits.len > 1 && digits.ptr[0] == '0') ||
	    !sv_parse_int64(digits, &number))
		return false;
	*ret_size = (size_t)number;
	return true;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool take_id(struct reader *r, struct kube_id *id)
{
	return take_open(r, SV("{")) && take_text(r, SV("apiVersion"), &id->api_version) &&
	       take_text(r, SV("kind"), &id->kind) &&
	       take_text(r, SV("namespace"), &id->namespace) &&
	       take_text(r, SV("name"), &id->name) && take_close(r, SV("}"));
}

/* Takes the object of a file, or what it patches, with the members that follow it. */
static bool take_object(struct reader *r, struct tree_file *file, struct kube_id *id)
{
	sv role = {0};

	if (!take_id(r, id) || !take_text(r, SV("role"), &role) ||
	    !take_text(r, SV("source"), &file->source) || !take_member_key(r, SV("sealed")))
		return false;
	file->role = tree_role_of(role);
	file->sealed = take_literal(r, SV("true"));
	return file->sealed || take_literal(r, SV("false"));
}

/* Returns one record for the files of a unit. Its strings are kept ones, equal if their pointers
 * are. */
static const struct tree_unit *keep_unit(struct reader *r, const struct tree_unit *unit)
{
	sv key = sv_from_bytes(unit, sizeof(*unit));
	struct tree_unit *kept = map_get(&r->units, key);

	if (kept)
		return kept;
	kept = ARENA_NEW(r->arena, struct tree_unit);
	memcpy(kept, unit, sizeof(*kept));
	map_put(&r->units, sv_from_bytes(kept, sizeof(*kept)), kept);
	return kept;
}

static bool take_unit(struct reader *r, struct tree_file *file)
{
	struct tree_unit unit = {0};
	sv cluster = {0};

	if (!take_open(r, SV("{")) || !take_text(r, SV("cluster"), &cluster) ||
	    !take_text(r, SV("kind"), &unit.kind) ||
	    !take_text(r, SV("namespace"), &unit.namespace) ||
	    !take_text(r, SV("name"), &unit.name) || !take_close(r, SV("}")) ||
	    !take_text(r, SV("revision"), &unit.revision) ||
	    !take_text(r, SV("templateDigest"), &unit.template_digest) ||
	    !take_text(r, SV("configMap"), &unit.config_maps.now) ||
	    !take_text(r, SV("configMapBefore"), &unit.config_maps.before) ||
	    (take_member_key(r, SV("profile")) &&
	     (!take_open(r, SV("{")) || !take_text(r, SV("name"), &unit.profile) ||
	      !take_text(r, SV("version"), &unit.profile_version) || !take_close(r, SV("}")))))
		return false;
	file->unit = sv_empty(unit.kind) ? NULL : keep_unit(r, &unit);
	return true;
}

static bool take_user_data(struct reader *r, struct tree_file *file)
{
	return take_open(r, SV("{")) && take_member_key(r, SV("bytes")) &&
	       take_size(r, &file->user_data_bytes) &&
	       (!take_member_key(r, SV("budget")) || take_size(r, &file->user_data_limit)) &&
	       take_close(r, SV("}"));
}

static bool take_file(struct reader *r, struct tree_file *file)
{
	sv path = {0};
	struct kube_id patched = {0};

	*file = (struct tree_file){.role = ARTIFACT_SUPPORT};
	if (!take_open(r, SV("{")) || !take_text(r, SV("path"), &path) ||
	    (take_member_key(r, SV("object")) && !take_object(r, file, &file->object)) ||
	    (take_member_key(r, SV("patchOf")) && !take_object(r, file, &patched)) ||
	    (take_member_key(r, SV("unit")) && !take_unit(r, file)) ||
	    (take_member_key(r, SV("userData")) && !take_user_data(r, file)))
		return false;
	file->patch_of = tree_patch_of(r->arena, &patched);
	file->path = ARENA_CONCAT(r->arena, r->folder, SV("/"), path);
	return tree_path_is_inside(path) && take_close(r, SV("}"));
}

/* A file of the delivery has a role in the file, which readers do not take. */
static bool take_delivery(struct reader *r, struct tree_file *file)
{
	struct tree_file taken = {0};

	if (!take_open(r, SV("{")) || !take_text(r, SV("path"), &taken.path) ||
	    (take_member_key(r, SV("object")) && !take_object(r, &taken, &taken.object)))
		return false;
	*file = (struct tree_file){
	    .path = taken.path,
	    .is_delivery = true,
	    .object = taken.object,
	    .source = taken.source,
	};
	return tree_is_delivery_path(file->path, r->folder) && take_close(r, SV("}"));
}

/* Reads the unit that an entry names by its own members. */
static bool take_owner(struct reader *r, struct tree_unit *unit)
{
	return take_text(r, SV("kind"), &unit->kind) &&
	       take_text(r, SV("namespace"), &unit->namespace) &&
	       take_text(r, SV("name"), &unit->name);
}

static bool take_proof(struct reader *r, struct tree_proof *proof)
{
	struct tree_unit unit = {0};

	*proof = (struct tree_proof){0};
	if (!take_open(r, SV("{")) || !take_owner(r, &unit) ||
	    !take_text(r, SV("provider"), &proof->provider) ||
	    !take_text(r, SV("operatingSystem"), &proof->operating_system) ||
	    !take_text(r, SV("kubelet"), &proof->kubelet_version) ||
	    !take_text(r, SV("proof"), &proof->proof) || !take_close(r, SV("}")))
		return false;
	proof->unit = keep_unit(r, &unit);
	return true;
}

static bool take_roll(struct reader *r, struct tree_roll *roll)
{
	struct tree_unit unit = {0};

	*roll = (struct tree_roll){0};
	if (!take_open(r, SV("{")) || !take_owner(r, &unit) || !take_text(r, SV("by"), &roll->by) ||
	    !take_text(r, SV("contract"), &roll->contract) ||
	    !take_text(r, SV("seedId"), &roll->seed) ||
	    !take_text(r, SV("digest"), &roll->digest) ||
	    !take_text(r, SV("value"), &roll->value) || !take_close(r, SV("}")))
		return false;
	roll->unit = keep_unit(r, &unit);
	return true;
}

/* ---- lists --------------------------------------------------------------------------------- */

VEC_TYPE(texts, sv);

static bool take_files(struct reader *r, struct tree_files *files,
                       bool (*take_one)(struct reader *r, struct tree_file *file))
{
	struct tree_file file;

	if (!take_open(r, SV("[")))
		return false;
	while (take_item(r)) {
		if (!take_one(r, &file))
			return false;
		VEC_PUSH(r->scratch, files, file);
	}
	return take_close(r, SV("]"));
}

static bool take_proofs(struct reader *r, struct tree_proofs *proofs)
{
	struct tree_proof proof;

	if (!take_open(r, SV("[")))
		return false;
	while (take_item(r)) {
		if (!take_proof(r, &proof))
			return false;
		VEC_PUSH(r->scratch, proofs, proof);
	}
	return take_close(r, SV("]"));
}

static bool take_rolls(struct reader *r, struct tree_rolls *rolls)
{
	struct tree_roll roll;

	if (!take_open(r, SV("[")))
		return false;
	while (take_item(r)) {
		if (!take_roll(r, &roll))
			return false;
		VEC_PUSH(r->scratch, rolls, roll);
	}
	return take_close(r, SV("]"));
}

static bool take_texts(struct reader *r, struct texts *texts)
{
	sv text;

	if (!take_open(r, SV("[")))
		return false;
	while (take_item(r)) {
		if (!take_plain_string(r, &text))
			return false;
		VEC_PUSH(r->arena, texts, text);
	}
	return take_close(r, SV("]"));
}

bool tree_index_read_plain(struct arena *arena, sv folder, sv text, struct tree_index *ret_index)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct reader r = {
	    .arena = arena,
	    .scratch = scratch,
	    .strings = map_in(scratch),
	    .units = map_in(scratch),
	    .text = text,
	    .folder = folder,
	};
	struct tree_index index = {.folder = folder, .format = TREE_INDEX_FORMAT};
	struct texts recipients = {0};
	struct texts settings = {0};
	struct tree_files files = {0};
	struct tree_files delivery = {0};
	struct tree_proofs proofs = {0};
	struct tree_rolls rolls = {0};
	size_t format = 0;
	size_t cut = 0;

	if (!take_open(&r, SV("{")) || !take_member_key(&r, SV("formatVersion")) ||
	    !take_size(&r, &format) || format != TREE_INDEX_FORMAT ||
	    !take_member_key(&r, SV("generator")) || !take_literal(&r, SV("\"osm-gen\"")) ||
	    !take_text(&r, SV("cluster"), &index.cluster) ||
	    !take_text(&r, SV("seedId"), &index.seed_id) ||
	    !take_member_key(&r, SV("recipients")) || !take_texts(&r, &recipients) ||
	    !take_text(&r, SV("recipientsDigest"), &index.recipients_digest) ||
	    (take_member_key(&r, SV("encryptedSettings")) && !take_texts(&r, &settings)) ||
	    (take_member_key(&r, SV("cut")) && (!take_size(&r, &cut) || cut > TREE_CUT_MAX)) ||
	    (take_member_key(&r, SV("delivery")) && !take_files(&r, &delivery, take_delivery)) ||
	    !take_member_key(&r, SV("files")) || !take_files(&r, &files, take_file) ||
	    (take_member_key(&r, SV("proofs")) && !take_proofs(&r, &proofs)) ||
	    (take_member_key(&r, SV("rolls")) && !take_rolls(&r, &rolls)) ||
	    !take_close(&r, SV("}")) || !take_literal(&r, SV("\n")) || r.at != text.len)
		return false;
	VEC_EACH (file, &delivery)
		VEC_PUSH(scratch, &files, *file);
	index.files = ARENA_ARRAY(arena, struct tree_file, files.count);
	index.file_count = files.count;
	for (size_t i = 0; i < files.count; i++)
		index.files[i] = files.items[i];
	index.recipients = recipients.items;
	index.recipient_count = recipients.count;
	index.sealed_settings = settings.items;
	index.sealed_setting_count = settings.count;
	index.cut = (unsigned)cut;
	index.proofs = ARENA_ARRAY(arena, struct tree_proof, proofs.count);
	index.proof_count = proofs.count;
	for (size_t i = 0; i < proofs.count; i++)
		index.proofs[i] = proofs.items[i];
	index.rolls = ARENA_ARRAY(arena, struct tree_roll, rolls.count);
	index.roll_count = rolls.count;
	for (size_t i = 0; i < rolls.count; i++)
		index.rolls[i] = rolls.items[i];
	*ret_index = index;
	return true;
}
