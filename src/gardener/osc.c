/*
 * Reads an OperatingSystemConfig of Gardener's API (docs/spec/gardener.md 1.2): its members, their
 * other spellings in Gardener's documentation, defaults, modes.
 */
#include "gardener/internal.h"

#define MODE_MAX 07777

struct reader {
	struct arena *arena;
	struct sink *sink;
	enum gardener_contract contract;
	bool failed;
};

sv gardener_purpose_name(enum gardener_purpose purpose)
{
	switch (purpose) {
	case GARDENER_PROVISION:
		return SV("provision");
	case GARDENER_RECONCILE:
		return SV("reconcile");
	}
	BUG("purpose of an OperatingSystemConfig");
}

/* ---- members; osc_shape.c has reported what has another type --------------------------- */

static struct value osc_text(const struct value *map, sv key)
{
	const struct value *v = value_map_get(map, key);

	return value_is_string(v) ? *v : VALUE_INVALID;
}

static const struct value *map_of(const struct value *map, sv key)
{
	const struct value *v = value_map_get(map, key);

	return value_is_map(v) ? v : NULL;
}

/* Returns the number of a list's items; 0 if it is not a list. */
static size_t count_of(const struct value *list)
{
	return value_is_list(list) ? value_count(list) : 0;
}

/* ---- modes ------------------------------------------------------------------------------- */

/* Returns true for a mode that people commonly set. */
static bool is_usual_mode(int mode)
{
	static const int usual[] = {0400, 0440, 0444, 0500, 0550, 0555, 0600, 0640,
	                            0644, 0660, 0664, 0666, 0700, 0710, 0711, 0740,
	                            0744, 0750, 0751, 0755, 0770, 0775, 0777};

	for (size_t i = 0; i < COUNT_OF(usual); i++)
		if ((mode & 0777) == usual[i])
			return true;
	return false;
}

/* Returns the mode if the number's decimal digits are read as octal; -1 if one is 8 or 9. */
static int spelled_mode(int64_t number)
{
	int mode = 0;
	int shift = 0;

	for (; number > 0; number /= 10, shift += 3) {
		if (number % 10 > 7 || shift > 9)
			return -1;
		mode |= (int)(number % 10) << shift;
	}
	return shift >= 9 ? mode : -1;
}

/*
 * Returns true if the number is written in decimal digits. The text of a confidential source may no
 * longer be there: then it returns false, and there is no warning.
 */
static bool is_decimal(const struct value *v)
{
	const struct origin *at = &v->origin;

	return at->source && at->style == ORIGIN_EXACT && at->offset < at->source->text.len &&
	       at->source->text.ptr[at->offset] >= '1' && at->source->text.ptr[at->offset] <= '9';
}

static void warn_decimal(struct reader *r, const struct value *v, int spelled)
{
	struct diag *diag =
	    diag_report(r->sink, DIAG_GARDENER_MODE_DECIMAL, value_position(v),
	                "permissions %d is the mode %#o: the leading 0 may be missing",
	                (int)v->integer, (unsigned)v->integer);

	diag_set_help(r->sink, diag, "write %#o, or %d in JSON", (unsigned)spelled, spelled);
}

static int refuse_mode(struct reader *r, const struct value *v, int spelled)
{
	struct diag *diag = diag_report(r->sink, DIAG_GARDENER_MODE, value_position(v),
	                                "permissions must be a number from 0 to 07777");

	if (value_is_string(v))
		diag_set_help(r->sink, diag, "write it without quotes: 0644");
	else if (spelled >= 0)
		diag_set_help(r->sink, diag, "did you mean %#o, with a leading 0?",
		              (unsigned)spelled);
	else
		diag_set_help(r->sink, diag, "write it as chmod takes it, with a leading 0: 0644");
	r->failed = true;
	return NODE_MODE_ABSENT;
}

