/*
 * Makes the normal form of a unit's change, and shows it.
 */
#include "review/internal.h"
#include "seal/seal.h"

struct token {
	sv text;
	enum review_mark mark;
	bool has_digest; /* "-DIGEST" may follow */
};

static bool is_word(sv text, size_t at)
{
	return at < text.len && ascii_is_alphanumeric((unsigned char)text.ptr[at]);
}

/* Finds a name as a word of its own, not inside a longer word. */
static const struct token *token_at(sv line, size_t at, const struct token *tokens, size_t count)
{
	if (at > 0 && is_word(line, at - 1))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		sv text = tokens[i].text;

		if (!sv_empty(text) && sv_starts_with(sv_from_offset(line, at), text) &&
		    !is_word(line, at + text.len))
			return &tokens[i];
	}
	return NULL;
}

/* Returns true for the form of a revision, a digest, or the options of an applier. */
static bool is_own_value(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_word(text, i) && sv_find_char(SV("\"'-.,:="), text.ptr[i]) == SV_NPOS)
			return false;
	return text.len > 0;
}

/*
 * Returns the length of "    KEY:" if the annotation differs between all units, or 0. Lines of
 * files may begin with such a key, too: only a member of the metadata counts, and only a value that
 * no shell would run.
 */
static size_t own_annotation(sv line, const struct dialect *dialect)
{
	sv indent = SV("    ");
	sv inner = sv_from_offset(line, 1);

	if (!sv_starts_with(inner, indent))
		return 0;
	inner = sv_from_offset(inner, indent.len);
	for (size_t i = 0; dialect && i < dialect->own_annotation_count; i++) {
		sv key = dialect->own_annotations[i];
		sv rest = sv_from_offset(inner, key.len);

		if (sv_starts_with(inner, key) && sv_starts_with(rest, SV(": ")) &&
		    is_own_value(sv_from_offset(rest, 2)))
			return 1 + indent.len + key.len + 1;
	}
	return 0;
}

/* Returns the length of "-DIGEST" after the prefix of a name, or 0. */
static size_t digest_at(sv line, size_t at)
{
	enum { DIGITS = 10 };
	size_t end = at + 1;

	if (at >= line.len || line.ptr[at] != '-')
		return 0;
	while (end < line.len && ascii_is_lower_hex((uint8_t)line.ptr[end]))
		end++;
	return end - at == DIGITS + 1 && !is_word(line, end) ? end - at : 0;
}

static void add_marked(struct buf *buf, sv line, const struct token *tokens, size_t token_count)
{
	bool sealed = secrecy_has_mark(line);

	for (size_t at = 0; at < line.len;) {
		const struct token *token = token_at(line, at, tokens, token_count);
		size_t fingerprint = sealed ? secrecy_fingerprint_at(line, at) : 0;

		if (token) {
			buf_add_char(buf, (char)token->mark);
			at += token->text.len;
			size_t digest = token->has_digest ? digest_at(line, at) : 0;
			if (digest > 0) {
				buf_add_char(buf, '-');
				buf_add_char(buf, REVIEW_MARK_OWN);
			}
			at += digest;
		} else if (fingerprint > 0) {
			buf_add_char(buf, '#');
			buf_add_char(buf, REVIEW_MARK_FINGERPRINT);
			buf_add_char(buf, '>');
			at += fingerprint;
		} else {
			buf_add_char(buf, line.ptr[at++]);
		}
	}
}

static void add_line(struct buf *buf, sv line, const struct review_unit *unit,
                     const struct token *tokens, size_t token_count)
{
	size_t own = line.len > 0 ? own_annotation(line, unit->dialect) : 0;

	if (own > 0) {
		buf_add(buf, sv_slice(line, 0, own));
		buf_add_char(buf, ' ');
		buf_add_char(buf, REVIEW_MARK_OWN);
	} else {
		add_marked(buf, line, tokens, token_count);
	}
	buf_add_char(buf, '\n');
}

/* Sorts by length, the longest first. Keeps the order of equal lengths. */
static void sort_tokens(struct token *tokens, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct token token = tokens[i];
		size_t at = i;

		for (; at > 0 && tokens[at - 1].text.len < token.text.len; at--)
			tokens[at] = tokens[at - 1];
		tokens[at] = token;
	}
}

