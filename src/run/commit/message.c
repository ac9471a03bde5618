/*
 * Writes the commit's message.
 */
#include "audit/audit.h"
#include "run/commit/commit.h"

#include <inttypes.h>

enum { LISTED = 40, SUBJECT_MAX = 72 };

static void add_count(struct buf *buf, size_t count, const char *one, const char *many)
{
	buf_printf(buf, "%zu %s", count, count == 1 ? one : many);
}

struct tally {
	size_t added, changed, removed;
};

static struct tally count_changes(const struct report_summary *summary)
{
	struct tally tally = {0};

	VEC_EACH (row, &summary->units) {
		tally.added += row->change == REPORT_ADDED;
		tally.changed += row->change == REPORT_CHANGED;
		tally.removed += row->change == REPORT_REMOVED;
	}
	return tally;
}

/* Adds "; recipients of prod-eu-1 change": a reviewer has to see this first. */
static void add_recipients_subject(struct buf *buf, const struct report_summary *summary)
{
	size_t count = summary->recipients.count;

	if (count == 1)
		buf_printf(buf, "; recipients of %.*s change",
		           SV_ARG(summary->recipients.items[0].cluster));
	else if (count > 1)
		buf_printf(buf, "; recipients of %zu clusters change", count);
}

/* Adds "; 10 machines deleted" of units that stay. */
static void add_deleted(struct buf *buf, const struct report_summary *summary)
{
	int64_t count = 0;

	VEC_EACH (row, &summary->units)
		count += row->scale.fewer;
	if (count > 0)
		buf_printf(buf, "; %" PRId64 " machine%s deleted", count, count == 1 ? "" : "s");
}

/* Returns true if the string looks like a recipient as osm-gen lists it. */
static bool is_recipient(sv text)
{
	static const sv begins[] = {SV_INIT("age1"), SV_INIT("ssh-ed25519 "), SV_INIT("ssh-rsa "),
	                            SV_INIT("x509-sha256:")};
	static const sv ends[] = {SV_INIT(" namespace-wide"), SV_INIT(" cluster-wide"),
	                          SV_INIT(" " SEAL_LISTED_MAC_ONLY)};
	/* A post-quantum recipient, or an SSH key of 16384 bits. */
	enum { LONGEST = 3000 };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (sv_ends_with(text, ends[i])) {
			text.len -= ends[i].len;
			break;
		}
	for (size_t i = 0; i < COUNT_OF(begins) && text.len <= LONGEST; i++) {
		size_t plain = begins[i].len;

		while (sv_starts_with(text, begins[i]) && plain < text.len &&
		       (ascii_is_alphanumeric((unsigned char)text.ptr[plain]) ||
		        (text.ptr[plain] && strchr("+/=", text.ptr[plain]))))
			plain++;
		if (plain > begins[i].len && plain == text.len)
			return true;
	}
	return false;
}

/* Removed recipients come from index.json, where somebody could have written anything. */
static void add_recipient_rows_of(struct buf *buf, sv cluster, const char *verb,
                                  const sv *recipients, size_t count)
{
	for (size_t i = 0; i < count && i < LISTED; i++) {
		buf_printf(buf, "%.*s: %s ", SV_ARG(cluster), verb);
		if (is_recipient(recipients[i]))
			buf_add(buf, seal_recipient_shown(buf->arena, recipients[i]));
		else
			run_add_name(buf, recipients[i]);
		buf_add_char(buf, '\n');
	}
	if (count > LISTED)
		buf_printf(buf, "%.*s: %s %zu more\n", SV_ARG(cluster), verb, count - LISTED);
}

static void add_recipient_rows(struct buf *buf, const struct report_summary *summary)
{
	VEC_EACH (change, &summary->recipients) {
		add_recipient_rows_of(buf, change->cluster, "can be read by", change->added,
		                      change->added_count);
		add_recipient_rows_of(buf, change->cluster, "no longer by", change->removed,
		                      change->removed_count);
	}
	if (summary->recipients.count > 0)
		buf_add_char(buf, '\n');
}

/* ---- the subject ------------------------------------------------------------------------- */

/* Adds "add 2, update 1, remove 1 MachineDeployment", or the number of files if none changes. */
static void add_tally(struct buf *buf, const struct report_summary *summary)
{
	struct tally tally = count_changes(summary);
	const struct {
		const char *verb;
		size_t count;
	} parts[] = {{"remove", tally.removed}, {"add", tally.added}, {"update", tally.changed}};
	size_t total = tally.added + tally.changed + tally.removed;
	size_t last = 0;
	size_t start = buf->len;

	if (total == 0) {
		/* Files of clusters as a whole: index, RBAC, profiles. */
		size_t files = report_count_files(summary, REPORT_ADDED) +
		               report_count_files(summary, REPORT_CHANGED) +
		               report_count_files(summary, REPORT_REMOVED);

		if (files == 0) {
			BUF_ADD_LIT(buf, "vouch for the output");
			return;
		}
		if (report_add_moves(buf, summary))
			return;
		BUF_ADD_LIT(buf, "update ");
		add_count(buf, files, "file", "files");
		return;
	}
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i].count == 0)
			continue;
		buf_printf(buf, "%s%s %zu", buf->len > start ? ", " : "", parts[i].verb,
		           parts[i].count);
		last = parts[i].count;
	}
	buf_printf(buf, " %.*s%s", SV_ARG(summary->unit_kind), last == 1 ? "" : "s");
}