static int read_mode(struct reader *r, const struct value *v)
{
	int spelled;

	if (value_is_null(v))
		return NODE_MODE_ABSENT;
	if (!value_is(v, KIND_INT64))
		return refuse_mode(r, v, -1);
	spelled = spelled_mode(v->integer);
	if (v->integer < 0 || v->integer > MODE_MAX)
		return refuse_mode(r, v, spelled);
	if (spelled >= 0 && is_decimal(v) && is_usual_mode(spelled) &&
	    !is_usual_mode((int)v->integer))
		warn_decimal(r, v, spelled);
	return (int)v->integer;
}

/* ---- files ------------------------------------------------------------------------------- */

static void warn_encoding(struct reader *r, const struct value *inline_)
{
	struct diag *diag = diag_report(r->sink, DIAG_GARDENER_SPELLING, value_position(inline_),
	                                "inline data without encoding is read as plain text");

	diag_set_help(r->sink, diag, "add encoding: \"\"");
}

static void warn_file_encoding(struct reader *r, const struct value_entry *entry)
{
	struct diag *diag =
	    diag_report(r->sink, DIAG_GARDENER_SPELLING, origin_position(entry->key_origin),
	                "encoding beside content has no effect");

	diag_set_help(
	    r->sink, diag,
	    "remove it: bytes of a Secret are written unchanged, and inline has its own encoding");
}

static void read_inline(struct reader *r, struct gardener_file *file)
{
	const struct value *encoding = value_map_get(file->inline_, SV("encoding"));

	file->encoding = value_string(SV(""));
	if (value_is_null(encoding))
		warn_encoding(r, file->inline_);
	else
		file->encoding = osc_text(file->inline_, SV("encoding"));
}

static void read_osc_file(struct reader *r, const struct value *root, struct gardener_file *file)
{
	const struct value *content = map_of(root, SV("content"));
	const struct value *clear = value_map_get(content, SV("transmitUnencoded"));
	const struct value_entry *encoding = value_map_find(root, SV("encoding"));

	*file = (struct gardener_file){
	    .root = root,
	    .path = osc_text(root, SV("path")),
	    .mode = read_mode(r, value_map_get(root, SV("permissions"))),
	    .is_transparent = value_is(clear, KIND_BOOL) && clear->boolean,
	    .inline_ = map_of(content, SV("inline")),
	    .secret = map_of(content, SV("secretRef")),
	    .image = map_of(content, SV("imageRef")),
	};
	if (r->contract == GARDENER_CURRENT)
		file->host_name = osc_text(root, SV("hostName"));
	if (encoding)
		warn_file_encoding(r, encoding);
	if (file->inline_)
		read_inline(r, file);
}

static void read_files(struct reader *r, const struct value *list, struct gardener_osc *osc)
{
	size_t count = count_of(list);

	osc->files = ARENA_ARRAY(r->arena, struct gardener_file, count + 1);
	for (size_t i = 0; i < count; i++)
		if (value_is_map(value_item(list, i)))
			read_osc_file(r, value_item(list, i), &osc->files[osc->file_count++]);
}

/* ---- units ------------------------------------------------------------------------------- */

enum node_enable gardener_enable(const struct value *v)
{
	if (!value_is(v, KIND_BOOL))
		return NODE_ENABLE_UNSAID;
	return v->boolean ? NODE_ENABLE_YES : NODE_ENABLE_NO;
}

static void read_drop_ins(struct reader *r, const struct value *list, struct gardener_unit *unit)
{
	size_t count = count_of(list);

	unit->drop_ins = ARENA_ARRAY(r->arena, struct gardener_drop_in, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct value *item = value_item(list, i);

		if (value_is_map(item))
			unit->drop_ins[unit->drop_in_count++] = (struct gardener_drop_in){
			    osc_text(item, SV("name")), osc_text(item, SV("content"))};
	}
}