static void add_file(struct arena *scratch, struct buf *buf, const struct review_unit *unit,
                     const struct review_file *file, const struct token *tokens, size_t token_count)
{
	static const struct report_style plain = {0};
	struct buf diff = buf_in(scratch);
	sv within = file->path;
	sv line;

	/* The path after the cluster's folder. */
	if (sv_starts_with(within, ARENA_CONCAT(scratch, unit->cluster, SV("/"))))
		within = sv_from_offset(within, unit->cluster.len + 1);
	report_diff_text(scratch, &diff, within, seal_mask(scratch, file->before), within,
	                 file->after, &plain);
	struct sv_splitter lines = sv_split(sv_trim_right(buf_sv(&diff), "\n"), '\n');
	for (size_t i = 0; diff.len > 0 && sv_split_next(&lines, &line); i++) {
		if (sv_starts_with(line, SV("@@ ")))
			BUF_ADD_LIT(buf, "@@\n");
		else if (i != 1)
			add_line(buf, i == 0 ? sv_from_offset(line, 3) : line, unit, tokens,
			         token_count);
	}
}

#define TOKENS 4

/* Returns the name without its last "-WORD", or an empty string. */
static sv prefix_of(sv name)
{
	size_t end = name.len;

	while (end > 0 && name.ptr[end - 1] != '-')
		end--;
	return end > 1 ? sv_slice(name, 0, end - 1) : (sv){0};
}

static void tokens_of(const struct review_unit *unit, struct token tokens[TOKENS])
{
	bool by_prefix = unit->dialect && unit->dialect->names_by_prefix;
	sv prefix = by_prefix ? prefix_of(unit->name) : (sv){0};

	tokens[0] = (struct token){unit->name, REVIEW_MARK_NAME, by_prefix};
	tokens[1] = (struct token){unit->cluster, REVIEW_MARK_CLUSTER, false};
	tokens[2] = (struct token){unit->namespace, REVIEW_MARK_NAMESPACE, false};
	tokens[3] = (struct token){prefix, REVIEW_MARK_PREFIX, by_prefix};
	sort_tokens(tokens, TOKENS);
}

void review_add_normal(struct arena *scratch, struct buf *buf, const struct review_unit *unit)
{
	struct token tokens[TOKENS];

	tokens_of(unit, tokens);
	for (size_t i = 0; i < unit->file_count; i++)
		add_file(scratch, buf, unit, &unit->files[i], tokens, TOKENS);
}

sv review_normal_text(struct arena *arena, sv text, const struct review_unit *unit)
{
	struct token tokens[TOKENS];
	struct buf visible = buf_in(arena);
	struct buf buf = buf_in(arena);

	tokens_of(unit, tokens);
	report_add_visible(&visible, text);
	add_marked(&buf, buf_sv(&visible), tokens, TOKENS);
	return buf_sv(&buf);
}

bool review_leaves_out(sv normal)
{
	for (size_t i = 0; i < normal.len; i++)
		if (normal.ptr[i] == REVIEW_MARK_FINGERPRINT || normal.ptr[i] == REVIEW_MARK_OWN)
			return true;
	return false;
}

void review_add_shown(struct buf *buf, sv normal, const struct review_names *names)
{
	for (size_t i = 0; i < normal.len; i++) {
		switch (normal.ptr[i]) {
		case REVIEW_MARK_NAME:
			buf_add(buf, sv_empty(names->name) ? SV("<name>") : names->name);
			break;
		case REVIEW_MARK_CLUSTER:
			buf_add(buf, sv_empty(names->cluster) ? SV("<cluster>") : names->cluster);
			break;
		case REVIEW_MARK_NAMESPACE:
			buf_add(buf,
			        sv_empty(names->namespace) ? SV("<namespace>") : names->namespace);
			break;
		case REVIEW_MARK_PREFIX:
			buf_add(buf, sv_empty(names->name) ? SV("<pool>") : prefix_of(names->name));
			break;
		case REVIEW_MARK_FINGERPRINT:
		case REVIEW_MARK_OWN:
			BUF_ADD_LIT(buf, "...");
			break;
		default:
			buf_add_char(buf, normal.ptr[i]);
		}
	}
}
