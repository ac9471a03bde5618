/*
 * profiles show --effective: the profile that a MachineDeployment gets, extensions included, and
 * beside each line the file and line that it comes from.
 */
#include "commands.h"

#include "fleet/fleet.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"

/* ---- which one --------------------------------------------------------------------------- */

struct target {
	const struct fleet_cluster *cluster;
	const struct dialect_unit *unit;
	size_t count;
};

static bool is_named(struct arena *arena, sv wanted, sv cluster, const struct kube_id *id)
{
	sv name = ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);

	return sv_eq(wanted, name) || sv_eq(wanted, ARENA_CONCAT(arena, cluster, SV("/"), name));
}

static struct target find(struct context *context, const struct fleet *fleet, sv wanted)
{
	struct target found = {0};

	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];

		for (size_t k = 0; k < cluster->unit_count; k++) {
			const struct dialect_unit *unit = &cluster->units[k];

			if (!unit->definition || !unit->dialect->definition_artifact ||
			    !is_named(context->arena, wanted, cluster->name, &unit->object->id))
				continue;
			found = (struct target){cluster, unit, found.count + 1};
		}
	}
	return found;
}

static int report_target(struct context *context, const struct fleet *fleet, sv wanted,
                         const struct target *found)
{
	VEC(sv) names = {0};
	struct diag *diag;

	if (found->count > 1) {
		diag = diag_report(context->sink, DIAG_RENDER_TARGET, NOWHERE,
		                   "several clusters have a MachineDeployment \"%.*s\"",
		                   SV_ARG(wanted));
		diag_set_help(context->sink, diag, "put the cluster in front: %.*s/%.*s, ...",
		              SV_ARG(found->cluster->name), SV_ARG(wanted));
		return 2;
	}
	for (size_t i = 0; i < fleet->cluster_count; i++)
		for (size_t k = 0; k < fleet->clusters[i].unit_count; k++) {
			const struct kube_id *id = &fleet->clusters[i].units[k].object->id;
			sv name = ARENA_CONCAT(context->arena, id->namespace, SV("/"), id->name);

			VEC_PUSH(context->arena, &names, name);
			VEC_PUSH(
			    context->arena, &names,
			    ARENA_CONCAT(context->arena, fleet->clusters[i].name, SV("/"), name));
		}
	sv nearest = diag_nearest(wanted, names.items, names.count);
	diag = diag_report(context->sink, DIAG_RENDER_TARGET, NOWHERE,
	                   "there is no MachineDeployment \"%.*s\" with a profile", SV_ARG(wanted));
	if (sv_empty(nearest))
		diag_set_help(context->sink, diag, "name it [CLUSTER/]NAMESPACE/NAME");
	else
		diag_set_help(context->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	return 2;
}

/* ---- where its lines come from ----------------------------------------------------------- */

/* What was printed, and for each line of it where it comes from. */
struct origins {
	struct arena *arena;
	struct position *lines;
	size_t count;
};

static void set_line(struct origins *origins, struct position printed, struct position at)
{
	size_t line = position_line_column(printed).line;

	if (printed.source && at.source && line >= 1 && line <= origins->count)
		origins->lines[line - 1] = at;
}

/* The line [from, to): where the first of it stands that osm-gen has not added. */
static struct position line_of(const struct value *made, size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++) {
		size_t offset = i;
		const struct value *part = value_part_at(made, &offset);

		if (part)
			return value_text_position(part, offset);
	}
	return NOWHERE;
}

/* A text of several lines: each has a place of its own. */
static void set_text(struct origins *origins, const struct value *made, const struct value *printed)
{
	sv text = value_text(printed);
	size_t at = 0;

	set_line(origins, value_position(printed), value_position(made));
	if (printed->origin.style != ORIGIN_LITERAL)
		return;
	while (at < text.len) {
		size_t end = sv_find_char(sv_from_offset(text, at), '\n');

		set_line(origins, value_text_position(printed, at),
		         line_of(made, at, end == SV_NPOS ? text.len - 1 : at + end));
		if (end == SV_NPOS)
			return;
		at += end + 1;
	}
}

