/* git: entries of packs, at the bounds of their numbers, and the index of a large pack. */
#include "git/pack_index.h"
#include "git/pack_read.h"

#include "git_fixture.h"

enum { COPY_MOST = 0x10000 };

static void assert_target(struct arena *arena, sv base, sv delta, const char *want)
{
	sv target;

	assert_true(git_entry_apply_delta(arena, base, delta, &target));
	assert_sv(target, want);
}

static void applies_differences(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv target;

	assert_target(arena, SV("abc"), SV("\x03\x01\x91\x01\x01"), "b");
	assert_target(arena, SV("abc"), SV("\x03\x03\x90\x03"), "abc");
	assert_target(arena, SV("abc"), SV("\x03\x04\x91\x01\x02\x02xy"), "bcxy");
	assert_target(arena, SV(""), sv_from("\x00\x01\x01z", 4), "z");
	/* A base of another size, more or less than the target's size, bytes that are not there. */
	assert_false(git_entry_apply_delta(arena, SV("abcd"), SV("\x03\x01\x91\x01\x01"), &target));
	assert_false(git_entry_apply_delta(arena, SV("abc"), SV("\x03\x02\x91\x01\x01"), &target));
	assert_false(
	    git_entry_apply_delta(arena, SV("abc"), sv_from("\x03\x00\x91\x01\x01", 5), &target));
	assert_false(git_entry_apply_delta(arena, SV("abc"), SV("\x03\x02\x91\x02\x02"), &target));
	assert_false(git_entry_apply_delta(arena, SV("abc"), SV("\x03\x02\x02x"), &target));
	assert_false(git_entry_apply_delta(arena, SV("abc"), sv_from("\x03\x01\x00x", 4), &target));
	assert_false(git_entry_apply_delta(arena, SV("abc"), SV("\x03\x01\x91\x01"), &target));
}

/* Writes a size as a difference has it. */
static void add_size(struct buf *buf, uint64_t size)
{
	for (; size >= 0x80; size >>= 7)
		buf_add_char(buf, (char)(size | 0x80));
	buf_add_char(buf, (char)size);
}

/* As many copies of a whole base as fill the largest object that is read, and `more` bytes. */
static bool applies_largest(struct arena *arena, size_t more)
{
	char *base = arena_alloc_text(arena, COPY_MOST);
	struct buf delta = buf_in(arena);
	sv target;

	memset(base, 'x', COPY_MOST);
	add_size(&delta, COPY_MOST);
	add_size(&delta, GIT_ENTRY_MAX_BYTES + more);
	buf_add_repeat(&delta, '\x80', GIT_ENTRY_MAX_BYTES / COPY_MOST);
	if (more > 0)
		buf_add(&delta, SV("\x01y"));
	return git_entry_apply_delta(arena, sv_from(base, COPY_MOST), buf_sv(&delta), &target) &&
	       target.len == GIT_ENTRY_MAX_BYTES && target.ptr[target.len - 1] == 'x';
}

static void applies_the_largest(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_true(applies_largest(arena, 0));
	assert_false(applies_largest(arena, 1));
}

/* Offsets of 2 GiB and more are in a table of their own (gitformat-pack(5)). */
static void writes_large_offsets(void **state)
{
	static const uint64_t offsets[] = {12, 0x7fffffff, 0x80000000, 0x123456789, 0x80000001};
	struct fixture *f = *state;
	struct git_pack_entries entries = {0};
	const uint8_t trailer[GIT_PACK_TRAILER_SIZE] = "0123456789012345678";
	struct buf want = buf_in(f->arena);

	for (size_t i = 0; i < COUNT_OF(offsets); i++) {
		struct git_pack_entry entry = {.offset = offsets[i], .crc = (uint32_t)i + 1};

		memset(entry.id.bytes, (int)(0x10 + i), sizeof(entry.id.bytes));
		VEC_PUSH(f->arena, &entries, entry);
		buf_printf(&want, "%s%llu %.*s (%08x)", i == 0 ? "" : "\n",
		           (unsigned long long)offsets[i], SV_ARG(git_id_hex(f->arena, entry.id)),
		           (unsigned)i + 1);
	}
	shell(f, "mkdir packs && touch packs/temporary");
	git_pack_entries_sort(&entries);
	assert_int_equal(
	    git_pack_publish(&f->sink, path_in(f, "packs/temporary"), &entries, trailer),
	    STATUS_OK);
	assert_sv(shell(f, "ls packs | wc -l; ls packs | grep -c 'pack-[0-9a-f]*\\.pack'"), "2\n1");
	assert_sv(shell(f, "cat packs/*.idx | git show-index --object-format=sha1"),
	          arena_cstr(f->arena, buf_sv(&want)));
}

UNIT_TESTS(git_pack_read)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(applies_differences),
	    cmocka_unit_test(applies_the_largest),
	    cmocka_unit_test_setup_teardown(writes_large_offsets, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
