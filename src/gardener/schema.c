/*
 * Checks the structure of an OSC: the fields of each contract, their types, and the required ones
 * (docs/spec/gardener.md 1.2).
 */
#include "gardener/internal.h"
#include "golang/golang.h"

enum kind {
	TEXT,
	TIME, /* a string, RFC 3339 */
	BOOL,
	NUMBER, /* checked where it is read */
	TEXTS,  /* a list of strings */
	LIST,   /* a list of maps with members */
	MAP,    /* a map with members */
	OBJECT, /* a map with any members */
	ANY,
};

enum flags {
	REQUIRED = 1, /* must be given */
	FILLED = 2,   /* must be given, and not empty */
	CURRENT = 4,  /* only contract current has it */
	OLD = 8,      /* only contract 2021 has it */
	FOREIGN = 16, /* in neither contract, but read (osc.c) */
};

struct member {
	sv name;
	enum kind kind;
	unsigned flags;
	const struct member *members;
	size_t count;
	const char *choices; /* the words that the string may be, for messages; may be null */
};

#define LEAF(name, kind, flags)                                                                    \
	{                                                                                          \
		SV_INIT(name), kind, flags, NULL, 0, NULL                                          \
	}
#define OF(name, kind, flags, members)                                                             \
	{                                                                                          \
		SV_INIT(name), kind, flags, members, COUNT_OF(members), NULL                       \
	}
#define CHOICE(name, flags, choices)                                                               \
	{                                                                                          \
		SV_INIT(name), TEXT, flags, NULL, 0, choices                                       \
	}

/* ---- the fields -------------------------------------------------------------------------- */

static const struct member host_members[] = {
    LEAF("url", TEXT, FILLED),
    LEAF("capabilities", TEXTS, 0),
    LEAF("caCerts", TEXTS, 0),
    LEAF("overridePath", BOOL, 0),
};
static const struct member registry_members[] = {
    LEAF("upstream", TEXT, FILLED),
    LEAF("server", TEXT, 0),
    OF("hosts", LIST, 0, host_members),
    LEAF("readinessProbe", BOOL, 0),
};
static const struct member plugin_members[] = {
    LEAF("op", TEXT, 0),
    LEAF("path", TEXTS, FILLED),
    LEAF("values", OBJECT, 0),
};
static const struct member containerd_members[] = {
    OF("registries", LIST, 0, registry_members),
    LEAF("sandboxImage", TEXT, FILLED),
    OF("plugins", LIST, 0, plugin_members),
};
static const struct member cri_members[] = {
    CHOICE("name", FILLED, "containerd"),
    LEAF("cgroupDriver", TEXT, CURRENT),
    OF("containerd", MAP, CURRENT, containerd_members),
};
static const struct member rotation_members[] = {
    LEAF("lastInitiationTime", TIME, 0),
};
static const struct member rotations_members[] = {
    OF("certificateAuthorities", MAP, 0, rotation_members),
    OF("serviceAccountKey", MAP, 0, rotation_members),
};
static const struct member update_members[] = {
    LEAF("operatingSystemVersion", TEXT, REQUIRED),
    LEAF("kubelet", TEXT, REQUIRED),
    OF("credentialsRotation", MAP, 0, rotations_members),
};
static const struct member drop_in_members[] = {
    LEAF("name", TEXT, FILLED),
    LEAF("content", TEXT, FILLED),
};
static const struct member unit_members[] = {
    LEAF("name", TEXT, FILLED),
    LEAF("command", TEXT, 0),
    LEAF("enable", BOOL, 0),
    LEAF("content", TEXT, 0),
    OF("dropIns", LIST, 0, drop_in_members),
    LEAF("filePaths", TEXTS, CURRENT),
};
static const struct member secret_members[] = {
    LEAF("name", TEXT, FILLED),
    LEAF("dataKey", TEXT, FILLED),
};
static const struct member inline_members[] = {
    LEAF("encoding", TEXT, 0), /* osc.c: required, yet often left out */
    LEAF("data", TEXT, FILLED),
};
static const struct member image_members[] = {
    LEAF("image", TEXT, FILLED),
    LEAF("filePathInImage", TEXT, FILLED),
};
static const struct member content_members[] = {
    OF("secretRef", MAP, 0, secret_members), OF("inline", MAP, 0, inline_members),
    LEAF("transmitUnencoded", BOOL, 0),
    OF("imageRef", MAP, 0, image_members), /* validate.c checks if it is allowed */
};
static const struct member file_members[] = {
    LEAF("path", TEXT, FILLED),
    LEAF("permissions", NUMBER, 0),
    OF("content", MAP, REQUIRED, content_members),
    LEAF("hostName", TEXT, CURRENT),
    LEAF("encoding", ANY, FOREIGN),
};
static const struct member spec_members[] = {
    LEAF("type", TEXT, REQUIRED), /* osc.c: mostly not empty */
    LEAF("class", TEXT, CURRENT),
    LEAF("providerConfig", OBJECT, 0),
    LEAF("purpose", TEXT, 0), /* osc.c: one of two words */
    LEAF("reloadConfigFilePath", TEXT, OLD),
    OF("criConfig", MAP, 0, cri_members),
    OF("cri", MAP, FOREIGN, cri_members),
    OF("units", LIST, 0, unit_members),
    OF("files", LIST, 0, file_members),
    OF("inPlaceUpdates", MAP, CURRENT, update_members),
};
static const struct member root_members[] = {
    LEAF("apiVersion", ANY, 0), LEAF("kind", ANY, 0),
    LEAF("metadata", ANY, 0),   OF("spec", MAP, REQUIRED, spec_members),
    LEAF("status", ANY, 0),
};

