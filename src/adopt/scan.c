/*
 * Looks for secrets in the clear parts of files before they are written. The origin of an export
 * is unknown, and people and tools put secrets into unlikely places.
 */
#include "adopt/internal.h"

#include "golang/golang.h"

struct scanning {
	const struct adopt_scan *scan;
	const struct kube_id *id;
	struct adopt_kind kind;
	struct position at;
	bool sealed; /* data and stringData are not clear */
	const struct leak_scanner *scanner;
	const struct secret *leaked;
	bool failed;
};

/* ---- strings to scan --------------------------------------------------------------------- */

static bool ends_with_fold(sv name, sv ending)
{
	return name.len >= ending.len &&
	       sv_eq_fold_ascii(sv_from_offset(name, name.len - ending.len), ending);
}

static bool names_identifier(sv key)
{
	static const sv endings[] = {
	    SV_INIT("id"),     SV_INIT("ids"),         SV_INIT("name"),     SV_INIT("names"),
	    SV_INIT("image"),  SV_INIT("namespace"),   SV_INIT("ami"),      SV_INIT("arn"),
	    SV_INIT("hash"),   SV_INIT("fingerprint"), SV_INIT("checksum"), SV_INIT("digest"),
	    SV_INIT("sha256"), SV_INIT("template"),    SV_INIT("network"),  SV_INIT("subnet"),
	};

	/* A member of a reference, a taint or a selector. */
	if (sv_eq(key, SV("key")))
		return true;
	for (size_t i = 0; i < COUNT_OF(endings); i++)
		if (ends_with_fold(key, endings[i]))
			return true;
	return false;
}

static bool is_place_below(const struct secrecy_place *place, sv key)
{
	for (; place; place = place->parent)
		if (place->entry && sv_eq(place->entry->key, key))
			return true;
	return false;
}

/* Scripts, units and templates of a definition. */
static bool is_program(const struct scanning *s, const struct secrecy_place *place)
{
	const struct dialect_live_kind *row = s->kind.row;

	for (size_t i = 0; row && i < row->program_count; i++)
		if (is_place_below(place, row->programs[i]))
			return true;
	return false;
}

enum secrecy_text_kind adopt_text_kind(sv key)
{
	return names_identifier(key) ? SECRECY_IDENTIFIER : SECRECY_FIELD;
}

/* Returns true in maps whose keys people choose: a key may mean a password. */
static bool has_free_keys(const struct scanning *s, const struct secrecy_place *place)
{
	static const char *const names[] = {"labels", "annotations", "matchLabels", "spec"};
	const struct secrecy_place *parent = place->parent;
	const struct dialect_adoption *adoption =
	    s->kind.dialect ? s->kind.dialect->adoption : NULL;

	for (size_t i = 0; adoption && i < adoption->free_map_count; i++)
		if (is_place_below(parent, adoption->free_maps[i]))
			return true;
	if (!parent || !parent->entry)
		return false;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq_cstr(parent->entry->key, names[i]))
			return true;
	return false;
}

/* Returns DB_PASSWORD for the value in {name: DB_PASSWORD, value: ...}. */
static sv name_beside(const struct secrecy_place *place)
{
	return place->parent && value_is_map(place->parent->value) &&
	               sv_eq(place->entry->key, SV("value"))
	           ? value_text(value_map_get(place->parent->value, SV("name")))
	           : SV("");
}

static bool is_in_reference(const struct secrecy_place *place)
{
	for (; place; place = place->parent)
		if (place->entry && secrecy_names_reference(place->entry->key))
			return true;
	return false;
}

/*
 * Returns the key of a map with free keys that the value belongs to: {password: {value: ...}} and
 * {password: [...]} name it as {password: ...} does. Members of a reference are names.
 */
static sv free_name(const struct scanning *s, const struct secrecy_place *place)
{
	if (is_in_reference(place))
		return SV("");
	for (; place; place = place->parent)
		if (place->entry && has_free_keys(s, place) &&
		    secrecy_names_credential(place->entry->key))
			return place->entry->key;
	return SV("");
}

static struct secrecy_finding look_at_value(const struct scanning *s,
                                            const struct secrecy_place *place)
{
	sv text = place->value->string;
	enum secrecy_text_kind kind =
	    is_program(s, place) ? SECRECY_PROGRAM : adopt_text_kind(secrecy_key(place));
	sv name = free_name(s, place);

	if (sv_empty(name) && place->entry)
		name = name_beside(place);
	return secrecy_look_at_named(name, text, kind);
}

/* ---- reporting --------------------------------------------------------------------------- */

sv adopt_field_name(struct arena *arena, const struct kube_id *id, sv path)
{
	return ARENA_CONCAT(arena, id->kind, SV("/"), id->namespace, SV("/"), id->name, SV(":"),
	                    path);
}

