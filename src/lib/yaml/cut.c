/*
 * Leaves most of long ciphertexts of SOPS and of long literals out of what libyaml reads. What
 * is cut is found by its form alone: yml_whole_text tells from libyaml's scalars whether that was
 * right, and otherwise the text is read whole.
 */
#include "yaml/events.h"
#include "yaml/problem.h"

#define CIPHERTEXT SV("ENC[AES256_GCM,data:")

enum {
	CUT_FROM = 8 << 10, /* bytes of a document that is worth it */
	CUT_LEAST = 256,    /* of one part */
	CUT_KEPT = 8,       /* base64 on each side of a cut */
	CUTS_MAX = 64,      /* each place is compared with all of them */
};

struct cutting {
	struct arena *scratch;
	sv body;
	struct buf read;
	size_t copied; /* of body to read, but for the cuts */
	VEC(struct yml_cut) cuts;
	bool is_base64[256];
};

static void add_cut(struct cutting *c, size_t begin, size_t end, bool of_lines)
{
	if (c->cuts.count == 0)
		buf_reserve(&c->read, c->body.len);
	buf_add(&c->read, sv_slice(c->body, c->copied, begin));
	c->copied = end;
	VEC_PUSH(c->scratch, &c->cuts, ((struct yml_cut){c->read.len, end - begin, of_lines}));
}

/* ---- ciphertexts --------------------------------------------------------------------------- */

static void cut_ciphertexts(struct cutting *c, size_t at, size_t end)
{
	sv body = sv_slice(c->body, 0, end);

	while (c->cuts.count < CUTS_MAX) {
		size_t begin = sv_find(sv_from_offset(body, at), CIPHERTEXT);

		if (begin == SV_NPOS)
			break;
		begin += at + CIPHERTEXT.len;
		for (at = begin; at < body.len && c->is_base64[(uint8_t)body.ptr[at]];)
			at++;
		if (at - begin >= CUT_LEAST)
			add_cut(c, begin + CUT_KEPT, at - CUT_KEPT, false);
	}
}

/* ---- literals ------------------------------------------------------------------------------ */

static sv line_at(sv text, size_t at)
{
	sv rest = sv_from_offset(text, at);

	return sv_slice(rest, 0, sv_find_char(rest, '\n'));
}

/* Returns true if the line ends as the header of a literal, which states no indentation. */
static bool ends_as_header(sv line)
{
	if (sv_ends_with(line, SV("-")) || sv_ends_with(line, SV("+")))
		line.len--;
	return sv_ends_with(line, SV(" |"));
}

/*
 * Finds the lines of a literal's content between the first and the last one, which are not blank.
 * Returns where the literal ends.
 */
static size_t literal_at(sv body, size_t at, size_t *ret_begin, size_t *ret_end)
{
	size_t indent = 0;
	sv line;

	*ret_begin = *ret_end = 0;
	for (; at < body.len; at += line.len + 1) {
		line = line_at(body, at);
		size_t spaces = sv_indentation(line);

		if (spaces == line.len)
			continue;
		if (indent == 0) {
			indent = spaces;
			*ret_begin = *ret_end = at + line.len + 1;
		} else if (spaces >= indent) {
			*ret_end = at;
		}
		if (spaces < indent || indent == 0)
			break;
	}
	return at < body.len ? at : body.len;
}

static void cut_all(struct cutting *c)
{
	size_t searched = 0; /* for ciphertexts */

	for (size_t at = 0; at < c->body.len && c->cuts.count < CUTS_MAX;) {
		sv line = line_at(c->body, at);
		size_t begin;
		size_t end;

		at += line.len + 1;
		if (!ends_as_header(line))
			continue;
		size_t after = literal_at(c->body, at, &begin, &end);
		if (end - begin >= CUT_LEAST) {
			cut_ciphertexts(c, searched, at);
			add_cut(c, begin, end, true);
			searched = end;
		}
		at = after;
	}
	cut_ciphertexts(c, searched, c->body.len);
}

/*
 * Adds the text of a literal that is written so, from its header on. Returns false if the lines
 * cannot be those of one literal.
 */
