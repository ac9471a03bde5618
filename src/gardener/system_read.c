/*
 * The stages of an OperatingSystemExtension: provision, reconcile.
 */
#include "gardener/system.h"

/* ---- members that only some formats have ------------------------------------------------- */

static bool runs_commands(const struct userdata_format *format)
{
	return format &&
	       (sv_eq(format->name, SV("bash")) || sv_eq(format->name, SV("cloud-config")));
}

static void refuse_member(struct system_reader *r, const struct value *map, const char *key,
                          const char *reason)
{
	system_refuse(r, value_map_get(map, sv_from_cstr(key)), key, reason);
}

static void check_members(struct system_reader *r, const struct value *map,
                          const struct userdata_format *format)
{
	static const char *const of_scripts[] = {"before", "after", "start"};

	for (size_t i = 0; !runs_commands(format) && i < COUNT_OF(of_scripts); i++)
		refuse_member(r, map, of_scripts[i], "the format runs no commands");
	if (!runs_commands(format))
		refuse_member(r, map, "multipart",
		              "only user-data that cloud-init reads can be a MIME part");
	if (!sv_eq(format->name, SV("bash")))
		refuse_member(r, map, "once", "only a script can be applied twice");
	if (!sv_eq(format->name, SV("cloud-config")))
		refuse_member(r, map, "cloudInit", "only the format cloud-config has such members");
	if (!sv_eq(format->name, SV("coreos-cloud-config")))
		refuse_member(r, map, "rebootStrategy",
		              "only the format coreos-cloud-config has one");
}

static void read_format(struct system_reader *r, const struct value *map, sv format,
                        struct system_stage *stage)
{
	const struct value *given = value_map_get(map, SV("format"));

	if (!given)
		return;
	stage->format = userdata_format_find(given->string);
	check_members(r, map, stage->format);
	if (sv_empty(format) || sv_eq(given->string, format))
		return;
	struct diag *diag =
	    system_report(r, value_position(given), "format must be %.*s here", SV_ARG(format));
	diag_set_help(r->schema.sink, diag,
	              "write the other form as the document's own provision and reconcile");
}

/* ---- parts of a stage -------------------------------------------------------------------- */

static void read_start(struct system_reader *r, const struct value *start,
                       struct system_stage *stage)
{
	const struct value *except = value_map_get(start, SV("except"));

	/* Only scripts start units; other formats have members of each unit for it. */
	stage->is_script = runs_commands(stage->format);
	stage->starts_spec_units =
	    stage->is_script && !sv_eq(value_text(value_map_get(start, SV("units"))), SV("none"));
	stage->start_no_block = system_is_true(start, "noBlock");
	stage->start_except = ARENA_ARRAY(r->schema.arena, sv, value_count(except) + 1);
	for (size_t i = 0; i < value_count(except); i++) {
		const struct value *item = value_item(except, i);
		const char *mistake = system_unit_mistake(item->string);

		if (!mistake) {
			stage->start_except[stage->start_except_count++] = item->string;
			continue;
		}
		struct diag *diag =
		    system_report(r, value_position(item), "the name of a unit %s", mistake);
		diag_set_help(r->schema.sink, diag, "write the whole name, such as docker.service");
	}
}

static void read_update(struct system_reader *r, const struct value *update,
                        struct system_stage *stage)
{
	const struct value *args = value_map_get(update, SV("args"));

	stage->update_command =
	    system_text_read(r, value_map_get(update, SV("command")), "inPlaceUpdate.command");
	stage->update_when =
	    system_text_read(r, value_map_get(update, SV("when")), "inPlaceUpdate.when");
	stage->update_args =
	    ARENA_ARRAY(r->schema.arena, struct system_text, value_count(args) + 1);
	for (size_t i = 0; i < value_count(args); i++)
		stage->update_args[stage->update_arg_count++] =
		    system_text_read(r, value_item(args, i), "inPlaceUpdate.args");
}

void system_stage_read(struct system_reader *r, const struct value *map, sv format,
                       struct system_stage *stage)
{
	const struct value *strategy = value_map_get(map, SV("rebootStrategy"));
	const struct value *driver = value_map_get(map, SV("cgroupDriver"));

	*stage = (struct system_stage){
	    .once = system_is_true(map, "once"),
	    .enable_default = gardener_enable(value_map_get(map, SV("enableUnits"))),
	    .reboot_strategy = strategy ? *strategy : VALUE_INVALID,
	    .cgroup_driver = driver ? *driver : VALUE_INVALID,
	};
	if (!map)
		return;
	read_format(r, map, format, stage);
	system_files_read(r, value_map_get(map, SV("files")), stage);
	system_units_read(r, value_map_get(map, SV("units")), stage);
	system_links_read(r, value_map_get(map, SV("links")), stage);
	system_parts_read(r, value_map_get(map, SV("multipart")), stage);
	stage->before = system_text_read(r, value_map_get(map, SV("before")), "before");
	stage->after = system_text_read(r, value_map_get(map, SV("after")), "after");
	read_start(r, value_map_get(map, SV("start")), stage);
	stage->cloud_init = system_text_read(r, value_map_get(map, SV("cloudInit")), "cloudInit");
	read_update(r, value_map_get(map, SV("inPlaceUpdate")), stage);
}
