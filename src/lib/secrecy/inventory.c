/*
 * Every secret of a run: those that are added, and the secrets inside them.
 */
#include "codec/codec.h"
#include "secrecy/internal.h"
#include "yaml/yaml.h"

enum {
	STRUCTURED_MAX = 1024 * 1024, /* a Secret is never longer */
};

struct secret_inventory {
	struct arena *arena; /* secret */
	struct secrecy_public public;
	struct leak_scanner *scanner;
	struct secret_lines *lines;
	bool is_published;         /* of lines what the program itself has in the clear */
	struct map inline_secrets; /* strings that are secrets in manifests which are not */
	struct map texts;
	VEC(const struct secret *) secrets;
};

struct secret_inventory *secret_inventory_new(struct arena *secret_arena,
                                              struct secrecy_public public)
{
	struct secret_inventory *inventory = ARENA_NEW(secret_arena, struct secret_inventory);

	*inventory = (struct secret_inventory){
	    .arena = secret_arena,
	    .public = public,
	    .scanner = leak_scanner_new(secret_arena, NULL),
	    .lines = secret_lines_new(secret_arena),
	    .inline_secrets = map_in(secret_arena),
	    .texts = map_in(secret_arena),
	};
	leak_scanner_pass_over(inventory->scanner, secret_lines_is_public, inventory->lines);
	return inventory;
}

void secret_inventory_add(struct secret_inventory *inventory, const struct secret *secret)
{
	sv text = sv_trim_space(secret->text);

	if (text.len < SECRET_MIN_SIZE || secrecy_is_public_word(&inventory->public, text) ||
	    !map_put(&inventory->texts, secret->text, inventory))
		return;
	VEC_PUSH(inventory->arena, &inventory->secrets, secret);
	leak_scanner_add(inventory->scanner, secret);
}

static const struct secret *add_text(struct secret_inventory *inventory, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(inventory->arena, struct secret);

	*secret = (struct secret){.name = name, .text = text};
	secret_inventory_add(inventory, secret);
	return secret;
}

void secret_inventory_add_lines(struct secret_inventory *inventory, sv name, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (!sv_empty(line) && line.ptr[0] != '#')
			add_text(inventory, name, line);
	}
}

/* ---- secrets inside a secret --------------------------------------------------------------- */

/* Adds each private key of a file of PEM blocks; certificates in it are public. */
static bool add_private_keys(struct secret_inventory *inventory, sv name, sv text)
{
	const sv begin = SV("-----BEGIN ");
	size_t from = sv_find(text, begin);

	if (from == SV_NPOS)
		return false;
	for (; from != SV_NPOS; from = sv_find(text, begin)) {
		sv block = sv_from_offset(text, from + begin.len);
		sv label = sv_slice(block, 0, sv_find_char(block, '\n'));
		size_t end = sv_find(block, SV("-----END "));

		block = sv_slice(block, label.len, end);
		if (sv_contains(label, SV("PRIVATE KEY")))
			add_text(inventory, name, sv_trim_space(block));
		text = sv_from_offset(text, from + begin.len);
	}
	return true;
}

/* Adds the credentials of a kubeconfig or a list of registries. */
static bool add_structured(struct secret_inventory *inventory, sv name, sv text)
{
	struct arena *arena = inventory->arena;
	struct sink ignored = sink_in(arena);
	struct yml_documents documents;

	if (text.len > STRUCTURED_MAX ||
	    (!sv_starts_with(text, SV("{")) && sv_find_char(text, '\n') == SV_NPOS) ||
	    sv_find_char(text, ':') == SV_NPOS)
		return false;
	const struct source *source = source_new(arena, name, text, true);
	if (yml_parse(arena, &ignored, source, &documents) != STATUS_OK)
		return false;
	bool structured = false;
	VEC_EACH (document, &documents) {
		if (!value_is_map(&document->root))
			continue;
		struct value tainted =
		    secrecy_taint_credentials(arena, &document->root, name, NULL, 0);

		secret_inventory_add_value(inventory, &tainted);
		structured = true;
	}
	return structured;
}

/*
 * Adds the decoded form of base64, which may occur elsewhere: the password of USER:PASSWORD, as
 * registries and HTTP have it, or the keys of a kubeconfig or of a cloud's service account.
 */