/* ---- the walk ---------------------------------------------------------------------------- */

struct walk {
	struct arena *arena;
	struct sink *sink;
	enum gardener_contract contract;
	bool failed;
};

/* The path of a value, as a chain: "spec", "files", 3, "path". */
struct place {
	const struct place *parent; /* null for the manifest */
	sv name;                    /* empty for an item of a list */
	size_t index;
};

static sv place_text(struct arena *arena, const struct place *place)
{
	sv before;

	if (!place)
		return SV("the OperatingSystemConfig");
	if (sv_empty(place->name))
		return arena_printf(arena, "%.*s[%zu]", SV_ARG(place_text(arena, place->parent)),
		                    place->index);
	if (!place->parent)
		return place->name;
	before = place_text(arena, place->parent);
	return arena_printf(arena, "%.*s.%.*s", SV_ARG(before), SV_ARG(place->name));
}

static bool is_in_contract(const struct walk *w, const struct member *member)
{
	unsigned other = w->contract == GARDENER_CURRENT ? OLD : CURRENT;

	return !(member->flags & other);
}

static void report(struct walk *w, struct position at, const struct place *place,
                   const char *problem, const char *help)
{
	struct diag *diag = diag_report(w->sink, DIAG_GARDENER_SCHEMA, at, "%.*s %s",
	                                SV_ARG(place_text(w->arena, place)), problem);

	diag_set_help(w->sink, diag, "%s", help);
	w->failed = true;
}

/* Returns a help, with the member's choices if it has any: "add it: provision or reconcile". */
static const char *choices_help(const struct walk *w, const char *what, const struct member *member)
{
	if (!member->choices)
		return what;
	return arena_cstr(w->arena, arena_printf(w->arena, "%s: %s", what, member->choices));
}

/* ---- names of fields --------------------------------------------------------------------- */

static void warn_unknown(struct walk *w, const struct value_entry *entry, const struct place *place,
                         const struct member *members, size_t count)
{
	sv *names = ARENA_ARRAY(w->arena, sv, count);
	struct buf all = buf_in(w->arena);
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_in_contract(w, &members[i]) || members[i].flags & FOREIGN)
			continue;
		buf_printf(&all, "%s%.*s", n > 0 ? ", " : "", SV_ARG(members[i].name));
		names[n++] = members[i].name;
	}
	sv nearest = diag_nearest(entry->key, names, n);
	struct diag *diag =
	    diag_report(w->sink, DIAG_GARDENER_FIELD, origin_position(entry->key_origin),
	                "unknown field \"%.*s\" in %.*s has no effect", SV_ARG(entry->key),
	                SV_ARG(place_text(w->arena, place)));
	if (sv_empty(nearest))
		diag_set_help(w->sink, diag, "remove it, or use one of %.*s", SV_ARG(buf_sv(&all)));
	else
		diag_set_help(w->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
}

static void warn_other_contract(struct walk *w, const struct value_entry *entry,
                                const struct place *place)
{
	bool is_current = w->contract == GARDENER_CURRENT;
	struct diag *diag =
	    diag_report(w->sink, DIAG_GARDENER_FIELD, origin_position(entry->key_origin),
	                "%.*s.%.*s is not a field of contract %.*s: it has no effect",
	                SV_ARG(place_text(w->arena, place)), SV_ARG(entry->key),
	                SV_ARG(gardener_contract_name(w->contract)));

	diag_set_help(w->sink, diag, "remove it, or set gardenerContract: %s",
	              is_current ? "\"2021\"" : "current");
}