/* The length of a subject; a longer one is tried first. */
enum detail { DETAIL_ALL, DETAIL_ONE_FIELD, DETAIL_NO_CLUSTERS, DETAIL_TALLY };

static void add_field_change(struct buf *buf, const struct report_field *field)
{
	run_add_name(buf, field->name);
	if (sv_empty(field->before) && sv_empty(field->after))
		return;
	buf_add_char(buf, ' ');
	run_add_name(buf, sv_empty(field->before) ? SV("none") : field->before);
	BUF_ADD_LIT(buf, " -> ");
	run_add_name(buf, sv_empty(field->after) ? SV("none") : field->after);
}

/* Adds CLUSTER/NAMESPACE/NAME. */
static void add_unit_name(struct buf *buf, const struct report_unit *row)
{
	run_add_name(buf, row->cluster);
	buf_add_char(buf, '/');
	run_add_name(buf, row->namespace);
	buf_add_char(buf, '/');
	run_add_name(buf, row->name);
}

/* Adds "kubelet 1.34.1 -> 1.34.2 in 300 MachineDeployments of 12 clusters". */
static void add_group_subject(struct buf *buf, const struct report_summary *summary,
                              enum detail detail)
{
	const struct report_group *group = &summary->groups.items[0];
	size_t fields = detail == DETAIL_ALL ? 3 : 1;

	for (size_t i = 0; i < group->field_count && i < fields; i++) {
		buf_add(buf, i ? SV(", ") : SV(""));
		add_field_change(buf, &group->fields[i]);
	}
	if (group->field_count > fields)
		buf_printf(buf, " and %zu more", group->field_count - fields);
	BUF_ADD_LIT(buf, " in ");
	if (group->unit_count == 1 && detail <= DETAIL_ONE_FIELD) {
		add_unit_name(buf, &summary->units.items[group->units[0]]);
	} else {
		buf_printf(buf, "%zu %.*s%s", group->unit_count, SV_ARG(summary->unit_kind),
		           group->unit_count == 1 ? "" : "s");
		if (detail <= DETAIL_ONE_FIELD) {
			BUF_ADD_LIT(buf, " of ");
			add_count(buf, group->cluster_count, "cluster", "clusters");
		}
	}
	if (summary->groups.count > 1) {
		BUF_ADD_LIT(buf, "; ");
		add_count(buf, summary->groups.count - 1, "more change", "more changes");
	}
}

/* Returns what changed, in a few words. */
static sv changes_text(struct arena *arena, const struct report_summary *summary,
                       enum detail detail)
{
	struct buf buf = buf_in(arena);
	struct tally tally = count_changes(summary);

	if (detail == DETAIL_TALLY || summary->groups.count == 0) {
		add_tally(&buf, summary);
	} else {
		add_group_subject(&buf, summary, detail);
		if (tally.removed > 0)
			buf_printf(&buf, "; %zu removed", tally.removed);
		if (tally.added > 0)
			buf_printf(&buf, "; %zu added", tally.added);
	}
	add_deleted(&buf, summary);
	add_recipients_subject(&buf, summary);
	return buf_sv(&buf);
}

/* Returns the short form of the commit of the inputs. */
static sv short_source(const struct report_summary *summary)
{
	enum { DIGITS = 12 };

	return sv_slice(summary->source_commit, 0, DIGITS);
}

/* Adds the most detailed subject that fits a line; removals are in each of them. */
static void add_subject(struct buf *buf, const struct report_summary *summary,
                        const struct run_wording *wording)
{
	struct arena *arena = buf->arena;
	sv form = sv_empty(wording->commit->subject) ? SV(RUN_SUBJECT) : wording->commit->subject;
	sv subject = {0};

	/* The source first: no name of the inputs can bring a mark. */
	form = buf_replaced(arena, form, SV(FLEET_COMMIT_SOURCE), short_source(summary));
	if (wording->skip_ci)
		form = ARENA_CONCAT(arena, form, SV(" [skip ci]"));
	for (int detail = DETAIL_ALL; detail <= DETAIL_TALLY; detail++) {
		sv changes = changes_text(arena, summary, (enum detail)detail);

		subject = buf_replaced(arena, form, SV(FLEET_COMMIT_CHANGES), changes);
		if (subject.len < SUBJECT_MAX)
			break;
	}
	buf_add(buf, subject);
	BUF_ADD_LIT(buf, "\n\n");
}