static void add_encoded(struct secret_inventory *inventory, const struct secret *secret)
{
	sv decoded;
	sv user;
	sv password;
	size_t error_at;

	if (!base64_decode(inventory->arena, BASE64_STD, sv_trim_space(secret->text), &decoded,
	                   &error_at) ||
	    !utf8_valid(decoded) || add_structured(inventory, secret->name, sv_trim_space(decoded)))
		return;
	if (sv_cut(decoded, SV(":"), &user, &password))
		add_text(inventory, secret->name, password);
}

/* USER:PASSWORD of a URL. */
static void add_userinfo(struct secret_inventory *inventory, const struct secret *secret)
{
	sv user;
	sv password;

	if (sv_cut(secret->text, SV(":"), &user, &password) && sv_find_char(user, '\n') == SV_NPOS)
		add_text(inventory, secret->name, password);
}

static void add_whole(struct secret_inventory *inventory, const struct secret *secret)
{
	secret_inventory_add(inventory, secret);
	add_encoded(inventory, secret);
}

static bool add_found(void *context, const struct secrecy_place *place, const struct secret *secret)
{
	struct secret_inventory *inventory = context;

	add_whole(inventory, secret);
	map_put(&inventory->inline_secrets, secret->text, inventory);
	if (value_is_string(place->value) && secret->text.len < place->value->string.len)
		add_userinfo(inventory, secret);
	return true;
}

void secret_inventory_add_value(struct secret_inventory *inventory, const struct value *v)
{
	secrecy_each(v, add_found, inventory);
}

/* ---- Secrets and variables --------------------------------------------------------------- */

void secret_inventory_add_data(struct secret_inventory *inventory, sv name, sv key, sv text)
{
	sv trimmed = sv_trim_space(text);

	if (secrecy_is_public_key(key) || secrecy_is_public_url(trimmed) ||
	    sv_eq(trimmed, SV("true")) || sv_eq(trimmed, SV("false")) ||
	    add_private_keys(inventory, name, text) || add_structured(inventory, name, trimmed))
		return;
	add_encoded(inventory, add_text(inventory, name, text));
}

void secret_inventory_place(struct secret_inventory *inventory, sv key, const struct value *string)
{
	secret_lines_add(inventory->lines, key, string);
}

void secret_inventory_publish(struct secret_inventory *inventory, const struct value *clear)
{
	if (!inventory->is_published)
		secret_lines_publish_own(inventory->lines, &inventory->public);
	inventory->is_published = true;
	secret_lines_publish(inventory->lines, clear, &inventory->inline_secrets);
}

void secret_inventory_add_variables(struct secret_inventory *inventory,
                                    const struct value *variables)
{
	for (size_t i = 0; i < value_count(variables); i++) {
		const struct value_entry *entry = &variables->map->entries[i];

		if (secrecy_names_credential(entry->key))
			secret_inventory_add_value(inventory, &entry->value);
	}
}

/* ---- what becomes of them ---------------------------------------------------------------- */

const struct secret *const *secret_inventory_items(const struct secret_inventory *inventory,
                                                   size_t *ret_count)
{
	*ret_count = inventory->secrets.count;
	return inventory->secrets.items;
}

const struct leak_scanner *secret_inventory_scanner(const struct secret_inventory *inventory)
{
	return inventory->scanner;
}

struct extension {
	const struct secret_inventory *inventory;
	struct leak_scanner *scanner;
	struct map texts;
};

static bool add_unknown(void *context, const struct secrecy_place *place UNUSED,
                        const struct secret *secret)
{
	struct extension *extension = context;
	const struct secret_inventory *inventory = extension->inventory;

	if (!map_get(&inventory->texts, secret->text) &&
	    !secrecy_is_public_word(&inventory->public, secret->text) &&
	    map_put(&extension->texts, secret->text, extension))
		leak_scanner_add(extension->scanner, secret);
	return true;
}

struct leak_scanner *secret_inventory_extend(struct arena *secret_arena,
                                             const struct secret_inventory *inventory,
                                             const struct value *const *values, size_t count)
{
	struct extension extension = {
	    .inventory = inventory,
	    .scanner = leak_scanner_new(secret_arena, inventory->scanner),
	    .texts = map_in(secret_arena),
	};

	for (size_t i = 0; i < count; i++)
		secrecy_each(values[i], add_unknown, &extension);
	return extension.scanner;
}
