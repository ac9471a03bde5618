/*
 * Writes and reads the trailers with the facts of commits that a branch no longer has (generate
 * --history). The first commit of such a branch has them.
 *
 * A field has no blanks: bytes other than letters, digits and a few signs are written as %XX, since
 * an index.json, where recipients come from, may hold anything.
 */
#include "audit/audit.h"

#define LEFT_OUT   "Osm-Gen-Left-Out"
#define RUNS       LEFT_OUT "-Runs"
#define OUTPUTS    LEFT_OUT "-Outputs"
#define RECIPIENTS LEFT_OUT "-Recipients"
#define INDEXES    LEFT_OUT "-Indexes"
#define REVISION   LEFT_OUT "-Revision"

enum { A_LINE = 8 }; /* ids in one line */

sv audit_short_id(struct arena *arena, struct git_id id)
{
	return sv_slice(git_id_hex(arena, id), 0, AUDIT_SHORT_ID);
}

/* ---- fields ------------------------------------------------------------------------------- */

static void add_escaped_field(struct buf *buf, sv field)
{
	buf_add_char(buf, ' ');
	if (sv_empty(field))
		buf_add_char(buf, '%');
	for (size_t i = 0; i < field.len; i++) {
		unsigned char c = (unsigned char)field.ptr[i];

		if (ascii_is_alphanumeric(c) || ascii_is_any((char)c, "+/=@._:-"))
			buf_add_char(buf, (char)c);
		else
			buf_printf(buf, "%%%02x", c);
	}
}

static bool decode_field(struct buf *buf, sv field)
{
	if (sv_eq(field, SV("%")))
		return true;
	for (size_t i = 0; i < field.len; i++) {
		if (field.ptr[i] != '%') {
			buf_add_char(buf, field.ptr[i]);
			continue;
		}
		if (i + 2 >= field.len || !ascii_is_hex((uint8_t)field.ptr[i + 1]) ||
		    !ascii_is_hex((uint8_t)field.ptr[i + 2]))
			return false;
		buf_add_char(buf, (char)(ascii_digit_value((unsigned char)field.ptr[i + 1]) * 16 +
		                         ascii_digit_value((unsigned char)field.ptr[i + 2])));
		i += 2;
	}
	return true;
}

/* Returns the fields of a line; malformed ones are left out. */
static struct audit_texts read_fields(struct arena *arena, sv line)
{
	struct sv_splitter it = sv_split(line, ' ');
	struct audit_texts fields = {0};
	sv part;

	while (sv_split_next(&it, &part)) {
		struct buf buf = buf_in(arena);

		if (!sv_empty(part) && decode_field(&buf, part))
			VEC_PUSH(arena, &fields, buf_sv(&buf));
	}
	return fields;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void add_ids(struct buf *buf, const char *key, const struct audit_texts *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		if (i % A_LINE == 0)
			buf_printf(buf, "%s%s:", i > 0 ? "\n" : "", key);
		add_escaped_field(buf, ids->items[i]);
	}
	if (ids->count > 0)
		buf_add_char(buf, '\n');
}

void audit_add_left_out(struct buf *buf, const struct audit_left_out *left)
{
	buf_printf(buf, LEFT_OUT ": %llu\n", (unsigned long long)left->commits);
	add_ids(buf, RUNS, &left->runs);
	add_ids(buf, OUTPUTS, &left->outputs);
	VEC_EACH (cluster, &left->clusters) {
		BUF_ADD_LIT(buf, RECIPIENTS ":");
		add_escaped_field(buf, cluster->cluster);
		add_escaped_field(buf, cluster->seed_id);
		add_escaped_field(buf, cluster->digest);
		VEC_EACH (recipient, &cluster->recipients)
			add_escaped_field(buf, *recipient);
		buf_add_char(buf, '\n');
	}
	VEC_EACH (indexes, &left->indexes) {
		BUF_ADD_LIT(buf, INDEXES ":");
		add_escaped_field(buf, indexes->cluster);
		VEC_EACH (id, &indexes->ids)
			add_escaped_field(buf, *id);
		buf_add_char(buf, '\n');
	}
	VEC_EACH (revision, &left->revisions) {
		BUF_ADD_LIT(buf, REVISION ":");
		add_escaped_field(buf, revision->unit);
		buf_printf(buf, " %lld", (long long)revision->revision);
		add_escaped_field(buf, revision->commit);
		buf_add_char(buf, '\n');
	}
}