static void add_trailers(struct buf *buf, const struct report_summary *summary,
                         const struct run_wording *wording)
{
	for (size_t i = 0; i < wording->commit->trailer_count; i++) {
		sv line = buf_replaced(buf->arena, wording->commit->trailers[i],
		                       SV(FLEET_COMMIT_SOURCE), short_source(summary));

		buf_add(buf,
		        buf_replaced(buf->arena, line, SV(FLEET_COMMIT_AUTHOR), wording->author));
		buf_add_char(buf, '\n');
	}
}

/* ---- the body ---------------------------------------------------------------------------- */

/* Adds ": osp-ubuntu v1.3.0, aws, from clusters/prod/workers.yaml". */
static void add_origin(struct buf *buf, const struct report_unit *row)
{
	if (!sv_empty(row->profile)) {
		BUF_ADD_LIT(buf, ": ");
		run_add_name(buf, row->profile);
		buf_add_char(buf, ' ');
		run_add_name(buf, row->profile_version);
		BUF_ADD_LIT(buf, ", ");
		run_add_name(buf, row->provider);
	}
	if (!sv_empty(row->source)) {
		buf_add(buf, sv_empty(row->profile) ? SV(": from ") : SV(", from "));
		run_add_name(buf, row->source);
	}
}

static void add_row(struct buf *buf, const struct report_unit *row)
{
	add_unit_name(buf, row);
	if (row->class == REPORT_CLASS_REMOVE && !sv_empty(row->reason)) {
		BUF_ADD_LIT(buf, ": ");
		run_add_sentence(buf, row->reason);
	} else if (row->class == REPORT_CLASS_ADD) {
		if (row->replicas != REPORT_REPLICAS_UNKNOWN) {
			BUF_ADD_LIT(buf, ", ");
			add_count(buf, (size_t)row->replicas, "machine", "machines");
		}
		add_origin(buf, row);
	}
	buf_add_char(buf, '\n');
}

/* Adds every unit with another number of machines. */
static void add_scaled(struct buf *buf, const struct report_summary *summary)
{
	size_t start = buf->len;

	VEC_EACH (row, &summary->units) {
		if (!row->scale.changes)
			continue;
		BUF_ADD_LIT(buf, "* ");
		add_unit_name(buf, row);
		buf_printf(buf, ": %.*s\n", SV_ARG(report_scale_text(buf->arena, &row->scale)));
	}
	buf_add(buf, buf->len > start ? SV("\n") : SV(""));
}

/* Adds every unit of the class, except of a first output, where all are new. */
static void add_rows(struct buf *buf, const struct report_summary *summary, enum report_class class)
{
	size_t total = 0;

	VEC_EACH (row, &summary->units) {
		if (row->class != class)
			continue;
		total++;
		if (class == REPORT_CLASS_ADD && summary->is_first && total > LISTED)
			continue;
		buf_add(buf, class == REPORT_CLASS_REMOVE ? SV("- ") : SV("+ "));
		add_row(buf, row);
	}
	if (class == REPORT_CLASS_ADD && summary->is_first && total > LISTED)
		buf_printf(buf, "and %zu more\n", total - LISTED);
	buf_add(buf, total > 0 ? SV("\n") : SV(""));
}

static void add_groups(struct buf *buf, const struct report_summary *summary)
{
	for (size_t i = 0; i < summary->groups.count && i < LISTED; i++) {
		const struct report_group *group = &summary->groups.items[i];

		BUF_ADD_LIT(buf, "~ ");
		buf_add(buf, report_class_word(group->class));
		buf_add_char(buf, ' ');
		run_add_sentence(buf, group->heading);
		buf_add_char(buf, '\n');
	}
	if (summary->groups.count > LISTED) {
		BUF_ADD_LIT(buf, "and ");
		add_count(buf, summary->groups.count - LISTED, "more change", "more changes");
		buf_add_char(buf, '\n');
	}
	buf_add(buf, summary->groups.count > 0 ? SV("\n") : SV(""));
}

/*
 * Adds the places that a reviewer should look at twice, except for removed units, which are listed,
 * and for what not every clone knows.
 */
static void add_review_notes(struct buf *buf, const struct report_summary *summary)
{
	size_t count = 0;

	VEC_EACH (note, &summary->notes) {
		if (note->kind == REPORT_NOTE_REMOVED || note->is_of_history || count++ >= LISTED)
			continue;
		BUF_ADD_LIT(buf, "! ");
		run_add_sentence(buf, report_note_title(buf->arena, summary, note));
		BUF_ADD_LIT(buf, ": ");
		run_add_sentence(buf, note->text);
		if (note->unit_count == 1) {
			BUF_ADD_LIT(buf, " (");
			add_unit_name(buf, &summary->units.items[note->units[0]]);
			buf_add_char(buf, ')');
		}
		buf_add_char(buf, '\n');
	}
	if (count > LISTED)
		buf_printf(buf, "and %zu more\n", count - LISTED);
	buf_add(buf, count > 0 ? SV("\n") : SV(""));
}

