/*
 * A tar archive: ustar headers, and pax headers for long paths.
 */
#include "image/image.h"

enum {
	BLOCK = 512,
	NAME_BYTES = 100, /* of a path in a ustar header */
};

/* The members of a ustar header that are written, as offsets in its block. */
enum {
	AT_NAME = 0,
	AT_MODE = 100,
	AT_UID = 108,
	AT_GID = 116,
	AT_SIZE = 124,
	AT_TIME = 136,
	AT_SUM = 148,
	AT_TYPE = 156,
	AT_MAGIC = 257,
};

/* Writes digits in octal and a NUL. Sizes of files, which are in memory, always fit. */
static void put_octal(char *at, size_t size, uint64_t number)
{
	at[--size] = '\0';
	while (size > 0) {
		at[--size] = (char)('0' + (number & 7));
		number >>= 3;
	}
	BUG_ON(number > 0);
}

static void add_header(struct buf *tar, sv name, char type, size_t size, uint64_t time)
{
	/* "ustar", a NUL, and the version's two digits. */
	static const char magic[] = {'u', 's', 't', 'a', 'r', '\0', '0', '0'};
	char *block = buf_reserve(tar, BLOCK);
	unsigned sum = 0;

	memset(block, 0, BLOCK);
	memcpy(block + AT_NAME, name.ptr, name.len < NAME_BYTES ? name.len : NAME_BYTES);
	put_octal(block + AT_MODE, 8, 0644);
	put_octal(block + AT_UID, 8, 0);
	put_octal(block + AT_GID, 8, 0);
	put_octal(block + AT_SIZE, 12, size);
	put_octal(block + AT_TIME, 12, time);
	block[AT_TYPE] = type;
	memcpy(block + AT_MAGIC, magic, sizeof(magic));
	/* The sum counts itself as blanks, and has six digits, a NUL and a blank. */
	memset(block + AT_SUM, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)block[i];
	put_octal(block + AT_SUM, 7, sum);
	tar->len += BLOCK;
}

static void add_content(struct buf *tar, sv bytes)
{
	buf_add(tar, bytes);
	buf_add_repeat(tar, '\0', (BLOCK - bytes.len % BLOCK) % BLOCK);
}

/* Returns a pax record, "LENGTH path=PATH\n". The length counts its own digits. */
static sv path_record(struct arena *arena, sv path)
{
	size_t rest = path.len + strlen(" path=\n");
	size_t length = rest;

	for (size_t before = 0; before != length;) {
		before = length;
		length = rest + arena_printf(arena, "%zu", before).len;
	}
	return arena_printf(arena, "%zu path=%.*s\n", length, SV_ARG(path));
}

void image_tar_add(struct buf *tar, sv path, sv bytes, int64_t time)
{
	uint64_t seconds = time < 0 ? 0 : (uint64_t)time;

	if (path.len > NAME_BYTES) {
		sv record = path_record(tar->arena, path);

		add_header(tar, SV("pax"), 'x', record.len, seconds);
		add_content(tar, record);
	}
	add_header(tar, path, '0', bytes.len, seconds);
	add_content(tar, bytes);
}

void image_tar_end(struct buf *tar)
{
	buf_add_repeat(tar, '\0', 2 * (size_t)BLOCK);
}
