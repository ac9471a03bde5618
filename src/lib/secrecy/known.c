/*
 * Every secret of a run: those that are added, and the secrets inside them.
 */
#include "codec/codec.h"
#include "secrecy/internal.h"
#include "yaml/yaml.h"

enum {
	STRUCTURED_MAX = 1024 * 1024, /* a Secret is never longer */
};

struct known_secrets {
	struct arena *arena;   /* secret */
	struct arena *scratch; /* secret, empty between two secrets */
	struct arena *tables;  /* of the scanner */
	struct secrecy_public public;
	struct leak_scanner *scanner; /* null after known_secrets_end_scan */
	struct secret_lines *lines;
	bool is_published;         /* of lines what the program itself has in the clear */
	struct set inline_secrets; /* strings that are secrets in manifests which are not */
	struct set texts;
	struct map identities; /* bool *, by string: true if the inputs have it, too */
	VEC(const struct secret *) secrets;
};

struct known_secrets *known_secrets_new(struct arena *secret_arena, struct secrecy_public public)
{
	struct known_secrets *known = ARENA_NEW(secret_arena, struct known_secrets);

	*known = (struct known_secrets){
	    .arena = secret_arena,
	    .scratch = arena_new_within(secret_arena),
	    .public = public,
	    .tables = arena_new_within(secret_arena),
	    .lines = secret_lines_new(secret_arena),
	    .inline_secrets = set_in(secret_arena),
	    .texts = set_in(secret_arena),
	    .identities = map_in(secret_arena),
	};
	known->scanner = leak_scanner_new(known->tables, NULL);
	leak_scanner_pass_over(known->scanner, secret_lines_is_public, known->lines);
	return known;
}

void known_secrets_add(struct known_secrets *known, const struct secret *secret)
{
	sv text = sv_trim_space(secret->text);
	bool *is_input = map_get(&known->identities, secret->text);

	if (is_input)
		*is_input = true;
	if (text.len < SECRET_MIN_SIZE || secrecy_is_public_word(&known->public, text) ||
	    secrecy_is_certificates(known->scratch, text) || !set_add(&known->texts, secret->text))
		return;
	VEC_PUSH(known->arena, &known->secrets, secret);
	leak_scanner_add(known->scratch, known->scanner, secret);
	arena_reset(known->scratch);
}

void known_secrets_expect(struct known_secrets *known, size_t tokens)
{
	set_expect(&known->texts, set_count(&known->texts) + tokens);
	leak_scanner_expect(known->scanner, tokens);
}

static const struct secret *add_known_text(struct known_secrets *known, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(known->arena, struct secret);

	*secret = (struct secret){.name = name, .text = text};
	known_secrets_add(known, secret);
	return secret;
}

void known_secrets_add_identities(struct known_secrets *known, sv name, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (sv_empty(line) || line.ptr[0] == '#' || map_get(&known->identities, line))
			continue;
		add_known_text(known, name, line);
		map_put(&known->identities, line, ARENA_NEW(known->arena, bool));
	}
}

/* ---- secrets inside a secret --------------------------------------------------------------- */

/* Adds each private key of a file of PEM blocks; certificates in it are public. */
static bool add_private_keys(struct known_secrets *known, sv name, sv text)
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
			add_known_text(known, name, sv_trim_space(block));
		text = sv_from_offset(text, from + begin.len);
	}
	return true;
}

/* Adds the credentials of a kubeconfig or a list of registries. */
static bool add_structured(struct known_secrets *known, sv name, sv text)
{
	struct arena *arena = known->arena;
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

		known_secrets_add_value(known, &tainted);
		structured = true;
	}
	return structured;
}

/*
 * Adds the decoded form of base64, which may occur elsewhere: the password of USER:PASSWORD, as
 * registries and HTTP have it, or the keys of a kubeconfig or of a cloud's service account.
 */
static void add_encoded(struct known_secrets *known, const struct secret *secret)
{
	sv decoded;
	sv user;
	sv password;
	size_t error_at;

	if (!base64_decode(known->arena, BASE64_STD, sv_trim_space(secret->text), &decoded,
	                   &error_at) ||
	    !utf8_valid(decoded) || add_structured(known, secret->name, sv_trim_space(decoded)))
		return;
	if (sv_cut(decoded, SV(":"), &user, &password))
		add_known_text(known, secret->name, password);
}

