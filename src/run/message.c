/*
 * Writes the commit's message.
 */
#include "run/message.h"
#include "audit/audit.h"

enum { LISTED = 40 };

static void add_count(struct buf *buf, size_t count, const char *one, const char *many)
{
	buf_printf(buf, "%zu %s", count, count == 1 ? one : many);
}

/* ---- names ------------------------------------------------------------------------------- */

/* Returns true for characters that cannot mention, link, close an issue or end a line. */
static bool is_plain(unsigned char c)
{
	return ascii_is_alphanumeric(c) || (c != '\0' && strchr(" ./_+-", c));
}

/* "GH-12" is an issue, 40 hexadecimal digits are a commit. */
static bool is_reference(sv word)
{
	size_t hex = 0;

	if (word.len > 3 && sv_eq_fold_ascii(sv_slice(word, 0, 3), SV("GH-")) &&
	    ascii_is_digit(word.ptr[3]))
		return true;
	while (hex < word.len && ascii_digit_value((uint32_t)(unsigned char)word.ptr[hex]) < 16)
		hex++;
	return hex >= 40;
}

void run_add_name(struct buf *buf, sv name)
{
	enum { NAME_SHOWN_MAX = 300 };
	bool begins = true; /* a word */

	for (size_t i = 0; i < name.len && i < NAME_SHOWN_MAX; i++) {
		unsigned char c = (unsigned char)name.ptr[i];

		if (!is_plain(c) || (begins && is_reference(sv_from_offset(name, i))))
			buf_printf(buf, "\\x%02x", c);
		else
			buf_add_char(buf, (char)c);
		begins = !ascii_is_alphanumeric(c);
	}
	if (name.len > NAME_SHOWN_MAX)
		BUF_ADD_LIT(buf, "...");
}

static void add_rune(struct buf *buf, uint32_t rune)
{
	if (rune >= 0x10000) {
		buf_printf(buf, "\\u%04x", (unsigned)(0xD800 + ((rune - 0x10000) >> 10)));
		rune = 0xDC00 + ((rune - 0x10000) & 0x3FF);
	}
	buf_printf(buf, "\\u%04x", (unsigned)rune);
}

void run_add_plain_json(struct buf *buf, sv text)
{
	bool begins = true; /* a word */

	buf_add_char(buf, '"');
	while (text.len > 0) {
		unsigned char c = (unsigned char)text.ptr[0];
		bool is_sign = c != '\0' && strchr(",;()='", c);
		size_t width = 1;

		if ((is_plain(c) || is_sign) && !(begins && is_reference(text)))
			buf_add_char(buf, (char)c);
		else
			add_rune(buf, utf8_decode(text, &width));
		begins = !ascii_is_alphanumeric(c);
		text = sv_from_offset(text, width);
	}
	buf_add_char(buf, '"');
}

/* ---- the message ------------------------------------------------------------------------- */

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
static void add_recipients(struct buf *buf, const struct report_summary *summary)
{
	size_t count = summary->recipients.count;

	if (count == 1)
		buf_printf(buf, "; recipients of %.*s change",
		           SV_ARG(summary->recipients.items[0].cluster));
	else if (count > 1)
		buf_printf(buf, "; recipients of %zu clusters change", count);
}