static void read_file_paths(struct reader *r, const struct value *list, struct gardener_unit *unit)
{
	size_t count = r->contract == GARDENER_CURRENT ? count_of(list) : 0;

	unit->file_paths = ARENA_ARRAY(r->arena, struct value, count + 1);
	for (size_t i = 0; i < count; i++)
		if (value_is_string(value_item(list, i)))
			unit->file_paths[unit->file_path_count++] = *value_item(list, i);
}

static void read_units(struct reader *r, const struct value *list, struct gardener_osc *osc)
{
	size_t count = count_of(list);

	osc->units = ARENA_ARRAY(r->arena, struct gardener_unit, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct value *root = value_item(list, i);
		struct gardener_unit *unit = &osc->units[osc->unit_count];

		if (!value_is_map(root))
			continue;
		osc->unit_count++;
		*unit = (struct gardener_unit){
		    .root = root,
		    .name = osc_text(root, SV("name")),
		    .command = osc_text(root, SV("command")),
		    .enable = gardener_enable(value_map_get(root, SV("enable"))),
		    .content = osc_text(root, SV("content")),
		};
		read_drop_ins(r, value_map_get(root, SV("dropIns")), unit);
		read_file_paths(r, value_map_get(root, SV("filePaths")), unit);
	}
}

/* ---- the spec ---------------------------------------------------------------------------- */

/* Returns the purpose that Gardener gives to OSCs of such a name, or an empty string. */
static sv suggested_purpose(sv name)
{
	static const struct {
		sv ending;
		enum gardener_purpose purpose;
	} endings[] = {
	    {SV_INIT("-init"), GARDENER_PROVISION},
	    {SV_INIT("-downloader"), GARDENER_PROVISION},
	    {SV_INIT("-original"), GARDENER_RECONCILE},
	};

	for (size_t i = 0; i < COUNT_OF(endings); i++)
		if (sv_ends_with(name, endings[i].ending))
			return gardener_purpose_name(endings[i].purpose);
	return SV("");
}

static void report_no_purpose(struct reader *r, const struct value *spec, const struct value *given,
                              const struct gardener_osc *osc)
{
	sv suggested = suggested_purpose(osc->object->id.name);
	struct diag *diag = diag_report(
	    r->sink, DIAG_GARDENER_SCHEMA,
	    value_position(given && given->origin.source ? given : spec), "spec.purpose %s",
	    value_is_null(given) ? "is missing" : "must not be empty");

	if (sv_empty(suggested))
		diag_set_help(r->sink, diag,
		              "write purpose: provision for new nodes, or purpose: reconcile for "
		              "running ones");
	else
		diag_set_help(r->sink, diag,
		              "purpose is provision or reconcile; in Gardener a name with this "
		              "ending has purpose %.*s",
		              SV_ARG(suggested));
	r->failed = true;
}

/* COMPAT: gardenadm's OSCs for machines that Gardener does not create have an empty type. */
static void check_type(struct reader *r, const struct gardener_osc *osc)
{
	bool may_be_empty = r->contract == GARDENER_CURRENT && osc->purpose == GARDENER_RECONCILE;

	if (!osc->type.type || !sv_empty(osc->type.string) || may_be_empty)
		return;
	struct diag *diag = diag_report(r->sink, DIAG_GARDENER_SCHEMA, value_position(&osc->type),
	                                "spec.type must not be empty");
	diag_set_help(r->sink, diag, "set it: user-data depends on the operating system");
	r->failed = true;
}