/* USER:PASSWORD of a URL. */
static void add_userinfo(struct known_secrets *known, const struct secret *secret)
{
	sv user;
	sv password;

	if (sv_cut(secret->text, SV(":"), &user, &password) && sv_find_char(user, '\n') == SV_NPOS)
		add_known_text(known, secret->name, password);
}

static bool add_found(void *context, const struct secrecy_place *place, const struct secret *secret)
{
	struct known_secrets *known = context;

	known_secrets_add(known, secret);
	add_encoded(known, secret);
	set_add(&known->inline_secrets, secret->text);
	if (value_is_string(place->value) && secret->text.len < place->value->string.len)
		add_userinfo(known, secret);
	return true;
}

void known_secrets_add_value(struct known_secrets *known, const struct value *v)
{
	secrecy_each(v, add_found, known);
}

/* ---- Secrets and variables --------------------------------------------------------------- */

void known_secrets_add_data(struct known_secrets *known, sv name, sv key, sv text)
{
	sv trimmed = sv_trim_space(text);

	if (secrecy_is_public_key(key) || secrecy_is_public_url(trimmed) ||
	    sv_eq(trimmed, SV("true")) || sv_eq(trimmed, SV("false")) ||
	    add_private_keys(known, name, text) || add_structured(known, name, trimmed))
		return;
	add_encoded(known, add_known_text(known, name, text));
}

void known_secrets_place(struct known_secrets *known, sv key, const struct value *string)
{
	secret_lines_add(known->lines, key, string);
}

void known_secrets_publish(struct known_secrets *known, const struct value *clear)
{
	if (!known->is_published)
		secret_lines_publish_own(known->lines, &known->public);
	known->is_published = true;
	secret_lines_publish(known->lines, clear, &known->inline_secrets);
}

void known_secrets_add_variables(struct known_secrets *known, const struct value *variables)
{
	for (size_t i = 0; i < value_count(variables); i++) {
		const struct value_entry *entry = &variables->map->entries[i];

		if (secrecy_names_credential(entry->key))
			known_secrets_add_value(known, &entry->value);
	}
}

void known_secrets_add_bytes(const struct known_secrets *known, struct buf *secret_buf)
{
	size_t count = known->secrets.count;
	const struct secret **sorted = ARENA_ARRAY(known->arena, const struct secret *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = known->secrets.items[i];
	SORT_POINTERS_BY(sorted, count, text);
	for (size_t i = 0; i < count; i++) {
		const bool *is_input = map_get(&known->identities, sorted[i]->text);

		if (is_input && !*is_input)
			continue;
		buf_printf(secret_buf, "%d %zu:", sorted[i]->high_entropy, sorted[i]->text.len);
		buf_add(secret_buf, sorted[i]->text);
	}
	secret_lines_add_bytes(known->lines, secret_buf);
}

/* ---- use of the secrets ------------------------------------------------------------------ */

const struct secret *const *known_secrets_items(const struct known_secrets *known,
                                                size_t *ret_count)
{
	*ret_count = known->secrets.count;
	return known->secrets.items;
}

const struct leak_scanner *known_secrets_scanner(const struct known_secrets *known)
{
	BUG_ON(!known->scanner);
	return known->scanner;
}

void known_secrets_end_scan(struct known_secrets *known)
{
	arena_empty(known->tables);
	known->scanner = NULL;
}

struct extension {
	struct arena *arena;
	const struct known_secrets *known;
	struct leak_scanner *scanner;
	struct set texts;
};

static bool add_unknown(void *context, const struct secrecy_place *place UNUSED,
                        const struct secret *secret)
{
	struct extension *extension = context;
	const struct known_secrets *known = extension->known;

	if (!set_has(&known->texts, secret->text) &&
	    !secrecy_is_public_word(&known->public, secret->text) &&
	    !secrecy_is_certificates(extension->arena, secret->text) &&
	    set_add(&extension->texts, secret->text))
		leak_scanner_add(extension->arena, extension->scanner, secret);
	return true;
}

struct leak_scanner *known_secrets_extend(struct arena *secret_arena,
                                          const struct known_secrets *known,
                                          const struct value *const *values, size_t count)
{
	struct extension extension = {
	    .arena = secret_arena,
	    .known = known,
	    .scanner = leak_scanner_new(secret_arena, known->scanner),
	    .texts = set_in(secret_arena),
	};

	for (size_t i = 0; i < count; i++)
		secrecy_each(values[i], add_unknown, &extension);
	return extension.scanner;
}