/*
 * Returns the summary without facts that depend on the clone: a shallow one lacks the commit with
 * the machines of removed units and the manifests before, and the message must be the same
 * everywhere.
 */
static struct report_summary without_history(struct arena *arena,
                                             const struct report_summary *summary)
{
	struct report_summary copy = *summary;
	bool has_history = false;
	bool has_fields = false;

	copy.deliveries.items = NULL;
	copy.deliveries.count = copy.deliveries.cap = 0;
	VEC_EACH (delivery, &summary->deliveries)
		if (!delivery->is_of_history)
			VEC_PUSH(arena, &copy.deliveries, *delivery);
	VEC_EACH (row, &summary->units)
		has_history |= row->class == REPORT_CLASS_REMOVE || row->in_manifest.changes ||
		               row->input_field_count > 0;
	/* A large fleet has many rows. */
	if (!has_history)
		return copy;
	copy.units.items = ARENA_ARRAY(arena, struct report_unit, summary->units.count + 1);
	for (size_t i = 0; i < summary->units.count; i++) {
		copy.units.items[i] = summary->units.items[i];
		if (copy.units.items[i].class == REPORT_CLASS_REMOVE)
			copy.units.items[i].replicas = REPORT_REPLICAS_UNKNOWN;
		copy.units.items[i].in_manifest = (struct report_scale){0};
		has_fields |= copy.units.items[i].input_field_count > 0;
		copy.units.items[i].input_field_count = 0;
	}
	if (has_fields) {
		copy.groups.items = summary->groups_of_shallow.items;
		copy.groups.count = summary->groups_of_shallow.count;
	}
	return copy;
}

/* Adds the lines, those of more than RUN_BODY_MAX bytes broken at blanks. A longer word stays
 * whole. */
static void add_wrapped(struct buf *buf, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		sv indent = SV("");

		while (indent.len + line.len > RUN_BODY_MAX) {
			sv fits = sv_slice(line, 0, RUN_BODY_MAX - indent.len + 1);
			size_t end = sv_rfind_char(fits, ' ');

			if (end == SV_NPOS)
				end = sv_find_char(line, ' ');
			if (end == SV_NPOS)
				break;
			buf_add(buf, indent);
			buf_add(buf, sv_slice(line, 0, end));
			buf_add_char(buf, '\n');
			line = sv_from_offset(line, end + 1);
			indent = SV("  ");
		}
		buf_add(buf, indent);
		buf_add(buf, line);
		buf_add_char(buf, '\n');
	}
}

sv run_commit_message(struct arena *arena, const struct report_summary *whole,
                      const struct run_wording *wording, sv proofs, sv voucher)
{
	const struct report_summary stable = without_history(arena, whole);
	const struct report_summary *summary = &stable;
	struct buf buf = buf_in(arena);
	struct buf body = buf_in(arena);
	sv kind = summary->unit_kind;

	add_rows(&body, summary, REPORT_CLASS_REMOVE);
	add_scaled(&body, summary);
	add_rows(&body, summary, REPORT_CLASS_ADD);
	add_recipient_rows(&body, summary);
	add_review_notes(&body, summary);
	if (report_add_rollout(&body, summary))
		BUF_ADD_LIT(&body, "\n\n");
	add_groups(&body, summary);
	add_count(&body, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(&body, ", ");
	buf_printf(&body, "%zu %.*s%s", summary->unit_count, SV_ARG(kind),
	           summary->unit_count == 1 ? "" : "s");
	report_add_kinds(&body, summary);
	buf_printf(&body, "; files: %zu added, %zu changed, %zu removed\n",
	           report_count_files(summary, REPORT_ADDED),
	           report_count_files(summary, REPORT_CHANGED),
	           report_count_files(summary, REPORT_REMOVED));
	add_subject(&buf, summary, wording);
	add_wrapped(&buf, buf_sv(&body));
	add_trailers(&buf, summary, wording);
	buf_printf(&buf, AUDIT_SOURCE_TRAILER ": %.*s\n" AUDIT_VERSION_TRAILER ": %.*s\n",
	           SV_ARG(summary->source_commit), SV_ARG(summary->version));
	if (!sv_empty(voucher))
		buf_printf(&buf, AUDIT_OUTPUT_TRAILER ": %.*s\n", SV_ARG(voucher));
	buf_add(&buf, proofs);
	return buf_sv(&buf);
}
