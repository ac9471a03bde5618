/*
 * Decides whether a profile's spec changed, as the controller's webhook does before it accepts an
 * update (docs/spec/controller.md 7.1). The webhook compares specs as the API server stores them:
 * with defaults, without fields that the schema does not know, with empty ones like absent ones.
 */
#include "dialect/dialect.h"
#include "osm/osm.h"
#include "osm/profile.h"
#include "seal/seal.h"
#include "secrecy/secrecy.h"
#include "value/text.h"

enum field_kind {
	FIELD_TEXT,    /* a string; absent equals the default, or empty without one */
	FIELD_NUMBER,  /* absent equals the default, or 0 without one */
	FIELD_POINTER, /* a scalar; absent and empty differ */
	FIELD_PLAIN,   /* a string or a map of strings; absent equals empty */
	FIELD_FREE,    /* any value */
	FIELD_MAP,     /* fields of its own */
	FIELD_LIST,    /* items with fields of their own */
};

struct field {
	const char *name;
	enum field_kind kind;
	bool pointer; /* for FIELD_MAP: absent and empty differ */
	const struct field *fields;
	size_t count;
	const char *text;
	int64_t number;
};

#define NAMED(text, what) .name = (text), .kind = (what)
#define FIELDS(array)     .fields = (array), .count = COUNT_OF(array)

static const struct field inline_fields[] = {
    {NAMED("encoding", FIELD_TEXT)},
    {NAMED("data", FIELD_TEXT)},
};
static const struct field content_fields[] = {
    {NAMED("inline", FIELD_MAP), .pointer = true, FIELDS(inline_fields)},
};
static const struct field file_fields[] = {
    {NAMED("path", FIELD_TEXT)},
    {NAMED("permissions", FIELD_NUMBER), .number = OSM_DEFAULT_PERMISSIONS},
    {NAMED("content", FIELD_MAP), FIELDS(content_fields)},
};
static const struct field runtime_fields[] = {
    {NAMED("name", FIELD_TEXT)},
    {NAMED("files", FIELD_LIST), FIELDS(file_fields)},
    {NAMED("templates", FIELD_PLAIN)},
};
static const struct field drop_in_fields[] = {
    {NAMED("name", FIELD_TEXT)},
    {NAMED("content", FIELD_TEXT)},
};
static const struct field unit_fields[] = {
    {NAMED("name", FIELD_TEXT)},
    {NAMED("enable", FIELD_POINTER)},
    {NAMED("mask", FIELD_POINTER)},
    {NAMED("content", FIELD_POINTER)},
    {NAMED("dropIns", FIELD_LIST), FIELDS(drop_in_fields)},
};
static const struct field module_fields[] = {
    {NAMED("bootcmd", FIELD_PLAIN)},     {NAMED("rh_subscription", FIELD_PLAIN)},
    {NAMED("runcmd", FIELD_PLAIN)},      {NAMED("yum_repos", FIELD_PLAIN)},
    {NAMED("yum_repo_dir", FIELD_TEXT)},
};
static const struct field config_fields[] = {
    {NAMED("supportedContainerRuntimes", FIELD_LIST), FIELDS(runtime_fields)},
    {NAMED("templates", FIELD_PLAIN)},
    {NAMED("units", FIELD_LIST), FIELDS(unit_fields)},
    {NAMED("files", FIELD_LIST), FIELDS(file_fields)},
    {NAMED("modules", FIELD_MAP), .pointer = true, FIELDS(module_fields)},
};
static const struct field provider_fields[] = {
    {NAMED("name", FIELD_TEXT)},
    {NAMED("spec", FIELD_FREE)},
};
static const struct field spec_fields[] = {
    {NAMED("osName", FIELD_TEXT)},
    {NAMED("osVersion", FIELD_TEXT)},
    {NAMED("version", FIELD_TEXT)},
    {NAMED("provisioningUtility", FIELD_TEXT), .text = "cloud-init"},
    {NAMED("supportedCloudProviders", FIELD_LIST), FIELDS(provider_fields)},
    {NAMED("bootstrapConfig", FIELD_MAP), FIELDS(config_fields)},
    {NAMED("provisioningConfig", FIELD_MAP), FIELDS(config_fields)},
};

struct comparison {
	bool one_seed; /* fingerprints of secrets can be compared */
	struct buf path;
	struct position at; /* of the field in `now`, or of its nearest parent there */
};

