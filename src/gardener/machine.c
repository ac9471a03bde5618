/*
 * Makes the node configuration and the user-data from an OSC and the rendered stage of its system.
 */
#include "codec/codec.h"
#include "gardener/flow/flow.h"

struct assembly {
	struct arena *arena;
	struct sink *sink;
	const struct gardener_osc *osc;
	const struct gardener_stage *stage;
};

static struct value text_or_empty(const struct value *v)
{
	return v->type ? *v : value_string(SV(""));
}

/* Adds files, except those from images, which only gardener-node-agent can write. */
static void add_machine_files(const struct assembly *a, struct node_config *node)
{
	const struct gardener_stage *stage = a->stage;
	size_t count = stage->file_count + a->osc->file_count;
	struct node_file *files = ARENA_ARRAY(a->arena, struct node_file, count + 1);
	size_t n = 0;

	for (size_t i = 0; i < stage->files_before; i++)
		files[n++] = stage->files[i];
	for (size_t i = 0; i < a->osc->file_count; i++) {
		const struct gardener_file *file = &a->osc->files[i];

		if (!file->content.type)
			continue;
		files[n++] = (struct node_file){
		    .path = file->path,
		    .mode = file->mode,
		    .content = file->content,
		    .is_transparent = file->is_transparent,
		};
	}
	for (size_t i = stage->files_before; i < stage->file_count; i++)
		files[n++] = stage->files[i];
	node->files = files;
	node->file_count = n;
}

static struct node_unit unit_of(const struct assembly *a, const struct gardener_unit *from)
{
	struct node_unit unit = {
	    .name = from->name,
	    .enable = from->enable == NODE_ENABLE_UNSAID ? a->stage->enable_default : from->enable,
	    .command = value_text(&from->command),
	    .content = from->content,
	    .drop_ins = ARENA_ARRAY(a->arena, struct node_drop_in, from->drop_in_count + 1),
	    .drop_in_count = from->drop_in_count,
	};

	for (size_t i = 0; i < from->drop_in_count; i++)
		unit.drop_ins[i] =
		    (struct node_drop_in){from->drop_ins[i].name, from->drop_ins[i].content};
	return unit;
}

static void add_machine_units(const struct assembly *a, struct node_config *node)
{
	const struct gardener_stage *stage = a->stage;
	size_t count = stage->unit_count + a->osc->unit_count;
	struct node_unit *units = ARENA_ARRAY(a->arena, struct node_unit, count + 1);
	size_t n = 0;

	for (size_t i = 0; i < stage->units_before; i++)
		units[n++] = stage->units[i];
	for (size_t i = 0; i < a->osc->unit_count; i++)
		units[n++] = unit_of(a, &a->osc->units[i]);
	for (size_t i = stage->units_before; i < stage->unit_count; i++)
		units[n++] = stage->units[i];
	node->units = units;
	node->unit_count = n;
}

static bool is_excepted(const struct gardener_stage *stage, sv name)
{
	for (size_t i = 0; i < stage->start_except_count; i++)
		if (sv_eq(stage->start_except[i], name))
			return true;
	return false;
}

/*
 * Warns about a unit that is to be off. COMPAT: scripts of Gardener's extensions enable and start
 * each unit of the OSC.
 */
static void check_is_on(const struct assembly *a, const struct gardener_unit *unit)
{
	bool is_stopped = sv_eq(value_text(&unit->command), SV("stop"));
	struct diag *diag;

	if (unit->enable != NODE_ENABLE_NO && !is_stopped)
		return;
	diag = diag_report(a->sink, DIAG_GARDENER_UNIT_STARTS,
	                   value_position(is_stopped ? &unit->command : &unit->name),
	                   "the script of type \"%.*s\" enables and starts unit \"%.*s\", although "
	                   "it has %s",
	                   SV_ARG(value_text(&a->osc->type)), SV_ARG(unit->name.string),
	                   is_stopped ? "command: stop" : "enable: false");
	diag_set_help(a->sink, diag,
	              "remove the unit; `mask: true` in a document of your own keeps a unit of the "
	              "image off");
}

/* Adds what the system's document asks for: only the members that a unit has. */
static size_t add_own_starts(const struct assembly *a, size_t from, size_t to,
                             struct node_start *starts)
{
	size_t count = 0;

	for (size_t i = from; i < to; i++) {
		const struct node_unit *unit = &a->stage->units[i];
		struct node_start start = {.name = unit->name,
		                           .no_block = a->stage->start_no_block};

		if (unit->enable != NODE_ENABLE_UNSAID)
			start.enable_verb = unit->enable == NODE_ENABLE_YES ? "enable" : "disable";
		if (!sv_empty(unit->command))
			start.run_verb = sv_eq(unit->command, SV("stop")) ? "stop" : "restart";
		if (!unit->mask && (start.enable_verb || start.run_verb))
			starts[count++] = start;
	}
	return count;
}