static void set_all(struct origins *origins, const struct value *made, const struct value *printed)
{
	if (value_is_string(printed)) {
		set_text(origins, made, printed);
		return;
	}
	set_line(origins, value_position(printed), value_position(made));
	for (size_t i = 0; value_is_list(printed) && i < value_count(printed); i++)
		set_all(origins, value_item(made, i), value_item(printed, i));
	for (size_t i = 0; value_is_map(printed) && i < value_count(printed); i++) {
		const struct value_entry *entry = &printed->map->entries[i];
		const struct value_entry *from = value_map_find(made, entry->key);

		set_line(origins, origin_position(entry->key_origin),
		         origin_position(from->key_origin));
		set_all(origins, &from->value, &entry->value);
	}
}

/* A line without one was made by osm-gen for what stands above it. */
static sv place_of(struct arena *arena, struct position at)
{
	if (!at.source)
		return SV("osm-gen");
	return arena_printf(arena, "%.*s:%zu", SV_ARG(at.source->path),
	                    position_line_column(at).line);
}

static void print_beside(struct buf *buf, const struct origins *origins, sv text)
{
	sv *places = ARENA_ARRAY(origins->arena, sv, origins->count + 1);
	size_t width = 0;

	for (size_t i = 0; i < origins->count; i++) {
		places[i] = place_of(origins->arena, origins->lines[i]);
		if (places[i].len > width)
			width = places[i].len;
	}
	for (size_t i = 0; i < origins->count; i++) {
		sv line;

		if (!sv_cut(text, SV("\n"), &line, &text))
			return;
		buf_add(buf, places[i]);
		buf_add_repeat(buf, ' ', width - places[i].len);
		buf_printf(buf, sv_empty(line) ? " |" : " | ");
		buf_add(buf, line);
		buf_add_char(buf, '\n');
	}
}

static enum status print_origins(struct context *context, const struct value *object,
                                 struct buf *buf)
{
	struct arena *arena = context->arena;
	struct value shown = secrecy_redact_all(arena, &(struct redaction){0}, object);
	struct buf text = buf_in(arena);
	struct yml_documents documents = {0};

	yml_emit(&text, &shown, (struct yml_format){0});
	struct source *source = source_new(arena, SV("profile"), buf_sv(&text), false);
	if (yml_parse(arena, context->sink, source, &documents) != STATUS_OK ||
	    documents.count != 1)
		return STATUS_FAILED;
	struct origins origins = {.arena = arena};
	for (size_t i = 0; i < text.len; i++)
		origins.count += buf_sv(&text).ptr[i] == '\n';
	origins.lines = ARENA_ARRAY(arena, struct position, origins.count + 1);
	set_all(&origins, object, &documents.items[0].root);
	print_beside(buf, &origins, buf_sv(&text));
	return STATUS_OK;
}

/* ---- the command ------------------------------------------------------------------------- */

static const struct dialect_cluster *view_of(const struct fleet_cluster *cluster,
                                             const struct dialect *dialect)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		if (all[i] == dialect)
			return &cluster->dialects[i];
	BUG("a dialect that is not in the registry");
}

int profiles_show_effective(struct context *context, sv wanted)
{
	struct buf buf = buf_in(context->arena);
	struct run_request request;
	const struct fleet *fleet;

	if (asking_request(context, &request) != STATUS_OK)
		return 3;
	if (run_survey(context->arena, context->sink, &request, &fleet, &context->result) !=
	    STATUS_OK)
		return 2;
	struct target found = find(context, fleet, wanted);
	if (found.count != 1)
		return report_target(context, fleet, wanted, &found);
	struct artifact artifact = found.unit->dialect->definition_artifact(
	    context->arena, view_of(found.cluster, found.unit->dialect), found.unit->definition);
	if (context->options->no_origins) {
		struct value shown =
		    secrecy_redact_all(context->arena, &(struct redaction){0}, &artifact.object);
		yml_emit(&buf, &shown, (struct yml_format){0});
	} else if (print_origins(context, &artifact.object, &buf) != STATUS_OK) {
		return 2;
	}
	report_defuse(&buf, 0);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
