/*
 * The stages of an OperatingSystemExtension: provision, reconcile.
 */
#include "gardener/system.h"

/* ---- members that only some stages have -------------------------------------------------- */

static bool is_script(const struct userdata_format *format)
{
	return format &&
	       (sv_eq(format->name, SV("bash")) || sv_eq(format->name, SV("cloud-config")));
}

/* Reports a member that the stage cannot use. */
static void refuse(struct system_reader *r, const struct value *map, const char *key,
                   const char *reason)
{
	const struct value *v = value_map_get(map, sv_from_cstr(key));

	if (value_is_null(v))
		return;
	struct diag *diag =
	    system_report(r, value_position(v), "%s is not allowed here: %s", key, reason);
	diag_set_help(r->schema.sink, diag, "remove it");
}

static void check_members(struct system_reader *r, const struct value *map,
                          enum gardener_purpose purpose, const struct system_stage *stage)
{
	static const char *const of_user_data[] = {"once",        "links",     "multipart",
	                                           "before",      "after",     "start",
	                                           "enableUnits", "cloudInit", "rebootStrategy"};
	static const char *const of_scripts[] = {"before", "after", "start"};
	bool is_status = r->contract == GARDENER_CURRENT && purpose == GARDENER_RECONCILE;
	sv name = stage->format ? stage->format->name : SV("");

	for (size_t i = 0; is_status && i < COUNT_OF(of_user_data); i++)
		refuse(r, map, of_user_data[i],
		       "under contract current, gardener-node-agent applies files and units, and "
		       "nothing else");
	if (!is_status) {
		refuse(r, map, "inPlaceUpdate",
		       "only reconcile under contract current has a status for it");
		refuse(r, map, "cgroupDriver",
		       "only gardener-node-agent, under contract current, configures containerd");
	}
	if (!stage->format)
		return;
	for (size_t i = 0; !is_script(stage->format) && i < COUNT_OF(of_scripts); i++)
		refuse(r, map, of_scripts[i], "the format runs no commands");
	if (!is_script(stage->format))
		refuse(r, map, "multipart",
		       "only user-data that cloud-init reads can be a MIME part");
	if (!sv_eq(name, SV("bash")))
		refuse(r, map, "once", "only a script can be applied twice");
	if (!sv_eq(name, SV("cloud-config")))
		refuse(r, map, "cloudInit", "only the format cloud-config has such members");
	if (!sv_eq(name, SV("coreos-cloud-config")))
		refuse(r, map, "rebootStrategy", "only the format coreos-cloud-config has one");
}

static void read_format(struct system_reader *r, const struct value *map,
                        enum gardener_purpose purpose, sv format, struct system_stage *stage)
{
	bool is_status = r->contract == GARDENER_CURRENT && purpose == GARDENER_RECONCILE;
	struct value given = schema_string(&r->schema, map, "format", !is_status);
	size_t count;
	const struct userdata_format *formats = userdata_formats(&count);
	sv *words = ARENA_ARRAY(r->schema.arena, sv, count);

	if (!given.type)
		return;
	if (is_status) {
		refuse(r, map, "format",
		       "under contract current, reconcile has no user-data; its files and units "
		       "are in the status");
		return;
	}
	for (size_t i = 0; i < count; i++)
		words[i] = formats[i].name;
	schema_enum(&r->schema, &given, "format", words, count);
	stage->format = userdata_format_find(given.string);
	if (sv_empty(format) || !stage->format || sv_eq(given.string, format))
		return;
	struct diag *diag =
	    system_report(r, value_position(&given), "format must be %.*s here", SV_ARG(format));
	diag_set_help(r->schema.sink, diag,
	              "write the other form as the document's own provision and reconcile");
}

/* ---- parts of a stage -------------------------------------------------------------------- */

static void read_start(struct system_reader *r, const struct value *map, struct system_stage *stage)
{
	static const sv names[] = {SV_INIT("units"), SV_INIT("except"), SV_INIT("noBlock")};
	static const sv choices[] = {SV_INIT("spec"), SV_INIT("none")};
	const struct value *start = schema_map(&r->schema, map, "start", false);

	/* Only scripts start units; other formats have members of each unit for it. */
	stage->is_script = is_script(stage->format);
	stage->starts_spec_units = stage->is_script;
	if (!start)
		return;
	schema_known(&r->schema, start, "start", names, COUNT_OF(names));
	struct value units = schema_string(&r->schema, start, "units", false);
	schema_enum(&r->schema, &units, "units of start", choices, COUNT_OF(choices));
	stage->starts_spec_units &= !sv_eq(value_text(&units), SV("none"));
	const struct value *no_block = schema_bool(&r->schema, start, "noBlock");
	stage->start_no_block = no_block && no_block->boolean;
	const struct value *except = schema_list(&r->schema, start, "except", false);
	stage->start_except = ARENA_ARRAY(r->schema.arena, sv, value_count(except) + 1);
	for (size_t i = 0; i < value_count(except); i++) {
		const struct value *item = value_item(except, i);
		const char *mistake = system_unit_mistake(value_text(item));

		if (!mistake) {
			stage->start_except[stage->start_except_count++] = item->string;
			continue;
		}
		struct diag *diag =
		    system_report(r, value_position(item), "the name of a unit %s", mistake);
		diag_set_help(r->schema.sink, diag, "write the whole name, such as docker.service");
	}
}

