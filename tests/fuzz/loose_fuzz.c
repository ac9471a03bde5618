/*
 * A loose object's file, as git/ reads it: a first byte "z" says that the rest is deflated first,
 * so that headers are found. Header and whole object agree, and the content is what stands behind
 * the header.
 */
#include "git/internal.h"

#include <git2/sys/odb_backend.h>
#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static sv deflated(struct arena *arena, sv text)
{
	uLongf size = compressBound(text.len);
	char *bytes = arena_alloc_text(arena, size);

	check(compress2((Bytef *)bytes, &size, (const Bytef *)text.ptr, text.len, 1) == Z_OK);
	return sv_from(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	git_odb_backend backend = {0};
	struct git_loose_object header = {0};
	struct git_loose_object whole = {0};
	sv text = sv_from((const char *)data, size);
	sv file = text;
	bool is_plain = size > 0 && data[0] == 'z';

	/* It counts, and is left to the end of the process: a real start takes 100 ms. */
	git_libgit2_init();
	if (is_plain) {
		text = sv_from_offset(text, 1);
		file = deflated(arena, text);
	}
	int status = git_inflate_loose(&backend, file, true, &header);
	check(!header.data);
	if (git_inflate_loose(&backend, file, false, &whole) == 0) {
		check(status == 0 && header.type == whole.type && header.size == whole.size);
		check(whole.data != NULL);
		sv content = sv_from(whole.data, whole.size);
		check(!is_plain || (sv_ends_with(text, content) && text.len > content.len &&
		                    text.ptr[text.len - content.len - 1] == 0));
		git_odb_backend_data_free(&backend, whole.data);
	}
	git_error_clear();
	return 0;
}