/* Returns true if the string looks like a recipient as osm-gen lists it. */
static bool is_recipient(sv text)
{
	static const sv begins[] = {SV_INIT("age1"), SV_INIT("ssh-ed25519 "),
	                            SV_INIT("x509-sha256:")};
	static const sv ends[] = {SV_INIT(" namespace-wide"), SV_INIT(" cluster-wide"),
	                          SV_INIT(" " SEAL_LISTED_MAC_ONLY)};
	enum { LONGEST = 100 };

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
			buf_add(buf, recipients[i]);
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

/* Adds "osm-gen: add 2, update 1 MachineDeployment", or the number of files if no unit changes. */
static void add_subject(struct buf *buf, const struct report_summary *summary)
{
	struct tally tally = count_changes(summary);
	const struct {
		const char *verb;
		size_t count;
	} parts[] = {{"add", tally.added}, {"update", tally.changed}, {"remove", tally.removed}};
	size_t total = tally.added + tally.changed + tally.removed;
	const char *separator = " ";

	BUF_ADD_LIT(buf, "osm-gen:");
	if (total == 0) {
		size_t files = report_count_files(summary, REPORT_ADDED) +
		               report_count_files(summary, REPORT_CHANGED) +
		               report_count_files(summary, REPORT_REMOVED);

		if (files == 0) {
			BUF_ADD_LIT(buf, " vouch for the output");
			return;
		}
		BUF_ADD_LIT(buf, " update ");
		add_count(buf, files, "file", "files");
		add_recipients(buf, summary);
		return;
	}
	size_t last = 0;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i].count == 0)
			continue;
		buf_printf(buf, "%s%s %zu", separator, parts[i].verb, parts[i].count);
		separator = ", ";
		last = parts[i].count;
	}
	buf_printf(buf, " %.*s%s", SV_ARG(summary->unit_kind), last == 1 ? "" : "s");
	add_recipients(buf, summary);
}

static void add_rollout(struct buf *buf, const struct report_summary *summary)
{
	if (report_add_rollout(buf, summary))
		BUF_ADD_LIT(buf, "\n\n");
}

static void add_rows(struct buf *buf, const struct report_summary *summary)
{
	size_t listed = 0;
	size_t total = 0;

	VEC_EACH (row, &summary->units) {
		char sign = row->change == REPORT_ADDED     ? '+'
		            : row->change == REPORT_REMOVED ? '-'
		                                            : '~';

		if (row->change == REPORT_UNCHANGED || ++total > LISTED)
			continue;
		listed++;
		buf_printf(buf, "%c ", sign);
		run_add_name(buf, row->cluster);
		buf_add_char(buf, '/');
		run_add_name(buf, row->namespace);
		buf_add_char(buf, '/');
		run_add_name(buf, row->name);
		if (row->change != REPORT_REMOVED && !sv_empty(row->profile)) {
			BUF_ADD_LIT(buf, " (");
			run_add_name(buf, row->profile);
			buf_add_char(buf, ' ');
			run_add_name(buf, row->profile_version);
			BUF_ADD_LIT(buf, ", ");
			run_add_name(buf, row->provider);
			buf_add_char(buf, ')');
		}
		if (row->change == REPORT_CHANGED)
			buf_printf(buf, " %.*s", SV_ARG(report_class_word(row->class)));
		buf_add_char(buf, '\n');
	}
	if (total > listed)
		buf_printf(buf, "and %zu more\n", total - listed);
	if (total > 0)
		buf_add_char(buf, '\n');
}

sv run_commit_message(struct arena *arena, const struct report_summary *summary, sv proofs,
                      sv voucher, bool skip_ci)
{
	struct buf buf = buf_in(arena);
	sv kind = summary->unit_kind;

	add_subject(&buf, summary);
	buf_add(&buf, skip_ci ? SV(" [skip ci]\n\n") : SV("\n\n"));
	add_recipient_rows(&buf, summary);
	add_rollout(&buf, summary);
	add_rows(&buf, summary);
	add_count(&buf, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(&buf, ", ");
	buf_printf(&buf, "%zu %.*s%s", summary->unit_count, SV_ARG(kind),
	           summary->unit_count == 1 ? "" : "s");
	report_add_kinds(&buf, summary);
	buf_printf(&buf, "; files: %zu added, %zu changed, %zu removed\n\n",
	           report_count_files(summary, REPORT_ADDED),
	           report_count_files(summary, REPORT_CHANGED),
	           report_count_files(summary, REPORT_REMOVED));
	buf_printf(&buf, AUDIT_SOURCE_TRAILER ": %.*s\nOsm-Gen-Version: %.*s\n",
	           SV_ARG(summary->source_commit), SV_ARG(summary->version));
	if (!sv_empty(voucher))
		buf_printf(&buf, AUDIT_OUTPUT_TRAILER ": %.*s\n", SV_ARG(voucher));
	buf_add(&buf, proofs);
	return buf_sv(&buf);
}