/* ---- reading ------------------------------------------------------------------------------ */

static void add_all(struct arena *arena, struct audit_texts *to, const struct audit_texts *from,
                    size_t first)
{
	for (size_t i = first; i < from->count; i++)
		VEC_PUSH(arena, to, from->items[i]);
}

static void add_ids_of(struct arena *arena, sv value, struct audit_texts *to)
{
	const struct audit_texts fields = read_fields(arena, value);

	add_all(arena, to, &fields, 0);
}

static void read_trailer_recipients(struct arena *arena, sv value, struct audit_left_out *left)
{
	const struct audit_texts fields = read_fields(arena, value);
	struct audit_left_out_cluster cluster = {0};

	if (fields.count < 4)
		return;
	cluster.cluster = fields.items[0];
	cluster.seed_id = fields.items[1];
	cluster.digest = fields.items[2];
	add_all(arena, &cluster.recipients, &fields, 3);
	VEC_PUSH(arena, &left->clusters, cluster);
}

static void read_indexes(struct arena *arena, sv value, struct audit_left_out *left)
{
	const struct audit_texts fields = read_fields(arena, value);
	struct audit_left_out_indexes indexes = {0};

	if (fields.count < 2)
		return;
	indexes.cluster = fields.items[0];
	add_all(arena, &indexes.ids, &fields, 1);
	VEC_PUSH(arena, &left->indexes, indexes);
}

static void read_revision(struct arena *arena, sv value, struct audit_left_out *left)
{
	const struct audit_texts fields = read_fields(arena, value);
	struct audit_left_out_revision revision;

	if (fields.count != 3 || !sv_parse_int64(fields.items[1], &revision.revision))
		return;
	revision.unit = fields.items[0];
	revision.commit = fields.items[2];
	VEC_PUSH(arena, &left->revisions, revision);
}

bool audit_read_left_out(struct arena *arena, sv message, struct audit_left_out *ret_left)
{
	struct sv_splitter lines = sv_split(message, '\n');
	struct audit_left_out left = {0};
	bool found = false;
	sv line;
	sv value;

	while (sv_split_next(&lines, &line)) {
		int64_t commits;

		if (!sv_starts_with(line, SV(LEFT_OUT)))
			continue;
		if (audit_read_trailer(line, SV(LEFT_OUT), &value) &&
		    sv_parse_int64(value, &commits) && commits >= 0) {
			left.commits = (uint64_t)commits;
			found = true;
			continue;
		}
		if (audit_read_trailer(line, SV(RUNS), &value))
			add_ids_of(arena, value, &left.runs);
		else if (audit_read_trailer(line, SV(OUTPUTS), &value))
			add_ids_of(arena, value, &left.outputs);
		else if (audit_read_trailer(line, SV(RECIPIENTS), &value))
			read_trailer_recipients(arena, value, &left);
		else if (audit_read_trailer(line, SV(INDEXES), &value))
			read_indexes(arena, value, &left);
		else if (audit_read_trailer(line, SV(REVISION), &value))
			read_revision(arena, value, &left);
	}
	*ret_left = left;
	return found;
}

enum audit_left_out_place audit_find_left_out(struct arena *arena, struct git_repo *repo,
                                              struct git_id tip, size_t max,
                                              struct audit_left_out *ret_left)
{
	struct git_commit_info root;
	struct audit_trailers trailers;

	*ret_left = (struct audit_left_out){0};
	if (!git_find_root(arena, repo, tip, max, &root))
		return AUDIT_LEFT_OUT_NOTHING;
	if (audit_read_left_out(arena, root.message, ret_left))
		return AUDIT_LEFT_OUT_KNOWN;
	audit_read_trailers(arena, root.message, &trailers);
	return trailers.count > 0 ? AUDIT_LEFT_OUT_LOST : AUDIT_LEFT_OUT_NOTHING;
}
