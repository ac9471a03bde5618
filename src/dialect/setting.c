/*
 * Sets a setting by its row: one way to read and check each kind of value, and to store it.
 */
#include "dialect/setting.h"

#include "codec/codec.h"
#include "dialect/dialect.h"
#include "golang/golang.h"

const char *setting_placeholder(const struct setting *setting)
{
	static const char *const of_kinds[] = {
	    [SETTING_TEXT] = "TEXT",      [SETTING_VERSION] = "VERSION",
	    [SETTING_NAMESPACE] = "NAME", [SETTING_REFERENCE] = "NS/NAME",
	    [SETTING_URL] = "URL",        [SETTING_IMAGE] = "IMAGE",
	    [SETTING_BUNDLE] = "FILE",    [SETTING_LIMITS] = "PROVIDER=BYTES,...",
	};

	return setting->placeholder ? setting->placeholder
	       : setting->words     ? setting->words
	                            : of_kinds[setting->kind];
}

bool setting_names_file(const struct setting *setting, const struct value *value)
{
	return setting->kind == SETTING_BUNDLE && value_is_string(value) && value->string.len > 0 &&
	       sv_find_char(value->string, '\n') == SV_NPOS;
}

/* ---- strings ------------------------------------------------------------------------------- */

static void store_text(const struct setting *setting, const struct value *text, void *member)
{
	if (setting->size == sizeof(sv)) {
		*(sv *)member = text->string;
		return;
	}
	BUG_ON(setting->size != sizeof(struct value));
	*(struct value *)member = *text;
}

static enum status check_user(const struct setter *s, const struct value *v, struct position at)
{
	return setter_check_host(s, v, at, s->setting->user_remedy);
}

/*
 * Reports "@" where it may be the end of a password. Comes before a value is taken: the warning of
 * a variable shows the line.
 */
static enum status check_users(const struct setter *s, const struct value *v)
{
	struct value name = value_string(value_text(v));

	if (s->setting->kind == SETTING_URL)
		return setter_check_url(s, v, value_position(v));
	if (!s->setting->user_remedy)
		return STATUS_OK;
	if (s->setting->kind == SETTING_LIST)
		return setter_check_items(s, v, true, check_user);
	if (s->setting->kind != SETTING_IMAGE)
		return check_user(s, v, value_position(v));
	size_t digest = sv_rfind_char(name.string, '@');
	if (sv_starts_with(sv_from_offset(name.string, digest), SV("@sha")))
		name.string = sv_slice(name.string, 0, digest);
	return check_user(s, &name, value_position(v));
}

/* At least one PEM block that holds what can be a certificate: base64 of a DER sequence. */
static bool holds_certificate(struct arena *arena, sv text)
{
	const sv begin = SV("-----BEGIN CERTIFICATE-----");
	const sv end = SV("-----END CERTIFICATE-----");
	size_t from;

	while ((from = sv_find(text, begin)) != SV_NPOS) {
		text = sv_from_offset(text, from + begin.len);
		size_t to = sv_find(text, end);
		size_t error_at;
		sv der;

		if (to == SV_NPOS)
			return false;
		if (base64_decode(arena, BASE64_STD, sv_trim_space(sv_slice(text, 0, to)), &der,
		                  &error_at) &&
		    der.len > 4 && (uint8_t)der.ptr[0] == 0x30)
			return true;
		text = sv_from_offset(text, to + end.len);
	}
	return false;
}

static enum status check_bundle(const struct setter *s, sv text, struct position at)
{
	struct diag *diag;

	if (!sv_empty(text) && !holds_certificate(s->arena, text)) {
		diag = diag_report(s->sink, DIAG_CA_BUNDLE, at, "%.*s holds no certificate",
		                   SV_ARG(s->setting->name));
		diag_set_help(s->sink, diag,
		              "give a file with at least one PEM block "
		              "\"-----BEGIN CERTIFICATE-----\"");
		return STATUS_FAILED;
	}
	if (!secrecy_holds_private_key(text))
		return STATUS_OK;
	diag = diag_report(s->sink, DIAG_CA_BUNDLE, at, "%.*s holds a private key",
	                   SV_ARG(s->setting->name));
	diag_set_help(s->sink, diag,
	              "remove the key, since the file goes to every machine in the clear; "
	              "and treat the key as known to others");
	return STATUS_FAILED;
}

