/*
 * Writes and reads the file of a shard. One function for each struct does both, so that the two
 * directions cannot differ.
 */
#include "run/shard/format.h"

#define FIRST_LINE SV("osm-gen shard 1\n")
enum { SEED_NAME_SIZE = 16, ID_SIZE = 20, DIGEST_SIZE = 32 };

struct coder {
	struct buf *out;     /* null while reading */
	struct arena *arena; /* for lists that are read */
	sv rest;             /* not read yet */
	bool is_damaged;     /* nothing more is read */
};

/* ---- numbers and strings ----------------------------------------------------------------- */

static void write_number(struct buf *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buf_add_char(out, (char)(number | 0x80));
	buf_add_char(out, (char)number);
}

static uint64_t read_number(struct coder *c)
{
	uint64_t number = 0;

	for (unsigned shift = 0; !c->is_damaged; shift += 7) {
		uint8_t byte = c->rest.len > 0 ? (uint8_t)c->rest.ptr[0] : 0;

		/* Numbers have 63 bits at most, and no digit 0 at the end. */
		if (c->rest.len == 0 || shift > 56 || (shift > 0 && byte == 0))
			break;
		c->rest = sv_from_offset(c->rest, 1);
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	c->is_damaged = true;
	return 0;
}

static uint64_t code_limited(struct coder *c, uint64_t number, uint64_t max)
{
	if (c->out) {
		BUG_ON(number > max);
		write_number(c->out, number);
		return number;
	}
	number = read_number(c);
	if (number <= max)
		return number;
	c->is_damaged = true;
	return 0;
}

static void code_size(struct coder *c, size_t *size)
{
	*size = (size_t)code_limited(c, *size, INT64_MAX);
}

static void code_bool(struct coder *c, bool *flag)
{
	*flag = code_limited(c, *flag, 1) != 0;
}

/* Codes an enumerator; the last one has the highest number. */
#define CODE_ENUM(c, member, last)                                                                 \
	((member) = (__typeof__(member))code_limited((c), (uint64_t)(member), (last)))

static void code_bytes(struct coder *c, sv *bytes, size_t size)
{
	if (c->out) {
		BUG_ON(bytes->len != size);
		buf_add(c->out, *bytes);
		return;
	}
	c->is_damaged |= size > c->rest.len;
	*bytes = sv_slice(c->rest, 0, c->is_damaged ? 0 : size);
	c->rest = sv_from_offset(c->rest, bytes->len);
}

static void code_text(struct coder *c, sv *text)
{
	size_t len = text->len;

	code_size(c, &len);
	code_bytes(c, text, len);
}

/*
 * Codes a list whose items take at least `least` bytes each, so that a small file cannot ask for
 * much memory. Returns the items.
 */
static void *code_list(struct coder *c, void *items, size_t *count, size_t size, size_t least)
{
	code_size(c, count);
	if (c->out)
		return items;
	if (*count > c->rest.len / least)
		c->is_damaged = true;
	if (c->is_damaged)
		*count = 0;
	return arena_alloc_array(c->arena, *count, size);
}
#define CODE_LIST(c, items, count, least)                                                          \
	((items) = code_list((c), (void *)(items), &(count), sizeof(*(items)), (least)))

/* ---- units ------------------------------------------------------------------------------- */

static void code_place(struct coder *c, struct run_shard_place *place)
{
	CODE_ENUM(c, place->where, RUN_SHARD_CLUSTER);
	code_bool(c, &place->is_whole);
	code_size(c, &place->offset);
	code_size(c, &place->length);
}

static void code_warning(struct coder *c, struct run_shard_warning *warning)
{
	enum { NOTE_LEAST = 5 };

	code_size(c, &warning->code);
	code_place(c, &warning->at);
	code_text(c, &warning->object);
	code_text(c, &warning->cluster);
	code_text(c, &warning->text);
	code_text(c, &warning->help);
	CODE_LIST(c, warning->notes, warning->note_count, NOTE_LEAST);
	for (size_t i = 0; i < warning->note_count; i++) {
		code_place(c, &warning->notes[i].at);
		code_text(c, &warning->notes[i].text);
	}
}

static void code_id(struct coder *c, struct kube_id *id)
{
	code_text(c, &id->api_version);
	code_text(c, &id->kind);
	code_text(c, &id->namespace);
	code_text(c, &id->name);
}

static void code_blob(struct coder *c, struct git_blob *blob)
{
	sv id = sv_from_bytes(blob->id.bytes, ID_SIZE);

	code_bytes(c, &id, ID_SIZE);
	if (!c->out && !c->is_damaged)
		memcpy(blob->id.bytes, id.ptr, ID_SIZE);
	code_size(c, &blob->size_bytes);
	code_bool(c, &blob->is_changed);
	if (!blob->is_changed)
		return;
	code_size(c, &blob->offset);
	code_size(c, &blob->entry_bytes);
	blob->crc = (uint32_t)code_limited(c, blob->crc, UINT32_MAX);
}

static void code_file(struct coder *c, struct run_shard_file *shard_file)
{
	struct tree_file *file = &shard_file->file;
	struct kube_id patched = tree_patched(file);

	code_text(c, &file->path);
	CODE_ENUM(c, file->side, ARTIFACT_STATUS);
	code_text(c, &file->folder);
	code_id(c, &file->object);
	code_id(c, &patched);
	if (!c->out)
		file->patch_of = tree_patch_of(c->arena, &patched);
	CODE_ENUM(c, file->role, ARTIFACT_CONFIG_MAP);
	code_text(c, &file->source);
	code_bool(c, &file->sealed);
	code_size(c, &file->user_data_bytes);
	code_size(c, &file->user_data_limit);
	code_blob(c, &shard_file->blob);
	shard_file->blob.is_sealed = file->sealed;
}

static void code_names(struct coder *c, struct report_names *names)
{
	CODE_LIST(c, names->items, names->count, 1);
	for (size_t i = 0; i < names->count; i++)
		code_text(c, &names->items[i]);
}

static void code_row(struct coder *c, struct report_unit *row)
{
	code_text(c, &row->cluster);
	code_text(c, &row->kind);
	code_text(c, &row->namespace);
	code_text(c, &row->name);
	code_text(c, &row->provider);
	code_text(c, &row->operating_system);
	code_text(c, &row->kubelet_version);
	code_text(c, &row->profile);
	code_text(c, &row->profile_version);
	code_size(c, &row->bootstrap_bytes);
	code_size(c, &row->bootstrap_limit);
	code_size(c, &row->provisioning_bytes);
	code_size(c, &row->provisioning_limit);
	code_names(c, &row->restarts);
	code_names(c, &row->stops);
	code_text(c, &row->reason);
}

/* A number that may be missing, which is negative. */
static void code_replicas(struct coder *c, int64_t *replicas)
{
	size_t number = (size_t)(*replicas + 1);

	code_size(c, &number);
	*replicas = number > INT64_MAX ? -1 : (int64_t)number - 1;
}

static void code_scale(struct coder *c, struct report_scale *scale)
{
	code_bool(c, &scale->changes);
	if (!scale->changes)
		return;
	code_replicas(c, &scale->before);
	code_replicas(c, &scale->after);
	code_replicas(c, &scale->fewer);
	code_replicas(c, &scale->more);
}

static void code_facts(struct coder *c, struct plan_class_facts *facts)
{
	code_bool(c, &facts->was_there);
	code_bool(c, &facts->is_there);
	CODE_ENUM(c, facts->template, PLAN_TEMPLATE_CHANGED);
	code_bool(c, &facts->user_data_changed);
	code_bool(c, &facts->user_data_unknown);
	code_bool(c, &facts->new_user_data_changed);
	code_bool(c, &facts->config_changed);
	code_bool(c, &facts->is_applied);
	code_bool(c, &facts->secrets_unknown);
	code_bool(c, &facts->file_changed);
	code_bool(c, &facts->is_rolled);
	code_bool(c, &facts->is_first_roll);
	code_bool(c, &facts->replicas_left);
	CODE_ENUM(c, facts->replacement, DIALECT_REPLACES_UNKNOWN);
	code_bool(c, &facts->replicas_unset);
	code_bool(c, &facts->lacks_replicas);
	code_scale(c, &facts->scale);
}

static void code_tree_unit(struct coder *c, struct tree_unit *unit)
{
	code_text(c, &unit->kind);
	code_text(c, &unit->namespace);
	code_text(c, &unit->name);
	code_text(c, &unit->revision);
	code_text(c, &unit->template_digest);
	code_text(c, &unit->profile);
	code_text(c, &unit->profile_version);
	code_text(c, &unit->config_maps.now);
	code_text(c, &unit->config_maps.before);
}

static void code_roll(struct coder *c, struct tree_roll *roll)
{
	code_text(c, &roll->by);
	code_text(c, &roll->contract);
	code_text(c, &roll->seed);
	code_text(c, &roll->digest);
	code_text(c, &roll->value);
}

/* The fewest bytes that the items of lists take. */
enum {
	UNIT_LEAST = 47,
	FILE_LEAST = 38,
	WARNING_LEAST = 10,
	CHANGE_LEAST = DIGEST_SIZE + 6,
	OPTION_LEAST = 2
};

static void code_unit(struct coder *c, struct run_shard_unit *unit)
{
	code_size(c, &unit->place);
	code_text(c, &unit->key);
	code_text(c, &unit->proof);
	code_bool(c, &unit->has_other_places);
	code_size(c, &unit->steps);
	code_row(c, &unit->row);
	code_facts(c, &unit->facts);
	code_tree_unit(c, &unit->unit);
	code_roll(c, &unit->roll);
	CODE_LIST(c, unit->files, unit->file_count, FILE_LEAST);
	for (size_t i = 0; i < unit->file_count; i++)
		code_file(c, &unit->files[i]);
	CODE_LIST(c, unit->sealed, unit->sealed_count, 2);
	for (size_t i = 0; i < unit->sealed_count; i++) {
		struct run_sealed_change *change = &unit->sealed[i];

		code_text(c, &change->path);
		change->change = (unsigned)code_limited(c, change->change, UINT8_MAX);
	}
	CODE_LIST(c, unit->warnings, unit->warning_count, WARNING_LEAST);
	for (size_t i = 0; i < unit->warning_count; i++)
		code_warning(c, &unit->warnings[i]);
}

/* ---- changes ----------------------------------------------------------------------------- */

/* The lists of a review_change are const: they are read into new ones. */
static void code_change(struct coder *c, struct review_change *change)
{
	size_t *places = (size_t *)(uintptr_t)change->places;
	struct report_field *fields = (struct report_field *)(uintptr_t)change->fields;
	struct report_note *findings = (struct report_note *)(uintptr_t)change->findings;

	code_bytes(c, &change->key, DIGEST_SIZE);
	code_text(c, &change->form);
	code_text(c, &change->rest.normal);
	code_text(c, &change->rest.plain);
	code_size(c, &change->first);
	CODE_LIST(c, places, change->place_count, 1);
	for (size_t i = 0; i < change->place_count; i++)
		code_size(c, &places[i]);
	CODE_LIST(c, fields, change->field_count, 4);
	for (size_t i = 0; i < change->field_count; i++) {
		code_text(c, &fields[i].name);
		code_text(c, &fields[i].before);
		code_text(c, &fields[i].after);
		code_bool(c, &fields[i].is_detail);
	}
	code_bool(c, &change->is_line);
	CODE_LIST(c, findings, change->finding_count, 2);
	for (size_t i = 0; i < change->finding_count; i++) {
		CODE_ENUM(c, findings[i].kind, REPORT_NOTE_KINDS - 1);
		code_text(c, &findings[i].text);
	}
	code_bool(c, &change->is_new);
	change->places = places;
	change->fields = fields;
	change->findings = findings;
}

/* ---- the whole --------------------------------------------------------------------------- */

static void code_head(struct coder *c, struct run_shard_head *head)
{
	code_text(c, &head->version);
	code_text(c, &head->build);
	code_text(c, &head->source);
	code_text(c, &head->tip);
	code_text(c, &head->inputs);
	code_text(c, &head->out);
	code_size(c, &head->index);
	code_size(c, &head->count);
	code_size(c, &head->unit_count);
	CODE_LIST(c, head->options, head->option_count, OPTION_LEAST);
	for (size_t i = 0; i < head->option_count; i++) {
		code_text(c, &head->options[i].name);
		code_text(c, &head->options[i].digest);
	}
}

static void code_shard(struct coder *c, struct run_shard *shard)
{
	code_head(c, &shard->head);
	code_size(c, &shard->pack.size_bytes);
	if (shard->pack.size_bytes > 0)
		code_bytes(c, &shard->pack.digest, DIGEST_SIZE);
	CODE_LIST(c, shard->units, shard->unit_count, UNIT_LEAST);
	for (size_t i = 0; i < shard->unit_count; i++)
		code_unit(c, &shard->units[i]);
	CODE_LIST(c, shard->changes, shard->change_count, CHANGE_LEAST);
	for (size_t i = 0; i < shard->change_count; i++)
		code_change(c, &shard->changes[i]);
}

sv run_shard_encode(struct arena *arena, struct run_shard *shard)
{
	struct buf out = buf_in(arena);
	struct coder c = {.out = &out};

	code_shard(&c, shard);
	return buf_sv(&out);
}

bool run_shard_decode_head(sv content, struct run_shard_head *ret_head)
{
	struct coder c = {.rest = content};
	struct run_shard_head head = {0};

	code_text(&c, &head.version);
	code_text(&c, &head.build);
	*ret_head = head;
	return !c.is_damaged;
}

bool run_shard_decode(struct arena *arena, sv content, struct run_shard *ret_shard)
{
	struct coder c = {.arena = arena, .rest = content};
	struct run_shard shard = {0};

	code_shard(&c, &shard);
	if (c.is_damaged || c.rest.len > 0)
		return false;
	*ret_shard = shard;
	return true;
}

sv run_shard_sign(struct arena *arena, const struct seal_root *root, sv content)
{
	uint8_t mac[SEAL_MAC_SIZE];

	seal_shard_mac(root, content, mac);
	return ARENA_CONCAT(arena, FIRST_LINE, seal_seed_id(arena, root),
	                    sv_from_bytes(mac, sizeof(mac)), content);
}

enum run_shard_proof run_shard_check(struct arena *arena, const struct seal_root *root, sv text,
                                     sv *ret_content)
{
	const size_t seed_at = FIRST_LINE.len;
	const size_t mac_at = seed_at + SEED_NAME_SIZE;
	const size_t content_at = mac_at + SEAL_MAC_SIZE;
	sv content = sv_from_offset(text, content_at);

	if (!sv_starts_with(text, FIRST_LINE))
		return RUN_SHARD_STRANGE;
	/* The name is only a hint for the message: nothing has proven it yet. */
	if (text.len < content_at)
		return RUN_SHARD_FORGED;
	if (!sv_eq(sv_slice(text, seed_at, mac_at), seal_seed_id(arena, root)))
		return RUN_SHARD_OTHER_SEED;
	if (!seal_shard_mac_holds(root, content, sv_slice(text, mac_at, content_at)))
		return RUN_SHARD_FORGED;
	*ret_content = content;
	return RUN_SHARD_FINE;
}
