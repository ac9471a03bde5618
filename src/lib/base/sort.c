/*
 * The stable sort: a merge sort without recursion.
 */
#include "base/sort.h"

#include "base/compiler.h"

#include <stdlib.h>

int sort_compare_sv(const void *a, const void *b, void *context UNUSED)
{
	return sv_cmp(*(const sv *)a, *(const sv *)b);
}

/* Bottom-up merge sort: runs of `width` items of `from` are merged into `to`. */
static void merge_pass(const char *from, char *to, size_t count, size_t size, size_t width,
                       sort_compare compare, void *context)
{
	for (size_t start = 0; start < count; start += 2 * width) {
		size_t middle = start + width < count ? start + width : count;
		size_t end = start + 2 * width < count ? start + 2 * width : count;
		size_t left = start;
		size_t right = middle;

		for (size_t at = start; at < end; at++) {
			bool take_left =
			    left < middle &&
			    (right >= end ||
			     compare(from + left * size, from + right * size, context) <= 0);
			size_t taken = take_left ? left++ : right++;

			memcpy(to + at * size, from + taken * size, size);
		}
	}
}

void sort_stable(void *items, size_t count, size_t size, sort_compare compare, void *context)
{
	if (count < 2)
		return;
	char *scratch = calloc(count, size);
	if (!scratch)
		base_out_of_memory();
	char *from = items;
	char *to = scratch;
	for (size_t width = 1; width < count; width *= 2) {
		merge_pass(from, to, count, size, width, compare, context);
		char *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * size);
	free(scratch);
}

struct member {
	size_t offset;
	bool are_pointers;
};

static sv get_member(const void *item, const struct member *member)
{
	const char *object = member->are_pointers ? *(const char *const *)item : item;

	return *(const sv *)(const void *)(object + member->offset);
}

static int compare_members(const void *a, const void *b, void *context)
{
	return sv_cmp(get_member(a, context), get_member(b, context));
}

void sort_by(void *items, size_t count, size_t size, size_t offset, bool are_pointers)
{
	struct member member = {offset, are_pointers};

	sort_stable(items, count, size, compare_members, &member);
}
