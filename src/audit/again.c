/*
 * Seals the content of a file again, as a run would. The rule of .sops.yaml, the certificate and
 * the scope come from the inputs, never from the file itself.
 */
#include "audit/internal.h"
#include "yaml/yaml.h"

struct again {
	struct arena *arena; /* secret */
	const struct audit_file *file;
	struct sealer *sealer;
	struct seal_recipients recipients;
};

/* ---- recipients --------------------------------------------------------------------------- */

static bool has_sealing_of(const struct audit_file *file)
{
	return file->sealing && file->sealing->format == sealer_format_of(file->document);
}

/* For SOPS, lists the recipients in the file; another check compares them with the index. */
static void list_texts(const struct again *a, struct seal_texts *texts)
{
	if (!audit_is_wrapped(a->file->document))
		seal_list_recipients(a->arena, a->file->document, texts);
	else
		for (size_t i = 0; i < a->file->sealing->recipient_count; i++)
			VEC_PUSH(a->arena, texts, a->file->sealing->recipients[i].text);
}

static bool read_file_recipients(struct again *a)
{
	struct sink unused = sink_in(a->arena);
	const struct audit_file *file = a->file;
	struct seal_texts texts = {0};

	list_texts(a, &texts);
	struct seal_recipient_text *items =
	    ARENA_ARRAY(a->arena, struct seal_recipient_text, texts.count);
	for (size_t i = 0; i < texts.count; i++)
		items[i] = (struct seal_recipient_text){texts.items[i], NOWHERE};
	if (seal_recipients_parse(a->arena, &unused, sealer_format_of(file->document),
	                          file->index->cluster, items, texts.count,
	                          &a->recipients) != STATUS_OK)
		return false;
	if (has_sealing_of(file)) {
		a->recipients.scope = file->sealing->scope;
		a->recipients.rule = file->sealing->rule;
	}
	return true;
}

/* For a SealedSecret, reads the inputs' recipient if the index has its certificate and scope. */
static bool has_certificate(struct again *a)
{
	const struct tree_index *index = a->file->index;

	return has_sealing_of(a->file) && read_file_recipients(a) && a->recipients.count == 1 &&
	       index->recipient_count == 1 &&
	       sv_eq(index->recipients[0], seal_recipient_listed(a->arena, &a->recipients, 0));
}

/* ---- rules -------------------------------------------------------------------------------- */

struct key_walk {
	struct arena *arena;
	VEC(sv) keys;
};

static enum secrecy_step add_sealed_key(void *context, struct secrecy_place *place)
{
	struct key_walk *walk = context;

	if (place->depth == 1 && place->entry && sv_eq(place->entry->key, SV("sops")))
		return SECRECY_OVER;
	if (value_is_string(place->value) && seal_is_sealed_text(place->value->string) &&
	    place->entry)
		VEC_PUSH(walk->arena, &walk->keys, place->entry->key);
	return SECRECY_INTO;
}

/*
 * Returns the keys whose values were sealed. If .sops.yaml chooses the values, the file does not
 * have the keys that the program named; the keys of all sealed values have the same effect. The
 * writer compares them with the rule.
 */
static struct seal_rule rule_of(const struct again *a, const struct value *opened)
{
	const struct seal_creation_rule *creation = a->recipients.rule;
	const struct value *document = a->file->document;
	struct key_walk walk = {.arena = a->arena};

	if (sv_eq(value_text(value_map_get(opened, SV("kind"))), SV("Secret")))
		return seal_rule_secret;
	if (!creation || creation->selection == SEAL_SELECTION_NONE)
		return seal_written_rule(a->arena, document);
	secrecy_visit(document, add_sealed_key, &walk);
	return (struct seal_rule){walk.keys.items, walk.keys.count};
}

/* ---- objects ------------------------------------------------------------------------------ */

/* Makes an object with the identity of the one that a patch changes: that is enough to seal. */
static struct value object_of_patch(struct arena *arena, const struct kube_id *id)
{
	struct value object = value_map_new(arena);
	struct value metadata = value_map_new(arena);

	value_map_set(arena, &metadata, SV("name"), value_string(id->name));
	value_map_set(arena, &metadata, SV("namespace"), value_string(id->namespace));
	value_map_set(arena, &object, SV("apiVersion"), value_string(id->api_version));
	value_map_set(arena, &object, SV("kind"), value_string(id->kind));
	value_map_set(arena, &object, SV("metadata"), metadata);
	return object;
}

