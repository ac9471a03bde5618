/* Reports leaks as diagnostics: the origin of the text, its place in the secret, and the remedy. */
#include "secrecy/internal.h"

enum {
	GUESSED_WORD = 20, /* a longer secret is not a common word */
	MAX_REPORTED = 20, /* secrets of one file */
};

struct finder {
	const struct leak_scanner *scanner;
	struct leak_effort *effort;
	const struct secret *secret;
	struct position at; /* where to look otherwise, then the place */
};

/* Returns the first offset of the secret in text[from, to), or SV_NPOS. */
static size_t find_secret(const struct finder *f, sv text, size_t from, size_t to)
{
	struct leak leak;

	for (; leak_scanner_find(f->scanner, sv_slice(text, 0, to), from, f->effort, &leak);
	     from = leak.offset + 1)
		if (leak.secret == f->secret)
			return leak.offset;
	return SV_NPOS;
}

/* In what is not hidden of the string. */
static size_t find_clear(const struct finder *f, const struct value *string)
{
	size_t from = 0;

	for (size_t i = 0; string->taint && i < string->taint->count; i++) {
		size_t found = find_secret(f, string->string, from, string->taint->spans[i].start);

		if (found != SV_NPOS)
			return found;
		from = string->taint->spans[i].end;
	}
	return find_secret(f, string->string, from, string->string.len);
}

static enum secrecy_step find_place(void *context, struct secrecy_place *place)
{
	struct finder *f = context;
	const struct value *v = place->value;

	if (place->entry &&
	    find_secret(f, place->entry->key, 0, place->entry->key.len) != SV_NPOS) {
		f->at = secrecy_key_position(place, f->at);
		return SECRECY_END;
	}
	size_t found = value_is_string(v) ? find_clear(f, v) : SV_NPOS;
	if (found == SV_NPOS)
		return SECRECY_INTO;
	f->at = v->origin.source ? value_text_position(v, found) : secrecy_position(place, f->at);
	return SECRECY_END;
}

/*
 * Reports a line of a secret that other files may have by chance: its place in the secret, and the
 * remedy.
 */
static void report_line(struct sink *sink, sv file, const struct leak *leak, struct position at,
                        struct position secret_at, size_t number)
{
	struct diag *diag =
	    diag_report(sink, DIAG_SECRET_LEAK, secret_at,
	                "%.*s would hold line %zu of the secret %.*s in clear, at byte %zu",
	                SV_ARG(file), number, SV_ARG(leak->secret->name), leak->offset);

	diag_add_note(sink, diag, at, "the file comes from here");
	diag_set_help(
	    sink, diag,
	    secrecy_is_credential_line(leak->line)
	        ? "find the template or field that writes the line there, and let it refer to the "
	          "Secret; replace a secret that was committed in the clear; nothing was written"
	        : "find the template or field that writes the line there; if it is equal by "
	          "chance, change the line in the Secret, for example by adding a comment at its "
	          "end; nothing was written");
}

static void report_whole(struct sink *sink, sv file, const struct leak *leak, struct position at)
{
	struct diag *diag = diag_report(
	    sink, DIAG_SECRET_LEAK, at, "%.*s would hold the secret %.*s %s, at byte %zu",
	    SV_ARG(file), SV_ARG(leak->secret->name), leak->form, leak->offset);

	diag_set_help(
	    sink, diag,
	    "find the template or field that writes the secret there%s; nothing was written",
	    leak->secret->high_entropy || leak->secret->text.len > GUESSED_WORD
	        ? ""
	        : ", or, if the secret is an ordinary word that occurs there by chance, change the "
	          "secret");
}

static void report_leak(struct sink *sink, const struct leak_scanner *scanner, sv file,
                        const struct leak *leak, struct position at)
{
	struct position secret_at;
	size_t number;

	const struct secret_lines *lines = leak_scanner_lines(scanner);

	if (!sv_empty(leak->line) && lines &&
	    secret_lines_place(lines, leak->line, &secret_at, &number))
		report_line(sink, file, leak, at, secret_at, number);
	else
		report_whole(sink, file, leak, at);
}

/* A file that is scanned, part by part. */
struct check {
	struct sink *sink;
	const struct leak_scanner *scanner;
	sv file;
	sv text;
	const struct leak_place *place;
	struct leak_effort effort;
	struct set reported; /* secrets */
	enum status status;
};

/* Scans text[from, to). */
static void check_part(struct check *check, size_t from, size_t to)
{
	struct leak leak;

	for (; set_count(&check->reported) < MAX_REPORTED &&
	       leak_scanner_find(check->scanner, sv_slice(check->text, 0, to), from, &check->effort,
	                         &leak);
	     from = leak.offset + 1) {
		sv key = sv_from_bytes(&leak.secret, sizeof(leak.secret));
		struct finder finder = {check->scanner, &check->effort, leak.secret,
		                        check->place->at};

		check->status = STATUS_FAILED;
		if (set_has(&check->reported, key))
			continue;
		set_add(&check->reported, arena_dup(check->sink->arena, key));
		secrecy_visit(check->place->object, find_place, &finder);
		report_leak(check->sink, check->scanner, check->file, &leak, finder.at);
	}
}

enum status leak_scanner_check_within(struct sink *sink, const struct leak_scanner *scanner,
                                      sv file, sv text, const struct leak_place *place,
                                      uint64_t effort_units)
{
	struct check check = {
	    .sink = sink,
	    .scanner = scanner,
	    .file = file,
	    .text = text,
	    .place = place,
	    .effort = {.left = effort_units},
	    .reported = set_in(sink->arena),
	};
	size_t from = 0;

	for (size_t i = 0; place->ciphertexts && i < place->ciphertexts->count; i++) {
		const struct ciphertext *ciphertext = &place->ciphertexts->items[i];

		BUG_ON(ciphertext->start < from || ciphertext->end < ciphertext->start ||
		       ciphertext->end > text.len);
		check_part(&check, from, ciphertext->start);
		from = ciphertext->end;
	}
	check_part(&check, from, text.len);
	if (!check.effort.is_over)
		return check.status;
	struct diag *diag = diag_report(
	    sink, DIAG_SECRET_SCAN_LIMIT, place->at,
	    "%.*s cannot be searched for secrets: too many of its parts nearly equal one",
	    SV_ARG(file));
	diag_set_help(sink, diag,
	              "make the file smaller, or use fewer secrets that share long parts; nothing "
	              "was written");
	return STATUS_FAILED;
}

enum status leak_scanner_check(struct sink *sink, const struct leak_scanner *scanner, sv file,
                               sv text, const struct leak_place *place)
{
	return leak_scanner_check_within(sink, scanner, file, text, place, LEAK_EFFORT);
}