static const struct member *find_member(const struct member *members, size_t count, sv name)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq(members[i].name, name))
			return &members[i];
	return NULL;
}

static void check_names(struct walk *w, const struct value *map, const struct place *place,
                        const struct member *members, size_t count)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		const struct member *member = find_member(members, count, entry->key);

		if (!member)
			warn_unknown(w, entry, place, members, count);
		else if (!is_in_contract(w, member))
			warn_other_contract(w, entry, place);
	}
}

/* ---- types ------------------------------------------------------------------------------- */

static void check_map(struct walk *w, const struct value *map, const struct place *place,
                      const struct member *members, size_t count);

static bool check_text(struct walk *w, const struct value *v, const struct place *place)
{
	if (value_is_string(v))
		return true;
	report(w, value_position(v), place, "must be a string",
	       "put it in quotes when it looks like a number or a boolean");
	return false;
}

static void check_time(struct walk *w, const struct value *v, const struct place *place)
{
	struct go_time time;
	sv error;

	if (!check_text(w, v, place) || go_time_parse(w->arena, SV("2006-01-02T15:04:05Z07:00"),
	                                              v->string, false, &time, &error))
		return;
	report(w, value_position(v), place, "must be a time",
	       "write it as 2026-01-02T03:04:05Z, date, time and zone");
}

static bool check_list(struct walk *w, const struct value *v, const struct place *place)
{
	if (value_is_list(v))
		return true;
	report(w, value_position(v), place, "must be a list", "begin each item with \"- \"");
	return false;
}

static bool check_is_map(struct walk *w, const struct value *v, const struct place *place)
{
	if (value_is_map(v))
		return true;
	report(w, value_position(v), place, "must be a map", "write KEY: VALUE lines below it");
	return false;
}

static void check_items(struct walk *w, const struct value *list, const struct place *place,
                        const struct member *member)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		const struct place at = {place, {0}, i};

		if (member->kind == TEXTS)
			(void)check_text(w, item, &at);
		else if (check_is_map(w, item, &at))
			check_map(w, item, &at, member->members, member->count);
	}
}

static void check_value(struct walk *w, const struct value *v, const struct place *place,
                        const struct member *member)
{
	switch (member->kind) {
	case TEXT:
		if (check_text(w, v, place) && member->flags & FILLED && sv_empty(v->string))
			report(w, value_position(v), place, "must not be empty",
			       member->choices ? choices_help(w, "fill it in", member)
			                       : "set it, or remove the item that it belongs to");
		return;
	case TIME:
		check_time(w, v, place);
		return;
	case BOOL:
		if (!value_is(v, KIND_BOOL))
			report(w, value_position(v), place, "must be true or false",
			       "write true or false, without quotes");
		return;
	case TEXTS:
	case LIST:
		if (!check_list(w, v, place))
			return;
		if (member->flags & FILLED && value_count(v) == 0)
			report(w, value_position(v), place, "must not be empty",
			       "set it, or remove the item that it belongs to");
		check_items(w, v, place, member);
		return;
	case MAP:
		if (check_is_map(w, v, place))
			check_map(w, v, place, member->members, member->count);
		return;
	case OBJECT:
		(void)check_is_map(w, v, place);
		return;
	case NUMBER:
	case ANY:
		return;
	}
}

/* The recursion is as deep as the tables above. */
static void check_map(struct walk *w, const struct value *map, const struct place *place,
                      const struct member *members, size_t count)
{
	check_names(w, map, place, members, count);
	for (size_t i = 0; i < count; i++) {
		const struct value *v = value_map_get(map, members[i].name);
		const struct place at = {place, members[i].name, 0};

		if (!is_in_contract(w, &members[i]))
			continue;
		if (!value_is_null(v))
			check_value(w, v, &at, &members[i]);
		else if (members[i].flags & (REQUIRED | FILLED))
			report(w, value_position(v && v->origin.source ? v : map), &at,
			       "is missing", choices_help(w, "add it", &members[i]));
	}
}

enum status gardener_schema_check(struct arena *arena, struct sink *sink, const struct value *root,
                                  enum gardener_contract contract)
{
	struct walk w = {arena, sink, contract, false};

	check_map(&w, root, NULL, root_members, COUNT_OF(root_members));
	return w.failed ? STATUS_FAILED : STATUS_OK;
}