/* Returns null if there is nothing to run. */
static const struct node_script *make_script(const struct assembly *a,
                                             const struct gardener_settings *settings,
                                             const struct dialect_job *job)
{
	/* The execution script restarts units that changed; user-data would restart all. */
	bool starts_units =
	    a->stage->starts_spec_units && !gardener_flow_has(settings, a->osc->object);
	const struct gardener_stage *stage = a->stage;
	struct node_start *starts =
	    ARENA_ARRAY(a->arena, struct node_start, a->osc->unit_count + stage->unit_count + 1);
	struct node_script *script = ARENA_NEW(a->arena, struct node_script);
	size_t count = stage->is_script ? add_own_starts(a, 0, stage->units_before, starts) : 0;

	for (size_t i = 0; starts_units && i < a->osc->unit_count; i++) {
		const struct value *name = &a->osc->units[i].name;

		if (is_excepted(stage, name->string))
			continue;
		check_is_on(a, &a->osc->units[i]);
		starts[count++] =
		    (struct node_start){.name = *name, .no_block = stage->start_no_block};
	}
	if (stage->is_script)
		count += add_own_starts(a, stage->units_before, stage->unit_count, starts + count);
	*script = (struct node_script){
	    .before = text_or_empty(&stage->before),
	    .after = text_or_empty(&stage->after),
	    .starts = starts,
	    .start_count = count,
	    .once = stage->once,
	    .settles = job->cluster->contract >= 2,
	};
	return count > 0 || stage->once || !sv_empty(script->before.string) ||
	               !sv_empty(script->after.string)
	           ? script
	           : NULL;
}

/* Wraps the user-data into a MIME document after the parts of the system, if it has any. */
static struct value wrap(const struct assembly *a, struct value text)
{
	const struct gardener_stage *stage = a->stage;
	struct userdata_part *parts =
	    ARENA_ARRAY(a->arena, struct userdata_part, stage->part_count + 1);

	if (stage->part_count == 0)
		return text;
	for (size_t i = 0; i < stage->part_count; i++)
		parts[i] = stage->parts[i];
	parts[stage->part_count] = (struct userdata_part){stage->part_type, text};
	return userdata_multipart(a->arena, parts, stage->part_count + 1);
}

static enum status check_size(const struct assembly *a, const struct gardener_settings *settings,
                              const struct dialect_job *job, struct gardener_machine *ret_machine)
{
	struct position at = kube_object_position(a->osc->object);
	struct userdata_budget budget = *userdata_budget_find(SV(GARDENER_BUDGET), SV(""));
	const struct value *own = value_map_get(&settings->user_data_limits, SV(GARDENER_BUDGET));
	bool is_limited = a->osc->purpose == GARDENER_PROVISION;
	sv text = ret_machine->user_data.string;

	if (own) {
		is_limited &= own->integer > 0;
		budget.limit = (size_t)own->integer;
		budget.assumed = false;
		budget.source = "the setting userDataLimits";
	}
	budget.multiple = job->round_lengths;
	ret_machine->user_data_limit = is_limited ? budget.limit : USERDATA_SECRET_BYTES;
	enum status status =
	    userdata_check_secret(a->sink, "user-data", text, job->round_lengths, at);
	status |= userdata_check_budget(a->arena, a->sink, is_limited ? &budget : NULL, text, at,
	                                &ret_machine->user_data_bytes);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* The digest of a secret would confirm guesses: it is a keyed one (struct gardener_machine). */
static sv user_data_mark(const struct assembly *a, const struct dialect_job *job,
                         const struct value *text)
{
	const struct secret secret = {.name = SV("user-data"), .text = text->string};
	uint8_t fingerprint[SECRECY_FINGERPRINT_SIZE];
	struct buf mark = buf_in(a->arena);

	if (!secrecy_find(text))
		return ARENA_CONCAT(a->arena, SV("sha256:"),
		                    digest_hex(a->arena, DIGEST_SHA256, text->string));
	if (!job->redaction || !job->redaction->fingerprint)
		return secrecy_mark(a->arena, secret.name);
	job->redaction->fingerprint(job->redaction->context, &secret, fingerprint);
	BUF_ADD_LIT(&mark, "<sealed:user-data#");
	for (size_t i = 0; i < sizeof(fingerprint); i++)
		buf_printf(&mark, "%02x", fingerprint[i]);
	BUF_ADD_LIT(&mark, ">");
	return buf_sv(&mark);
}

enum status
gardener_machine_make(struct arena *arena, struct sink *sink, const struct gardener_osc *osc,
                      const struct gardener_stage *stage, const struct gardener_settings *settings,
                      const struct dialect_job *job, struct gardener_machine *ret_machine)
{
	const struct assembly a = {arena, sink, osc, stage};
	struct node_config *node = ARENA_NEW(arena, struct node_config);
	struct gardener_machine machine = {.node = node};

	*node = (struct node_config){
	    .hostname = value_string(SV("")),
	    .links = stage->links,
	    .link_count = stage->link_count,
	    .script = make_script(&a, settings, job),
	    .cloud_config = text_or_empty(&stage->cloud_init),
	    .reboot_strategy = text_or_empty(&stage->reboot_strategy),
	};
	add_machine_files(&a, node);
	add_machine_units(&a, node);
	if (stage->format) {
		struct value text;

		if (stage->format->write(arena, sink, node, &text) != STATUS_OK)
			return STATUS_FAILED;
		machine.user_data = wrap(&a, text);
		if (check_size(&a, settings, job, &machine) != STATUS_OK)
			return STATUS_FAILED;
		machine.user_data_mark = user_data_mark(&a, job, &machine.user_data);
	}
	*ret_machine = machine;
	return STATUS_OK;
}