static bool add_literal(struct buf *buf, sv written)
{
	size_t at = sv_find_char(written, '\n');
	size_t indent = 0;
	sv line;

	if (at == SV_NPOS)
		return false;
	for (at++; at < written.len; at += line.len + 1) {
		line = line_at(written, at);
		size_t spaces = sv_indentation(line);

		if (indent == 0 && spaces < line.len)
			indent = spaces;
		if (spaces < line.len && spaces < indent)
			return false;
		buf_add(buf, sv_from_offset(line, indent));
		if (at + line.len < written.len)
			buf_add_char(buf, '\n');
	}
	size_t whole = buf->len;
	while (buf->len > 0 && buf->ptr[buf->len - 1] == '\n')
		buf->len--;
	if (written.ptr[1] == '+')
		buf->len = whole;
	else if (written.ptr[1] != '-' && whole > buf->len)
		buf->len++;
	return true;
}

/* ---- the text ------------------------------------------------------------------------------ */

bool yml_text_cut(struct arena *scratch, struct yml_text *text)
{
	struct cutting c = {.scratch = scratch, .body = text->body, .read = buf_in(scratch)};

	/* libyaml's places count characters, those of the cuts count bytes. */
	if (text->body.len < CUT_FROM || text->marks)
		return false;
	for (unsigned i = 0; i < COUNT_OF(c.is_base64); i++)
		c.is_base64[i] = ascii_is_alphanumeric((unsigned char)i) || i == '+' || i == '/';
	/* To libyaml a carriage return ends a line, too. */
	if (sv_find_char(text->body, '\r') == SV_NPOS)
		cut_all(&c);
	else
		cut_ciphertexts(&c, 0, text->body.len);
	if (c.cuts.count == 0)
		return false;
	buf_add(&c.read, sv_from_offset(text->body, c.copied));
	text->read = buf_sv(&c.read);
	text->cuts = c.cuts.items;
	text->cut_count = c.cuts.count;
	return true;
}

size_t yml_cut_before(const struct yml_text *text, size_t index)
{
	size_t removed = 0;

	for (size_t i = 0; i < text->cut_count && text->cuts[i].at < index; i++)
		removed += text->cuts[i].length;
	return removed;
}

/* Passes cuts before `index`. Returns false if lines were cut there. */
static bool pass_cuts(const struct yml_text *text, size_t index, size_t *passed)
{
	bool were_bytes = true;

	for (; *passed < text->cut_count && text->cuts[*passed].at < index; ++*passed)
		were_bytes &= !text->cuts[*passed].of_lines;
	return were_bytes;
}

bool yml_cuts_end(const struct yml_text *text, size_t passed)
{
	return pass_cuts(text, SIZE_MAX, &passed);
}

enum yml_cut_result yml_whole_text(struct arena *scratch, const struct yml_text *text,
                                   const yaml_event_t *scalar, size_t *passed, sv *ret_text)
{
	size_t start = scalar->start_mark.index;
	size_t end = scalar->end_mark.index;
	struct buf literal = buf_in(scratch);

	*ret_text = yml_scalar_text(scalar);
	if (!pass_cuts(text, start, passed))
		return YML_CUT_UNKNOWN;
	size_t first = *passed;
	bool were_bytes = pass_cuts(text, end, passed);
	if (first == *passed)
		return YML_NOT_CUT;
	sv read = sv_slice(text->read, start, end);
	sv whole = sv_slice(text->body, start + yml_cut_before(text, start),
	                    end + yml_cut_before(text, end));
	if (scalar->data.scalar.style == YAML_LITERAL_SCALAR_STYLE) {
		/* An anchor or a tag may come before the header. */
		if (!sv_starts_with(read, SV("|")) || !add_literal(&literal, read) ||
		    !sv_eq(*ret_text, buf_sv(&literal)))
			return YML_CUT_UNKNOWN;
		literal = buf_in(scratch);
		if (!add_literal(&literal, whole))
			return YML_CUT_UNKNOWN;
		*ret_text = buf_sv(&literal);
		return YML_CUT;
	}
	/* The cuts' places in the scalar are known if it has no escapes and no further lines. */
	if (!were_bytes || !sv_eq(*ret_text, read))
		return YML_CUT_UNKNOWN;
	*ret_text = whole;
	return YML_CUT;
}