/* Checks a string as its kind has it. */
static enum status check_text(const struct setter *s, const struct value *text, struct position at)
{
	struct semver version;
	sv error;

	switch (s->setting->kind) {
	case SETTING_VERSION:
		if (sv_empty(text->string) ||
		    go_semver_parse(s->arena, text->string, &version, &error))
			return STATUS_OK;
		return setter_report(s, at, "must be a version",
		                     "write it as \"1.34.1\", in quotes");
	case SETTING_NAMESPACE:
		if (kube_name_valid(text->string) && text->string.len <= 63 &&
		    sv_find_char(text->string, '.') == SV_NPOS)
			return STATUS_OK;
		return setter_report(
		    s, at, "must be the name of a namespace",
		    "use at most 63 of a-z, 0-9 and -, beginning and ending with a letter or "
		    "digit");
	case SETTING_URL:
		if (sv_empty(text->string))
			return STATUS_OK;
		return setter_check_url_form(s, text, at, s->setting->url);
	case SETTING_IMAGE:
		if (sv_empty(text->string) || !setter_has_form(text) || form_is_image(text->string))
			return STATUS_OK;
		return setter_report(s, at, "must be an image",
		                     "write REGISTRY/NAME, REGISTRY/NAME:TAG or "
		                     "REGISTRY/NAME@sha256:DIGEST, in lower case, without https:// "
		                     "and blanks");
	case SETTING_BUNDLE:
		return check_bundle(s, text->string, at);
	case SETTING_TEXT:
	case SETTING_WORD:
	case SETTING_REFERENCE:
	case SETTING_BOOL:
	case SETTING_NUMBER:
	case SETTING_LIST:
	case SETTING_REPEAT:
	case SETTING_MAP:
	case SETTING_SWITCHES:
	case SETTING_LIMITS:
		return STATUS_OK;
	}
	BUG("kind of a setting");
}

static enum status take_string(const struct setter *s, const struct value *v, void *member)
{
	struct position at = value_position(v);
	struct value text;

	if (setter_take_text(s, v, &text) != STATUS_OK || check_text(s, &text, at) != STATUS_OK ||
	    (s->setting->check && s->setting->check(s, &text, at) != STATUS_OK))
		return STATUS_FAILED;
	if (s->setting->kind == SETTING_URL)
		text = secrecy_taint_userinfo(s->arena, text, s->setting->name);
	store_text(s->setting, &text, member);
	return STATUS_OK;
}

/* Returns a number as the word that it is for a setting with a word of digits. */
static struct value number_as_word(const struct setter *s, const struct value *v)
{
	struct sv_splitter it = sv_split(sv_from_cstr(s->setting->words), '|');
	int64_t number;
	sv word;

	while (value_is(v, KIND_INT64) && sv_split_next(&it, &word)) {
		if (!sv_parse_int64(word, &number))
			continue;
		struct value text =
		    value_string(arena_printf(s->arena, "%lld", (long long)v->integer));
		text.origin = v->origin;
		return text;
	}
	return *v;
}

static enum status take_word(const struct setter *s, const struct value *v, void *member)
{
	const struct setting *setting = s->setting;
	struct sv_splitter it = sv_split(sv_from_cstr(setting->words), '|');
	struct value text = number_as_word(s, v);
	bool is_found;
	unsigned number = 0;
	sv word;

	if (setter_take_text(s, &text, &text) != STATUS_OK)
		return STATUS_FAILED;
	is_found = setting->may_be_empty && sv_empty(text.string);
	while (!is_found && sv_split_next(&it, &word)) {
		is_found = sv_eq(word, text.string);
		number += !is_found;
	}
	if (!is_found)
		return setter_report(s, value_position(v), setting->problem, setting->remedy);
	if (setting->size == sizeof(bool))
		*(bool *)member = number == 1;
	else if (setting->size == sizeof(number))
		memcpy(member, &number, sizeof(number)); /* an enum */
	else
		store_text(setting, &text, member);
	return STATUS_OK;
}

static enum status take_reference(const struct setter *s, const struct value *v,
                                  struct setter_reference *ret)
{
	struct value text;
	sv namespace = {0};
	sv name = {0};

