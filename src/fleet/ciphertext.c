/*
 * Recognizes files that are ciphertext as a whole, and clear inputs with an encrypted value. Words
 * of a manifest cannot be found in ciphertext, so these files are recognized before any search for
 * words: by their first bytes, by their shape, or because they are not text.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"
#include "json/json.h"

/* ---- files ------------------------------------------------------------------------------- */

struct mark {
	sv begin;
	struct fleet_cipher cipher;
};

/* Each format's own beginning. A byte order mark and blank space before it are skipped. */
static const struct mark marks[] = {
    {SV_INIT("\0GITCRYPT\0"), {"is encrypted as a whole by git-crypt", "git-crypt unlock"}},
    {SV_INIT("$ANSIBLE_VAULT;"),
     {"is encrypted as a whole by ansible-vault", "ansible-vault view"}},
    {SV_INIT("age-encryption.org/v"), {"is encrypted as a whole by age", "age --decrypt"}},
    {SV_INIT("-----BEGIN AGE ENCRYPTED FILE-----"),
     {"is encrypted as a whole by age", "age --decrypt"}},
    {SV_INIT("-----BEGIN PGP "), {"is encrypted or signed as a whole by PGP", "gpg --decrypt"}},
    {SV_INIT("-----BEGIN PKCS7-----"), {"is encrypted as a whole (PKCS #7)", "openssl cms"}},
    {SV_INIT("-----BEGIN CMS-----"), {"is encrypted as a whole (CMS)", "openssl cms"}},
    {SV_INIT("Salted__"), {"is encrypted as a whole by openssl", "openssl enc -d"}},
    /* "Salted__" in base64. https://github.com/elasticdog/transcrypt */
    {SV_INIT("U2FsdGVkX1"),
     {"is encrypted as a whole by transcrypt or openssl", "transcrypt --show-raw"}},
    {SV_INIT("# STRONGBOX ENCRYPTED RESOURCE"),
     {"is encrypted as a whole by strongbox", "strongbox -decrypt"}},
};
static const struct fleet_cipher pgp = {"is encrypted as a whole by PGP", "gpg --decrypt"};
static const struct fleet_cipher sops_binary = {
    "is encrypted as a whole by sops, in its binary form", "sops decrypt"};
static const struct fleet_cipher base64 = {
    "has nothing but base64 or hex digits, and may be encrypted as a whole", NULL};
static const struct fleet_cipher unknown = {"is not text, and may be encrypted as a whole", NULL};

/*
 * Returns true if the content begins with the packet of a session key: RFC 9580, 4.2 for the
 * header, 5.1 and 5.3 for the versions.
 */
static bool is_pgp_message(sv text)
{
	enum { KEY_PACKET = 1, PASSWORD_PACKET = 3 };
	static const size_t old_headers[] = {2, 3, 5, 1};
	const unsigned char *bytes = (const unsigned char *)text.ptr;

	if (text.len < 8 || !(bytes[0] & 0x80))
		return false;
	bool is_new = bytes[0] & 0x40;
	unsigned tag = is_new ? bytes[0] & 0x3F : bytes[0] >> 2 & 0xF;
	size_t header = !is_new           ? old_headers[bytes[0] & 3]
	                : bytes[1] < 192  ? 2
	                : bytes[1] < 224  ? 3
	                : bytes[1] == 255 ? 6
	                                  : 2;
	unsigned version = bytes[header];
	return (tag == KEY_PACKET && (version == 3 || version == 6)) ||
	       (tag == PASSWORD_PACKET && version >= 4 && version <= 6);
}

static bool is_wide_text(sv text)
{
	return sv_starts_with(text, SV("\xFF\xFE")) || sv_starts_with(text, SV("\xFE\xFF")) ||
	       sv_starts_with(text, SV("\0\0\xFE\xFF"));
}

/*
 * Returns true for bytes that no encoding of text has. Latin-1 and UTF-16 are text: other
 * messages explain how to convert them.
 */
static bool is_binary(sv text)
{
	size_t nuls = 0;
	size_t controls = 0;

	if (is_wide_text(text) || utf8_valid(text))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		nuls += c == 0;
		controls += c != 0 && c < ' ' && !strchr("\t\n\r\f\x1B", c);
	}
	/* A letter of UTF-16 without a byte order mark has one NUL beside it, or more. */
	return controls > 0 && nuls < text.len / 4;
}

/* Returns true for lines of base64 or hex digits, too long to be a word. */
static bool is_base64(sv text)
{
	enum { SHORTEST = 128 };
	bool has_digit = false;
	bool has_letter = false;

	if (text.len < SHORTEST)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_digit = c >= '0' && c <= '9';
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		has_digit |= is_digit;
		has_letter |= is_letter;
		if (!is_digit && !is_letter && !strchr("+/=\r\n", c))
			return false;
	}
	return has_digit && has_letter;
}

