/*
 * Finds duplicates that Ignition 2.3.0 allows but that stop a Flatcar machine on its first boot:
 * since 3185.0.0 Flatcar translates version 2 to version 3, which allows each path, and each
 * drop-in of a unit, only once (docs/spec/userdata.md 3.5).
 */
#include "diag/diag.h"
#include "userdata/ignition.h"

#define UNITS "/etc/systemd/system/"

/*
 * Returns true if the file or unit comes from a profile. Those that the controller adds itself
 * (registry mirrors, the machine's name) have no source.
 */
static bool is_of_profile(const struct value *name)
{
	return name->origin.source != NULL;
}

static struct position place_of_name(const struct value *name, const struct value *other)
{
	return value_position(is_of_profile(name) ? name : other);
}

static void add_other(struct ignition_boot *b, struct diag *diag, const struct value *name,
                      const struct value *other)
{
	const struct value *unseen = is_of_profile(name) ? other : name;

	if (is_of_profile(unseen))
		diag_add_note(b->sink, diag, value_position(unseen), "the other one is here");
	else
		diag_add_note(b->sink, diag, NOWHERE, "the other one is the controller's own: %s",
		              sv_eq_cstr(value_text(unseen), IGNITION_MACHINE_NAME_PATH)
		                  ? "the machine's name"
		                  : "a registry's mirror");
}

/* Returns the absolute path without ".", ".." and empty parts, as Flatcar's translator has it. */
static sv clean_path(struct arena *arena, sv path)
{
	struct sv_splitter it = sv_split(path, '/');
	struct buf out = buf_in(arena);
	sv part;

	while (sv_split_next(&it, &part)) {
		size_t last = sv_rfind_char(buf_sv(&out), '/');

		if (sv_empty(part) || sv_eq_cstr(part, "."))
			continue;
		if (sv_eq_cstr(part, "..")) {
			out.len = last == SV_NPOS ? 0 : last;
			continue;
		}
		buf_add(&out, SV("/"));
		buf_add(&out, part);
	}
	return out.len > 0 ? buf_sv(&out) : SV("/");
}

struct ignition_boot ignition_boot_in(struct arena *arena, struct sink *sink)
{
	return (struct ignition_boot){
	    .arena = arena,
	    .sink = sink,
	    .files = map_in(arena),
	    .units = map_in(arena),
	    .unit_files = map_in(arena),
	    .drop_ins = map_in(arena),
	};
}

void ignition_boot_file(struct ignition_boot *b, sv path, const struct value *name)
{
	sv clean = clean_path(b->arena, path);
	const struct value *other = map_get(&b->files, clean);

	if (!other) {
		map_put(&b->files, clean, (void *)name);
		return;
	}
	struct diag *diag = diag_report(
	    b->sink, DIAG_IGNITION_PATH_TWICE, place_of_name(name, other),
	    "file %.*s is given twice: Flatcar stops at it on the first boot", SV_ARG(clean));
	add_other(b, diag, name, other);
	diag_set_help(b->sink, diag, "remove one of them, or give them different paths");
	b->failed = true;
}

void ignition_boot_unit(struct ignition_boot *b, sv unit, const struct value *name, bool has_text)
{
	const struct value *other = map_get(&b->units, unit);

	b->unit = unit;
	b->drop_ins = map_in(b->arena);
	if (has_text)
		map_put(&b->unit_files,
		        clean_path(b->arena, ARENA_CONCAT(b->arena, SV(UNITS), unit)),
		        (void *)name);
	if (!other) {
		map_put(&b->units, unit, (void *)name);
		return;
	}
	struct diag *diag = diag_report(
	    b->sink, DIAG_IGNITION_UNIT_TWICE, place_of_name(name, other),
	    "unit %.*s is given twice: Flatcar makes one of both, before 3227.2.3 it stops at it",
	    SV_ARG(unit));
	add_other(b, diag, name, other);
	diag_set_help(b->sink, diag, "merge them into one unit");
}

void ignition_boot_drop_in(struct ignition_boot *b, sv drop_in, const struct value *name,
                           bool has_text)
{
	const struct value *other = map_get(&b->drop_ins, drop_in);

	if (has_text)
		map_put(&b->unit_files,
		        clean_path(b->arena,
		                   ARENA_CONCAT(b->arena, SV(UNITS), b->unit, SV(".d/"), drop_in)),
		        (void *)name);
	if (!other) {
		map_put(&b->drop_ins, drop_in, (void *)name);
		return;
	}
	struct diag *diag =
	    diag_report(b->sink, DIAG_IGNITION_DROP_IN_TWICE, place_of_name(name, other),
	                "drop-in %.*s of unit %.*s is given twice: Flatcar stops at it on the "
	                "first boot",
	                SV_ARG(drop_in), SV_ARG(b->unit));
	add_other(b, diag, name, other);
	diag_set_help(b->sink, diag, "merge them into one drop-in, or give them different names");
	b->failed = true;
}

/* Reports a file at a path that must be a folder of `path`. */
static void check_parents(struct ignition_boot *b, sv path, const struct value *name)
{
	for (size_t end = path.len;
	     (end = sv_rfind_char(sv_slice(path, 0, end), '/')) != SV_NPOS;) {
		sv parent = end == 0 ? SV("/") : sv_slice(path, 0, end);
		const struct value *other = path.len > 1 ? map_get(&b->files, parent) : NULL;

		if (!other)
			continue;
		struct diag *diag =
		    diag_report(b->sink, DIAG_IGNITION_BELOW_FILE, place_of_name(name, other),
		                "%.*s is below %.*s, which is a file: Flatcar stops at it on "
		                "the first boot",
		                SV_ARG(path), SV_ARG(parent));
		add_other(b, diag, name, other);
		diag_set_help(b->sink, diag, "give one of them another path");
		b->failed = true;
		return;
	}
}

bool ignition_boot_good(struct ignition_boot *b)
{
	for (size_t i = 0; i < b->files.count; i++) {
		const struct value *name = b->files.entries[i].value;
		sv path = b->files.entries[i].key;
		const struct value *unit = map_get(&b->unit_files, path);

		check_parents(b, path, name);
		if (!unit)
			continue;
		struct diag *diag =
		    diag_report(b->sink, DIAG_IGNITION_PATH_TWICE, place_of_name(name, unit),
		                "file %.*s is also that of a unit or drop-in with content: Flatcar "
		                "stops at it on the first boot",
		                SV_ARG(path));
		add_other(b, diag, name, unit);
		diag_set_help(b->sink, diag,
		              "remove the file, or the content of the unit or drop-in");
		b->failed = true;
	}
	for (size_t i = 0; i < b->unit_files.count; i++)
		check_parents(b, b->unit_files.entries[i].key, b->unit_files.entries[i].value);
	return !b->failed;
}
