/*
 * Makes the normal form of a unit's change, and shows it.
 */
#include "review/internal.h"

#include "git/git.h"
#include "seal/seal.h"

struct token {
	sv text;
	enum review_mark mark; /* REVIEW_MARK_NONE: the text stays */
	unsigned digest;       /* the number of digits of "-DIGEST", which may follow; or 0 */
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
static size_t digest_at(sv line, size_t at, unsigned digits)
{
	size_t end = at + 1;

	if (at >= line.len || line.ptr[at] != '-')
		return 0;
	while (end < line.len && ascii_is_lower_hex((uint8_t)line.ptr[end]))
		end++;
	return digits > 0 && end - at == digits + 1 && !is_word(line, end) ? end - at : 0;
}

/* Returns the length of a bootstrap token's id after the user's prefix, or 0. */
static size_t token_id_at(sv line, size_t at)
{
	enum { ID_LENGTH = 6 };
	size_t end = at;

	if (at == 0 || line.ptr[at - 1] != ':' ||
	    !sv_ends_with(sv_slice(line, 0, at), SV(REVIEW_BOOTSTRAP_USER)))
		return 0;
	while (is_word(line, end))
		end++;
	return end - at == ID_LENGTH ? ID_LENGTH : 0;
}

static void add_marked(struct buf *buf, sv line, const struct token *tokens, size_t token_count)
{
	bool sealed = secrecy_has_mark(line);

	for (size_t at = 0; at < line.len;) {
		const struct token *token = token_at(line, at, tokens, token_count);
		size_t fingerprint = sealed ? secrecy_fingerprint_at(line, at) : 0;
		size_t id = token_id_at(line, at);

		if (id > 0) {
			buf_add_char(buf, REVIEW_MARK_OWN);
			at += id;
		} else if (token) {
			if (token->mark == REVIEW_MARK_NONE)
				buf_add(buf, token->text);
			else
				buf_add_char(buf, (char)token->mark);
			at += token->text.len;
			size_t digest = digest_at(line, at, token->digest);
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

struct hunk {
	struct buf text;
	struct buf removed; /* its lines without their signs */
	struct buf added;
};

static struct hunk hunk_in(struct arena *arena)
{
	return (struct hunk){buf_in(arena), buf_in(arena), buf_in(arena)};
}

/* Appends the hunk, unless its old and new lines are equal and need not be shown. */
static void end_hunk(struct buf *to, const struct hunk *hunk, bool with_equal)
{
	if (with_equal || !sv_eq(buf_sv(&hunk->removed), buf_sv(&hunk->added)))
		buf_add(to, buf_sv(&hunk->text));
}

static void add_hunk_line(struct hunk *hunk, sv line)
{
	buf_add(&hunk->text, line);
	if (sv_starts_with(line, SV("-")))
		buf_add(&hunk->removed, sv_from_offset(line, 1));
	else if (sv_starts_with(line, SV("+")))
		buf_add(&hunk->added, sv_from_offset(line, 1));
}

/* The unit of a normal form, and how it is made. */
struct normal {
	struct arena *scratch;
	const struct review_unit *unit;
	const struct token *tokens;
	size_t token_count;
	bool with_equal; /* hunks of which only marks differ */
};

/* Adds the lines of a diff in normal form; one without a line feed has a second line. */
static void add_lines(const struct normal *n, struct hunk *hunk, char sign, sv text)
{
	static const struct report_style plain = {0};
	struct buf shown = buf_in(n->scratch);
	sv line;

	report_diff_line(&shown, sign, text, &plain);
	report_defuse(&shown, 0);
	struct sv_splitter lines = sv_split(sv_trim_right(buf_sv(&shown), "\n"), '\n');
	while (sv_split_next(&lines, &line)) {
		struct buf normal = buf_in(n->scratch);

		add_line(&normal, line, n->unit, n->tokens, n->token_count);
		add_hunk_line(hunk, buf_sv(&normal));
	}
}

static void add_normal_file(const struct normal *n, struct buf *buf, const struct review_file *file)
{
	struct buf hunks = buf_in(n->scratch);
	struct buf heading = buf_in(n->scratch);
	sv before = seal_mask(n->scratch, file->before);
	sv within = file->path;

	/* The path after the cluster's folder. */
	if (sv_starts_with(within, ARENA_CONCAT(n->scratch, n->unit->cluster, SV("/"))))
		within = sv_from_offset(within, n->unit->cluster.len + 1);
	buf_add_char(&heading, ' ');
	report_add_visible(&heading, within);
	report_defuse(&heading, 0);
	struct git_hunks differing =
	    git_compare_lines(n->scratch, before, file->after, REPORT_DIFF_CONTEXT);
	VEC_EACH (found, &differing) {
		struct hunk hunk = hunk_in(n->scratch);

		BUF_ADD_LIT(&hunk.text, "@@\n");
		VEC_EACH (line, &found->lines)
			add_lines(n, &hunk, line->sign, line->text);
		end_hunk(&hunks, &hunk, n->with_equal);
	}
	if (hunks.len > 0) {
		add_line(buf, buf_sv(&heading), n->unit, n->tokens, n->token_count);
		buf_add(buf, buf_sv(&hunks));
	}
}

#define TOKENS 5
/* Digits of names with a digest: of machines, and of ConfigMaps. */
enum { NAME_DIGITS = 10, CONFIG_MAP_DIGITS = 32 };

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
	unsigned digits = by_prefix ? NAME_DIGITS : 0;
	sv config_map = unit->dialect ? unit->dialect->config_map_prefix : (sv){0};

	tokens[0] = (struct token){unit->name, REVIEW_MARK_NAME, digits};
	tokens[1] = (struct token){unit->cluster, REVIEW_MARK_CLUSTER, 0};
	tokens[2] = (struct token){unit->namespace, REVIEW_MARK_NAMESPACE, 0};
	tokens[3] = (struct token){prefix, REVIEW_MARK_PREFIX, digits};
	tokens[4] = (struct token){config_map, REVIEW_MARK_NONE, CONFIG_MAP_DIGITS};
	sort_tokens(tokens, TOKENS);
}

void review_add_normal(struct arena *scratch, struct buf *buf, const struct review_unit *unit)
{
	struct token tokens[TOKENS];
	struct normal n = {scratch, unit, tokens, TOKENS, false};
	size_t start = buf->len;

	tokens_of(unit, tokens);
	for (size_t i = 0; i < unit->file_count; i++)
		add_normal_file(&n, buf, &unit->files[i]);
	n.with_equal = true;
	for (size_t i = 0; buf->len == start && i < unit->file_count; i++)
		add_normal_file(&n, buf, &unit->files[i]);
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

sv review_shown(struct arena *arena, sv normal, const struct review_names *names)
{
	struct buf buf = buf_in(arena);

	review_add_shown(&buf, normal, names);
	return buf_sv(&buf);
}