/* Returns true for `sops encrypt` of bytes: a map with the ciphertext and the sops block. */
static bool is_sops_binary(struct arena *arena, sv text)
{
	struct sink unused = sink_in(arena);
	struct yml_documents documents;

	return sv_contains(text, SV("ENC[")) && sv_contains(text, SV("sops")) &&
	       !sv_contains(text, SV("kind:")) && !sv_contains(text, SV("\"kind\"")) &&
	       yml_parse(arena, &unused, source_new(arena, SV(""), text, true), &documents) ==
	           STATUS_OK &&
	       documents.count == 1 && seal_is_binary(&documents.items[0].root) &&
	       seal_is_sealed_text(value_text(value_map_get(&documents.items[0].root, SV("data"))));
}

const struct fleet_cipher *fleet_cipher_of(sv text)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv begin = sv_starts_with(text, SV("\xEF\xBB\xBF")) ? sv_from_offset(text, 3) : text;
	sv trimmed = sv_trim_space(begin);

	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (sv_starts_with(trimmed, marks[i].begin))
			return &marks[i].cipher;
	if (is_base64(trimmed))
		return &base64;
	if (is_sops_binary(scratch, text))
		return &sops_binary;
	if (!is_binary(text))
		return NULL;
	return is_pgp_message(text) ? &pgp : &unknown;
}

/* Returns "let CI decrypt it (git-crypt unlock) ", or what is possible without a known program. */
static sv decrypt_with(struct arena *arena, const struct fleet_cipher *cipher)
{
	if (!cipher->command)
		return SV("let CI decrypt it");
	return arena_printf(arena, "let CI decrypt it (`%s`)", cipher->command);
}

void fleet_report_cipher(struct fleet_file *file, const struct fleet_cipher *cipher)
{
	struct sink *sink = &file->sink;
	sv decrypt = decrypt_with(sink->arena, cipher);
	struct diag *diag =
	    diag_report(sink, DIAG_INPUT_CIPHERTEXT, position_of_source(file->source),
	                "this file %s: osm-gen cannot read it", cipher->what);

	if (fleet_file_is_outside(file))
		diag_set_help(sink, diag, "%.*s before osm-gen runs", SV_ARG(decrypt));
	else if (fleet_is_settings_file(file->path))
		diag_set_help(sink, diag,
		              "commit it in the clear, and encrypt only values of settings that "
		              "are secret, with sops (docs/howto/settings.md)");
	else
		diag_set_help(
		    sink, diag,
		    "a Secret: %.*s into a folder that --secrets names, or encrypt only its "
		    "values, with sops --encrypted-regex '^(data|stringData)$'\n"
		    "another manifest: commit it in the clear\n"
		    "if it is not a manifest, name the file in " FLEET_IGNORE_FILE,
		    SV_ARG(decrypt));
}

void fleet_report_filtered(struct fleet_file *file, sv filter)
{
	struct sink *sink = &file->sink;

	VEC_EACH (diag, &sink->diags)
		if ((*diag)->code == DIAG_INPUT_CIPHERTEXT) {
			diag_add_note(sink, *diag, NOWHERE,
			              ".gitattributes gives it the filter %.*s", SV_ARG(filter));
			return;
		}
	const struct fleet_cipher cipher = {"has no object", NULL};
	fleet_report_cipher(file, &cipher);
	diag_add_note(sink, sink->diags.items[sink->diags.count - 1], NOWHERE,
	              ".gitattributes gives it the filter %.*s, and osm-gen reads the commit, "
	              "without filters",
	              SV_ARG(filter));
}

/* ---- values ------------------------------------------------------------------------------ */

struct value_mark {
	sv begin;
	const char *tool;
	const char *command; /* decrypts a file in its place */
	const char *help;
};

static const struct value_mark value_marks[] = {
    {SV_INIT("ENC[AES256_GCM,"), "sops", "sops decrypt --in-place",
     "sops decrypts values only in a file that has its block `sops`: encrypt the file again, or "
     "write the value in the clear, and keep a credential in an encrypted Secret that the manifest "
     "names"},
    {SV_INIT("$ANSIBLE_VAULT;"), "ansible-vault", "ansible-vault decrypt",
     "`ansible-vault view` decrypts it, and osm-gen does not: keep the value in a Secret that "
     "sops encrypts or --secrets has"},
};

/* Returns true for a whole file of sops in a string, which a node may decrypt by itself. */
static bool is_embedded(sv text)
{
	return sv_contains(text, SV("mac: ENC[")) || sv_contains(text, SV("\"mac\": \"ENC[")) ||
	       sv_contains(text, SV("sops_mac=ENC["));
}