static void read_update(struct system_reader *r, const struct value *map,
                        struct system_stage *stage)
{
	static const sv names[] = {SV_INIT("command"), SV_INIT("args"), SV_INIT("when")};
	const struct value *update = schema_map(&r->schema, map, "inPlaceUpdate", false);

	if (!update)
		return;
	schema_known(&r->schema, update, "inPlaceUpdate", names, COUNT_OF(names));
	stage->update_command =
	    system_text_read(r, update, "command", true, "inPlaceUpdate.command");
	stage->update_when = system_text_read(r, update, "when", false, "inPlaceUpdate.when");
	const struct value *args = schema_list(&r->schema, update, "args", false);
	stage->update_args =
	    ARENA_ARRAY(r->schema.arena, struct system_text, value_count(args) + 1);
	for (size_t i = 0; i < value_count(args); i++) {
		struct value holder = value_map_new(r->schema.arena);

		value_map_set(r->schema.arena, &holder, SV("an argument"), *value_item(args, i));
		stage->update_args[stage->update_arg_count++] =
		    system_text_read(r, &holder, "an argument", true, "inPlaceUpdate.args");
	}
}

void system_stage_read(struct system_reader *r, const struct value *map,
                       enum gardener_purpose purpose, sv format, struct system_stage *stage)
{
	static const sv names[] = {
	    SV_INIT("format"),         SV_INIT("once"),          SV_INIT("files"),
	    SV_INIT("units"),          SV_INIT("links"),         SV_INIT("multipart"),
	    SV_INIT("before"),         SV_INIT("after"),         SV_INIT("start"),
	    SV_INIT("enableUnits"),    SV_INIT("inPlaceUpdate"), SV_INIT("cloudInit"),
	    SV_INIT("rebootStrategy"), SV_INIT("cgroupDriver"),
	};
	static const sv drivers[] = {SV_INIT("cgroupfs"), SV_INIT("systemd")};
	static const sv strategies[] = {SV_INIT("best-effort"), SV_INIT("etcd-lock"),
	                                SV_INIT("off"), SV_INIT("reboot")};
	struct schema *schema = &r->schema;
	sv where = gardener_purpose_name(purpose);

	*stage = (struct system_stage){0};
	if (!map)
		return;
	schema_known(schema, map, arena_cstr(schema->arena, where), names, COUNT_OF(names));
	read_format(r, map, purpose, format, stage);
	check_members(r, map, purpose, stage);
	const struct value *once = schema_bool(schema, map, "once");
	stage->once = once && once->boolean;
	system_files_read(r, schema_list(schema, map, "files", false), stage);
	system_units_read(r, schema_list(schema, map, "units", false), stage);
	system_links_read(r, schema_list(schema, map, "links", false), stage);
	system_parts_read(r, schema_list(schema, map, "multipart", false), stage);
	stage->before = system_text_read(r, map, "before", false, "before");
	stage->after = system_text_read(r, map, "after", false, "after");
	read_start(r, map, stage);
	const struct value *enable = schema_bool(schema, map, "enableUnits");
	stage->enable_default = !enable           ? NODE_ENABLE_UNSAID
	                        : enable->boolean ? NODE_ENABLE_YES
	                                          : NODE_ENABLE_NO;
	stage->cloud_init = system_text_read(r, map, "cloudInit", false, "cloudInit");
	stage->reboot_strategy = schema_string(schema, map, "rebootStrategy", false);
	schema_enum(schema, &stage->reboot_strategy, "rebootStrategy", strategies,
	            COUNT_OF(strategies));
	stage->cgroup_driver = schema_string(schema, map, "cgroupDriver", false);
	schema_enum(schema, &stage->cgroup_driver, "cgroupDriver", drivers, COUNT_OF(drivers));
	read_update(r, map, stage);
}