static bool texts_equal(const struct comparison *c, sv before, sv now)
{
	return sv_eq(before, now) || (!c->one_seed && secrecy_redacted_equal(before, now));
}

/* Compares deeply; the order of lists matters. */
static bool plain_equal(const struct comparison *c, const struct value *before,
                        const struct value *now)
{
	if (value_is_string(before) && value_is_string(now))
		return texts_equal(c, before->string, now->string);
	if (value_is_list(before) && value_is_list(now)) {
		size_t count = value_count(before);

		for (size_t i = 0; i < count && count == value_count(now); i++) {
			if (!plain_equal(c, value_item(before, i), value_item(now, i)))
				return false;
		}
		return count == value_count(now);
	}
	if (value_is_map(before) && value_is_map(now)) {
		size_t count = value_count(before);

		for (size_t i = 0; i < count && count == value_count(now); i++) {
			const struct value_entry *entry = &before->map->entries[i];
			const struct value *other = value_map_get(now, entry->key);

			if (!other || !plain_equal(c, &entry->value, other))
				return false;
		}
		return count == value_count(now);
	}
	return value_equal(before, now);
}

static bool fields_equal(struct comparison *c, const struct field *fields, size_t count,
                         const struct value *before, const struct value *now);

static bool items_equal(struct comparison *c, const struct field *field, const struct value *before,
                        const struct value *now)
{
	size_t path_len = c->path.len;

	for (size_t i = 0; i < value_count(before) || i < value_count(now); i++) {
		const struct value *old = i < value_count(before) ? value_item(before, i) : NULL;
		const struct value *new = i < value_count(now) ? value_item(now, i) : NULL;

		c->path.len = path_len;
		buf_printf(&c->path, "[%zu]", i);
		if (new)
			c->at = value_position(new);
		if (!old || !new || !fields_equal(c, field->fields, field->count, old, new))
			return false;
	}
	c->path.len = path_len;
	return true;
}

static sv text_or(const struct value *v, const char *initial)
{
	return value_is_null(v) && initial ? sv_from_cstr(initial) : value_text(v);
}

static int64_t number_or(const struct value *v, int64_t initial)
{
	return value_is(v, KIND_INT64) ? v->integer : initial;
}

static bool field_equal(struct comparison *c, const struct field *field, const struct value *before,
                        const struct value *now)
{
	bool absent_before = value_is_null(before);
	bool absent_now = value_is_null(now);

	switch (field->kind) {
	case FIELD_TEXT:
		return texts_equal(c, text_or(before, field->text), text_or(now, field->text));
	case FIELD_NUMBER:
		return number_or(before, field->number) == number_or(now, field->number);
	case FIELD_PLAIN:
		if (value_count(before) == 0 && value_count(now) == 0)
			return true;
		return plain_equal(c, before, now);
	case FIELD_POINTER:
	case FIELD_FREE:
		return plain_equal(c, before, now);
	case FIELD_MAP:
		if (field->pointer && absent_before != absent_now)
			return false;
		return fields_equal(c, field->fields, field->count, before, now);
	case FIELD_LIST:
		/* The previous output is a file that anybody may have edited. */
		if (value_is_map(before) || value_is_map(now))
			return plain_equal(c, before, now);
		return items_equal(c, field, before, now);
	}
	BUG("field kind");
}

/* If they differ, c->path and c->at are those of the first field that does. */
static bool fields_equal(struct comparison *c, const struct field *fields, size_t count,
                         const struct value *before, const struct value *now)
{
	size_t path_len = c->path.len;
	struct position outer = c->at;

	for (size_t i = 0; i < count; i++) {
		sv name = sv_from_cstr(fields[i].name);
		const struct value *new = value_map_get(now, name);

		c->path.len = path_len;
		buf_add_char(&c->path, '.');
		buf_add(&c->path, name);
		c->at = new ? value_position(new) : outer;
		if (!field_equal(c, &fields[i], value_map_get(before, name), new))
			return false;
	}
	c->path.len = path_len;
	c->at = outer;
	return true;
}

bool osm_profile_spec_changed(struct arena *arena, const struct value *before,
                              const struct value *now, bool one_seed,
                              struct dialect_change *ret_change)
{
	struct comparison c = {one_seed, buf_in(arena), value_position(now)};

	BUF_ADD_LIT(&c.path, "spec");
	if (fields_equal(&c, spec_fields, COUNT_OF(spec_fields), before, now))
		return false;
	*ret_change = (struct dialect_change){buf_sv(&c.path), c.at};
	return true;
}