static void read_purpose(struct reader *r, const struct value *spec, struct gardener_osc *osc)
{
	const sv names[] = {gardener_purpose_name(GARDENER_PROVISION),
	                    gardener_purpose_name(GARDENER_RECONCILE)};
	struct value given = osc_text(spec, SV("purpose"));

	/* Without a valid purpose, check the rules of the one with fewer rules. */
	osc->purpose = GARDENER_RECONCILE;
	if (sv_empty(value_text(&given))) {
		const struct value *written = value_map_get(spec, SV("purpose"));

		/* osc_shape.c reports another type. */
		if (spec && (value_is_null(written) || value_is_string(written)))
			report_no_purpose(r, spec, written, osc);
		return;
	}
	if (sv_eq(given.string, names[GARDENER_RECONCILE]))
		return;
	if (sv_eq(given.string, names[GARDENER_PROVISION])) {
		osc->purpose = GARDENER_PROVISION;
		return;
	}
	sv nearest = diag_nearest(given.string, names, COUNT_OF(names));
	struct diag *diag = diag_report(r->sink, DIAG_GARDENER_SCHEMA, value_position(&given),
	                                "spec.purpose cannot be \"%.*s\"", SV_ARG(given.string));
	diag_help_quoted(r->sink, diag, nearest, "use provision or reconcile");
	r->failed = true;
}

static void read_cri(struct reader *r, const struct value *spec, struct gardener_osc *osc)
{
	const struct value_entry *spelled = value_map_find(spec, SV("cri"));
	struct diag *diag;
	struct value name;

	osc->cri = map_of(spec, SV("criConfig"));
	if (spelled && osc->cri && !value_equal(&spelled->value, osc->cri)) {
		diag = diag_report(r->sink, DIAG_GARDENER_CRI, origin_position(spelled->key_origin),
		                   "spec.cri and spec.criConfig differ");
		diag_add_note(r->sink, diag, value_position(osc->cri), "criConfig is here");
		diag_set_help(r->sink, diag, "remove cri");
		r->failed = true;
	} else if (spelled) {
		diag = diag_report(r->sink, DIAG_GARDENER_SPELLING,
		                   origin_position(spelled->key_origin),
		                   "spec.cri is read as spec.criConfig");
		diag_set_help(r->sink, diag, osc->cri ? "remove cri" : "rename it to criConfig");
		if (!osc->cri)
			osc->cri = map_of(spec, SV("cri"));
	}
	name = osc_text(osc->cri, SV("name"));
	osc->cri_name = value_text(&name);
}

enum status gardener_osc_read(struct arena *arena, struct sink *sink,
                              const struct kube_object *object, enum gardener_contract contract,
                              struct gardener_osc *ret_osc)
{
	struct reader r = {arena, sink, contract, false};
	const struct value *spec = map_of(object->root, SV("spec"));
	struct gardener_osc osc = {
	    .object = object,
	    .type = osc_text(spec, SV("type")),
	    .provider_config = map_of(spec, SV("providerConfig")),
	};

	if (gardener_osc_check(arena, sink, object->root, contract) != STATUS_OK)
		r.failed = true;
	if (contract == GARDENER_2021)
		osc.reload_path = osc_text(spec, SV("reloadConfigFilePath"));
	else
		osc.in_place_updates = map_of(spec, SV("inPlaceUpdates"));
	read_purpose(&r, spec, &osc);
	check_type(&r, &osc);
	read_cri(&r, spec, &osc);
	read_files(&r, value_map_get(spec, SV("files")), &osc);
	read_units(&r, value_map_get(spec, SV("units")), &osc);
	*ret_osc = osc;
	return r.failed ? STATUS_FAILED : STATUS_OK;
}

void gardener_osc_read_extension(struct arena *arena, struct sink *sink,
                                 const struct kube_object *object, struct gardener_osc *ret_osc)
{
	struct reader r = {arena, sink, GARDENER_CURRENT, false};
	const struct value *status = map_of(object->root, SV("status"));
	struct gardener_osc osc = {.object = object, .purpose = GARDENER_RECONCILE};

	osc.in_place_updates = map_of(status, SV("inPlaceUpdates"));
	read_files(&r, value_map_get(status, SV("extensionFiles")), &osc);
	read_units(&r, value_map_get(status, SV("extensionUnits")), &osc);
	*ret_osc = osc;
}
