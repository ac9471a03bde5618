/*
 * age's armor: a file as text, PEM-like (age-encryption.org/v1, ASCII armor).
 */
#include "codec/codec.h"
#include "seal/age.h"

#define ARMOR_BEGIN SV("-----BEGIN AGE ENCRYPTED FILE-----")
#define ARMOR_END   SV("-----END AGE ENCRYPTED FILE-----")

enum { LINE_BYTES = 48, LINE_CHARACTERS = 64 };

static void add_armor_line(struct buf *buf, size_t indent, sv line)
{
	buf_add_repeat(buf, ' ', indent);
	buf_add(buf, line);
	buf_add_char(buf, '\n');
}

void age_armor_add(struct buf *buf, sv file, size_t indent)
{
	add_armor_line(buf, indent, ARMOR_BEGIN);
	for (size_t i = 0; i < file.len; i += LINE_BYTES) {
		buf_add_repeat(buf, ' ', indent);
		base64_add(buf, BASE64_STD, sv_slice(file, i, i + LINE_BYTES));
		buf_add_char(buf, '\n');
	}
	add_armor_line(buf, indent, ARMOR_END);
}

bool age_armor_decode(struct arena *arena, sv text, sv *ret_file)
{
	struct buf body = buf_in(arena);
	struct sv_splitter lines = sv_split(sv_trim_space(text), '\n');
	bool last = false;
	sv line;

	if (!sv_split_next(&lines, &line) || !sv_eq(sv_trim_right(line, "\r"), ARMOR_BEGIN))
		return false;
	while (sv_split_next(&lines, &line)) {
		line = sv_trim_right(line, "\r");
		if (sv_eq(line, ARMOR_END)) {
			sv rest;

			return body.len > 0 && !sv_split_next(&lines, &rest) &&
			       base64_decode_canonical(arena, BASE64_STD, buf_sv(&body), ret_file);
		}
		/* Only the last line may be short, and it is not empty. */
		if (last || line.len == 0 || line.len > LINE_CHARACTERS)
			return false;
		last = line.len < LINE_CHARACTERS;
		buf_add(&body, line);
	}
	return false;
}