bool fleet_text_has_encrypted(sv text)
{
	for (size_t i = 0; i < COUNT_OF(value_marks); i++)
		if (sv_contains(text, value_marks[i].begin))
			return true;
	return false;
}

struct value_search {
	struct sink *sink;
	struct diag *diag; /* null so far */
	size_t count;
	const char *reader; /* "this manifest is read as it is" */
};

static enum secrecy_step look_at_value(void *context, struct secrecy_place *place)
{
	enum { SHOWN = 5 };
	struct value_search *search = context;
	sv text = value_text(place->value);

	/* The block of sops has a MAC, which looks the same. */
	if (place->depth == 1 && place->entry && sv_eq_cstr(place->entry->key, "sops"))
		return SECRECY_OVER;
	for (size_t i = 0; i < COUNT_OF(value_marks); i++) {
		const struct value_mark *mark = &value_marks[i];

		if (!sv_contains(text, mark->begin) || is_embedded(text))
			continue;
		struct position at = value_position(place->value);
		sv path = secrecy_path(search->sink->arena, place);
		if (search->diag) {
			if (search->count++ < SHOWN)
				diag_add_note(search->sink, search->diag, at, "so is %.*s",
				              SV_ARG(path));
			return SECRECY_OVER;
		}
		search->diag = diag_report(search->sink, DIAG_VALUE_ENCRYPTED, at,
		                           "the value of %.*s is encrypted by %s, and %s",
		                           SV_ARG(path), mark->tool, search->reader);
		diag_set_help(search->sink, search->diag, "%s", mark->help);
		return SECRECY_OVER;
	}
	return SECRECY_INTO;
}

/* Reports the encrypted values of a file in JSON. Returns null for other files. */
static struct diag *report_members(struct sink *sink, const struct fleet_named_file *named)
{
	enum { LARGEST = 1 << 20 };
	struct source *source = source_new(sink->arena, named->path, named->text, true);
	struct value_search search = {.sink = sink, .reader = "osm-gen reads this file as it is"};
	struct sink unused = sink_in(sink->arena);
	struct value root;

	/* A large file is not worth the memory of its values. */
	if (named->text.len <= LARGEST && sv_starts_with(sv_trim_space(named->text), SV("{")) &&
	    json_parse(sink->arena, &unused, source, &root) == STATUS_OK)
		(void)secrecy_visit(&root, look_at_value, &search);
	return search.diag;
}

/* Reports the encrypted values of a file that an input names, without their lines. */
static bool report_value_in(struct sink *sink, const struct fleet_named_file *named,
                            struct position setting)
{
	for (size_t i = 0; i < COUNT_OF(value_marks); i++) {
		const struct value_mark *mark = &value_marks[i];
		size_t offset = sv_find(named->text, mark->begin);

		if (offset == SV_NPOS)
			continue;
		struct source *source = source_new(sink->arena, named->path, named->text, true);
		struct diag *diag = report_members(sink, named);
		if (!diag)
			diag = diag_report(
			    sink, DIAG_VALUE_ENCRYPTED,
			    (struct position){source, offset, mark->begin.len},
			    "this value is encrypted by %s, and osm-gen reads the file as it is",
			    mark->tool);
		diag_add_note(sink, diag, setting, "the file is named here");
		diag_set_help(sink, diag,
		              "commit the file in the clear (`%s`), without the outputs and "
		              "lines that are secret; a credential belongs into an encrypted "
		              "Secret that the manifest names",
		              mark->command);
		return true;
	}
	return false;
}

bool fleet_report_named_cipher(struct sink *sink, const struct fleet_named_file *named,
                               struct position setting)
{
	const struct fleet_cipher *cipher = fleet_cipher_of(named->text);

	/* The setting decides whether base64 and bytes are right. */
	if (!cipher || !cipher->command)
		return report_value_in(sink, named, setting);
	struct source *source = source_new(sink->arena, named->path, SV(""), true);
	struct diag *diag = diag_report(sink, DIAG_INPUT_CIPHERTEXT, position_of_source(source),
	                                "this file %s: osm-gen cannot read it", cipher->what);
	diag_add_note(sink, diag, setting, "the file is named here");
	diag_set_help(sink, diag,
	              "commit what `%s` prints of it, without the lines that are secret",
	              cipher->command);
	return true;
}

bool fleet_report_encrypted(struct sink *sink, const struct value *root)
{
	struct value_search search = {.sink = sink, .reader = "this manifest is read as it is"};

	(void)secrecy_visit(root, look_at_value, &search);
	return search.diag != NULL;
}