	if (setter_take_text(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(text.string) &&
	    (!sv_cut(text.string, SV("/"), &namespace, &name) || sv_empty(namespace) ||
	     sv_empty(name) || sv_find_char(name, '/') != SV_NPOS))
		return setter_report(
		    s, value_position(v), "must be NAMESPACE/NAME",
		    "write the namespace, one / and the name, such as kube-system/NAME");
	if (!sv_empty(text.string) && setter_has_form(&text) &&
	    (!kube_name_valid(namespace) || !kube_name_valid(name)))
		return setter_report(s, value_position(v), "has a name that Kubernetes refuses",
		                     "use a-z, 0-9, - and ., beginning and ending with a letter or "
		                     "digit");
	*ret = (struct setter_reference){namespace, name, text};
	return STATUS_OK;
}

/* ---- numbers and lists --------------------------------------------------------------------- */

static enum status take_number(const struct setter *s, const struct value *v, int64_t *ret)
{
	const struct setting *setting = s->setting;
	bool is_number = value_is(v, KIND_INT64);
	int64_t number = is_number ? v->integer : 0;

	if (value_is_string(v))
		is_number = sv_parse_int64(v->string, &number);
	if (!is_number || number < setting->least || number > setting->most)
		return setter_report(s, value_position(v), setting->problem, setting->remedy);
	*ret = number;
	return STATUS_OK;
}

static enum status take_list(const struct setter *s, const struct value *v, struct value *ret)
{
	const struct setting *setting = s->setting;
	struct value list = value_list_new(s->arena);
	enum status status = STATUS_OK;
	struct setter_items items;

	if (setter_take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &items) {
		if (setting->may_be_empty && sv_empty(item->text.string))
			continue;
		if (setting->check)
			status |= setting->check(s, &item->text, item->at);
		value_list_add(s->arena, &list, item->text);
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret = list;
	return STATUS_OK;
}

/* ---- userDataLimits ---------------------------------------------------------------------- */

static bool has_budget(sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		if (all[i]->has_budget && all[i]->has_budget(name))
			return true;
	return false;
}

/* The name that was meant; or empty. */
static sv meant_budget(struct arena *arena, sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	sv meant = {0};

	for (size_t i = 0; i < count && sv_empty(meant); i++)
		if (all[i]->meant_budget)
			meant = all[i]->meant_budget(arena, name);
	return meant;
}

static enum status add_limit(const struct setter *s, struct value *limits, sv provider,
                             struct position provider_at, int64_t bytes, struct position bytes_at)
{
	if (bytes < 0)
		return setter_report(s, bytes_at, "a limit is a number of bytes",
		                     "write decimal digits; 0 for no limit");
	if (!has_budget(provider))
		return setter_report(s, provider_at, "no such provider",
		                     diag_meant(s->arena, meant_budget(s->arena, provider),
		                                "use the provider's name as in cloudProvider"));
	value_map_set(s->arena, limits, provider, value_int(bytes));
	return STATUS_OK;
}

/* {hetzner: 32768}, or "hetzner=32768,aws=16384" */
static enum status take_limits(const struct setter *s, const struct value *v,
                               struct value *ret_limits)
{
	struct value limits = value_map_new(s->arena);
	enum status status = STATUS_OK;