bool adopt_is_allowed(const struct adopt_request *request, sv field)
{
	for (size_t i = 0; i < request->allowed_count; i++)
		if (sv_eq(request->allowed[i], field))
			return true;
	return false;
}

static const char *remedy_of(const struct scanning *s)
{
	if (s->kind.row && s->kind.row->remedy)
		return s->kind.row->remedy;
	return "remove it from the object, or from a copy of the export, and adopt that";
}

static void report_finding(struct scanning *s, sv path, const char *where,
                           const struct secrecy_finding *finding, struct position at)
{
	struct arena *arena = s->scan->arena;
	sv what = kube_id_describe(arena, s->id);
	sv field = adopt_field_name(arena, s->id, path);
	struct diag *diag;

	if (finding->look == SECRECY_LOOKS_PRIVATE_KEY) {
		diag = diag_report(
		    s->scan->sink, DIAG_ADOPT_PRIVATE_KEY, at,
		    "%s%.*s of %.*s holds a private key, which would be in git in the clear", where,
		    SV_ARG(path), SV_ARG(what));
		diag_set_help(s->scan->sink, diag,
		              "%s; everybody who could read the object could read the key: replace "
		              "it wherever it is used",
		              remedy_of(s));
	} else if (!adopt_is_allowed(s->scan->request, field)) {
		diag =
		    diag_report(s->scan->sink, DIAG_ADOPT_SECRET, at,
		                "%s%.*s of %.*s looks like %s, which would be in git in the clear",
		                where, SV_ARG(path), SV_ARG(what), finding->what);
		diag_set_help(s->scan->sink, diag,
		              "%s; if it is not a secret, give --allow-clear %.*s", remedy_of(s),
		              SV_ARG(field));
	} else
		return;
	s->failed = true;
}

/* ---- secrets of the export --------------------------------------------------------------- */

static bool look_for_known(void *context, sv text, unsigned depth)
{
	struct scanning *s = context;
	struct leak leak;

	/* The text itself is searched where it is written. */
	if (depth == 0 || !leak_scanner_find(s->scanner, text, 0, NULL, &leak))
		return true;
	s->leaked = leak.secret;
	return false;
}

static struct secrecy_finding look_for_secrets(struct scanning *s, sv text)
{
	struct secrecy_finding finding = {SECRECY_LOOKS_SECRET, NULL, 0};

	s->leaked = NULL;
	bool complete = secrecy_each_layer(text, look_for_known, s);
	if (s->leaked)
		finding.what =
		    arena_cstr(s->scan->arena,
		               ARENA_CONCAT(s->scan->arena, SV("a packed text with the secret "),
		                            s->leaked->name));
	else if (complete)
		finding.look = SECRECY_LOOKS_PLAIN;
	else
		finding = (struct secrecy_finding){SECRECY_LOOKS_PACKED, "packed data", 0};
	return finding;
}

/* ---- the walk ---------------------------------------------------------------------------- */

static bool is_sealed_member(const struct scanning *s, const struct secrecy_place *place)
{
	const struct secrecy_place *top = place;

	while (top->depth > 1)
		top = top->parent;
	return s->sealed && top->entry &&
	       (sv_eq(top->entry->key, SV("data")) || sv_eq(top->entry->key, SV("stringData")));
}

static enum secrecy_step scan_place(void *context, struct secrecy_place *place)
{
	struct scanning *s = context;
	struct secrecy_finding finding;

	if (place->entry) {
		finding = secrecy_look_at(place->entry->key, SECRECY_FIELD);
		if (finding.look != SECRECY_LOOKS_PLAIN) {
			report_finding(s, secrecy_path(s->scan->arena, place->parent), "a key in ",
			               &finding, secrecy_key_position(place, s->at));
			return SECRECY_OVER;
		}
	}
	if (!value_is_string(place->value) || (place->depth > 0 && is_sealed_member(s, place)))
		return SECRECY_INTO;
	finding = look_at_value(s, place);
	if (finding.look == SECRECY_LOOKS_PLAIN)
		finding = look_for_secrets(s, place->value->string);
	if (finding.look != SECRECY_LOOKS_PLAIN)
		report_finding(s, secrecy_path(s->scan->arena, place), "", &finding,
		               place->value->origin.source
		                   ? value_text_position(place->value, finding.offset)
		                   : secrecy_position(place, s->at));
	return SECRECY_OVER;
}

enum status adopt_scan_clear(const struct adopt_scan *scan, const struct value *object,
                             struct position at, bool sealed)
{
	const struct kube_id id = kube_id_of(object);
	struct scanning s = {
	    .scan = scan,
	    .id = &id,
	    .kind = adopt_kind_of(&id),
	    .at = at,
	    .sealed = sealed,
	    .scanner = known_secrets_scanner(scan->secrets),
	};

	secrecy_visit(object, scan_place, &s);
	return s.failed ? STATUS_FAILED : STATUS_OK;
}