/* Restores the Secret that was sealed: it also had the annotations of the SealedSecret. */
static struct value object_of_wrapped(struct arena *arena, const struct value *document,
                                      const struct value *opened)
{
	const struct value *shown = value_path(document, "metadata.annotations");
	const struct value *kept = value_path(opened, "metadata.annotations");
	struct value annotations = value_map_new(arena);
	struct value object = value_copy(arena, opened);
	struct value metadata = value_copy(arena, value_map_get(opened, SV("metadata")));

	for (size_t i = 0; value_is_map(shown) && i < value_count(shown); i++)
		if (!value_map_get(kept, shown->map->entries[i].key))
			value_map_set(arena, &annotations, shown->map->entries[i].key,
			              shown->map->entries[i].value);
	for (size_t i = 0; value_is_map(kept) && i < value_count(kept); i++)
		value_map_set(arena, &annotations, kept->map->entries[i].key,
		              kept->map->entries[i].value);
	value_map_set(arena, &metadata, SV("annotations"), annotations);
	value_map_set(arena, &object, SV("metadata"), metadata);
	return object;
}

static bool seal(const struct again *a, const struct value *opened, struct buf *out)
{
	struct sink unused = sink_in(a->arena);
	const struct audit_file *file = a->file;
	bool is_patch = file->entry->patch_of;
	struct value object = *opened;
	struct seal_request request = {
	    .cluster = file->index->cluster,
	    .object = &object,
	    .recipients = &a->recipients,
	    .rule = rule_of(a, opened),
	    .first_line = sv_starts_with(file->text, SV("#"))
	                      ? sv_slice(file->text, 0, sv_find_char(file->text, '\n'))
	                      : SV(""),
	};
	sv text = value_text(value_map_get(opened, SV("data")));

	if (audit_is_wrapped(file->document))
		object = object_of_wrapped(a->arena, file->document, opened);
	if (!is_patch)
		return sealer_seal(&unused, a->sealer, &request, out) == STATUS_OK;
	object = object_of_patch(a->arena, file->entry->patch_of);
	return text.len > 0 &&
	       sealer_seal_bytes(&unused, a->sealer, &request, text, out) == STATUS_OK;
}

enum audit_again audit_seal_again(struct arena *secret_arena, const struct audit_file *file,
                                  struct sealer *sealer, const struct value *opened)
{
	struct again a = {.arena = secret_arena, .file = file, .sealer = sealer};
	struct buf out = buf_in(secret_arena);

	if (audit_is_wrapped(file->document) ? !has_certificate(&a) : !read_file_recipients(&a))
		return audit_is_wrapped(file->document) ? AUDIT_AGAIN_UNKNOWN : AUDIT_AGAIN_OTHER;
	return seal(&a, opened, &out) && sv_eq(buf_sv(&out), file->text) ? AUDIT_AGAIN_SAME
	                                                                 : AUDIT_AGAIN_OTHER;
}

/* ---- keys --------------------------------------------------------------------------------- */

bool audit_has_key_of(struct arena *secret_arena, const struct audit_file *file,
                      struct sealer *sealer, const struct seal_identities *identities)
{
	static const struct kube_id id = {SV_INIT("v1"), SV_INIT("Secret"), SV_INIT("probe"),
	                                  SV_INIT("probe")};
	struct again a = {.arena = secret_arena, .file = file, .sealer = sealer};
	struct sink unused = sink_in(secret_arena);
	struct value object = object_of_patch(secret_arena, &id);
	struct value texts = value_map_new(secret_arena);
	struct buf out = buf_in(secret_arena);
	struct value opened;

	if (!sealer || !has_certificate(&a))
		return false;
	value_map_set(secret_arena, &texts, SV("probe"), value_string(SV("probe")));
	value_map_set(secret_arena, &object, SV("stringData"), texts);
	const struct seal_request request = {
	    .cluster = file->index->cluster,
	    .object = &object,
	    .recipients = &a.recipients,
	    .rule = seal_rule_secret,
	};
	if (sealer_seal(&unused, sealer, &request, &out) != STATUS_OK)
		return false;
	const struct value *root = yml_parse_one(secret_arena, SV(""), buf_sv(&out), true);
	return root && seal_open(secret_arena, &unused, root, 1, identities, &opened) == STATUS_OK;
}