	if (value_is_map(v)) {
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			bool is_number = value_is(&entry->value, KIND_INT64);

			status |= add_limit(
			    s, &limits, entry->key, origin_position(entry->key_origin),
			    is_number ? entry->value.integer : -1, value_position(&entry->value));
		}
	} else if (value_is_string(v)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		while (sv_split_next(&it, &part)) {
			struct position at = setter_item_position(v, offset, part.len);
			sv provider = part;
			sv number = {0};
			int64_t bytes = -1;

			if (!sv_cut(part, SV("="), &provider, &number) ||
			    !sv_parse_int64(number, &bytes))
				bytes = -1;
			status |= add_limit(s, &limits, provider, at, bytes, at);
			offset += part.len + 1;
		}
	} else if (!value_is_null(v)) {
		status = setter_report(s, value_position(v), "must be a map of providers to bytes",
		                       "write it as {hetzner: 32768}");
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_limits = limits;
	return STATUS_OK;
}

/* ---- all kinds ----------------------------------------------------------------------------- */

/* Returns the size of the member that a kind is stored in; 0 if that may differ. */
static size_t size_of(enum setting_kind kind)
{
	switch (kind) {
	case SETTING_BOOL:
		return sizeof(bool);
	case SETTING_NUMBER:
		return sizeof(int64_t);
	case SETTING_REFERENCE:
		return sizeof(struct setter_reference);
	case SETTING_LIST:
	case SETTING_LIMITS:
		return sizeof(struct value);
	case SETTING_TEXT:
	case SETTING_WORD:
	case SETTING_VERSION:
	case SETTING_NAMESPACE:
	case SETTING_URL:
	case SETTING_IMAGE:
	case SETTING_BUNDLE:
	case SETTING_REPEAT:
	case SETTING_MAP:
	case SETTING_SWITCHES:
		return 0;
	}
	BUG("kind of a setting");
}

static enum status take_setting(const struct setter *s, const struct value *v, void *member)
{
	const struct setting *setting = s->setting;

	if (check_users(s, v) != STATUS_OK)
		return STATUS_FAILED;
	if (setting->take)
		return setting->take(s, v, member);
	BUG_ON(size_of(setting->kind) > 0 && size_of(setting->kind) != setting->size);
	switch (setting->kind) {
	case SETTING_TEXT:
	case SETTING_VERSION:
	case SETTING_NAMESPACE:
	case SETTING_URL:
	case SETTING_IMAGE:
	case SETTING_BUNDLE:
		return take_string(s, v, member);
	case SETTING_WORD:
		return take_word(s, v, member);
	case SETTING_REFERENCE:
		return take_reference(s, v, member);
	case SETTING_BOOL:
		return setter_take_bool(s, v, member);
	case SETTING_NUMBER:
		return take_number(s, v, member);
	case SETTING_LIST:
		return take_list(s, v, member);
	case SETTING_LIMITS:
		return take_limits(s, v, member);
	case SETTING_REPEAT:
	case SETTING_MAP:
	case SETTING_SWITCHES:
		break;
	}
	BUG("a setting without a way to take it");
}

enum status setting_set(struct arena *arena, struct sink *sink, void *settings,
                        const struct setting *setting, const struct value *value)
{
	const struct setter s = {arena, sink, setting};
	char *members = settings;

	if (value_is_null(value))
		return STATUS_OK;
	if (take_setting(&s, value, members + setting->offset) != STATUS_OK)
		return STATUS_FAILED;
	if (setting->known)
		setting_check_known(arena, sink, setting->known, setting->name, value);
	if (setting->given > 0)
		*(struct setting_given *)(void *)(members + setting->given) =
		    (struct setting_given){
		        .is_given = !(setting->may_be_empty && value_is_string(value) &&
		                      sv_empty(value->string)),
		        .at = value_position(value),
		    };
	return STATUS_OK;
}

/* Sets a member to its default. Nothing is given then. */
static void set_initial(struct arena *arena, const struct setting *setting, void *member)
{
	struct sink ignored = sink_in(arena);
	const struct setter s = {arena, &ignored, setting};
	const struct value initial =
	    value_string(sv_from_cstr(setting->initial ? setting->initial : ""));
	bool is_list = setting->kind == SETTING_LIST && !setting->take;

	if (setting->initial)
		BUG_ON(take_setting(&s, &initial, member) != STATUS_OK);
	else if (setting->kind == SETTING_REFERENCE)
		((struct setter_reference *)member)->text = initial;
	else if (is_list || setting->kind == SETTING_LIMITS)
		*(struct value *)member = is_list ? value_list_new(arena) : value_map_new(arena);
	else if (setting_is_string(setting) && setting->size == sizeof(struct value))
		*(struct value *)member = initial;
}

void *settings_new(struct arena *arena, const struct setting_table *table, const void *from)
{
	char *settings = arena_alloc(arena, table->size);

	if (from)
		memcpy(settings, from, table->size);
	for (size_t i = 0; !from && i < table->count; i++)
		set_initial(arena, &table->rows[i], settings + table->rows[i].offset);
	return settings;
}
