/*
 * Finds files that differ in their encrypted values. What is encrypted anew for other readers only
 * (`sops updatekeys`) has the same values.
 */
#include "run/basis/internal.h"

#define SEALED_VALUE "ENC["

/* Returns true if the text may have encrypted values, or is encrypted as a whole. */
static bool may_be_sealed(sv text)
{
	static const sv marks[] = {
	    SV_INIT(SEALED_VALUE),
	    SV_INIT("age-encryption.org/"),
	    SV_INIT("-----BEGIN AGE ENCRYPTED FILE-----"),
	    SV_INIT("-----BEGIN PGP MESSAGE-----"),
	    SV_INIT("$ANSIBLE_VAULT;"),
	};

	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (sv_contains(text, marks[i]))
			return true;
	return sv_find_char(text, '\0') != SV_NPOS;
}

/*
 * Returns true for the file's MAC, which depends on its clear values, too. sops writes it after the
 * time of the last change.
 */
static bool is_mac(sv text, size_t at)
{
	enum { LOOK_BACK = 80 };
	sv before = sv_slice(text, at > LOOK_BACK ? at - LOOK_BACK : 0, at);

	return sv_contains(before, SV("lastmodified")) &&
	       sv_ends_with(sv_trim_right(before, " \t\":"), SV("mac"));
}

/* Returns all encrypted values of a file, or the whole file if osm-gen cannot see where they are.
 */
static sv sealed_values(struct arena *arena, sv text)
{
	struct buf values = buf_in(arena);
	size_t done = 0;

	if (!sv_contains(text, SV(SEALED_VALUE)))
		return may_be_sealed(text) ? text : SV("");
	for (;;) {
		size_t found = sv_find(sv_from_offset(text, done), SV(SEALED_VALUE));
		if (found == SV_NPOS)
			return buf_sv(&values);
		size_t start = done + found;
		size_t length = sv_find_char(sv_from_offset(text, start), ']');
		done = length == SV_NPOS ? text.len : start + length + 1;
		if (is_mac(text, start))
			continue;
		buf_add(&values, sv_slice(text, start, done));
		buf_add_char(&values, '\n');
	}
}

static sv read_blob(struct arena *arena, const struct run_inputs *inputs,
                    const struct git_file *file)
{
	struct sink unused = sink_in(arena);
	sv text;

	if (!file ||
	    git_read(arena, &unused, inputs->repo, file, RUN_MAX_INPUT_BYTES, &text) != STATUS_OK)
		return SV("");
	return text;
}

static void look_at(const struct run_env *env, const struct run_inputs *inputs,
                    const struct git_file *before, const struct git_file *now,
                    struct run_sealed_files *files)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv text_before = read_blob(scratch, inputs, before);
	sv text_now = read_blob(scratch, inputs, now);

	if (!sv_eq(sealed_values(scratch, text_before), sealed_values(scratch, text_now)))
		VEC_PUSH(env->arena, files,
		         ((struct run_sealed_file){now ? now->path : before->path,
		                                   arena_dup(env->arena, text_before),
		                                   arena_dup(env->arena, text_now)}));
}

static bool is_same_blob(const struct git_file *a, const struct git_file *b)
{
	return !a->on_disk && !b->on_disk && a->mode == b->mode && git_id_equal(a->id, b->id);
}

void run_list_sealed_files(const struct run_env *env, const struct run_basis *basis,
                           const struct run_inputs *inputs, struct run_sealed_files *ret_files)
{
	const struct git_files *before = &basis->files;
	const struct git_files *now = &inputs->taken;
	size_t i = 0;
	size_t j = 0;

	*ret_files = (struct run_sealed_files){0};
	while (i < before->count || j < now->count) {
		const struct git_file *a = i < before->count ? &before->items[i] : NULL;
		const struct git_file *b = j < now->count ? &now->items[j] : NULL;
		int order = !a ? 1 : !b ? -1 : sv_cmp(a->path, b->path);

		i += order <= 0;
		j += order >= 0;
		if (order == 0 && is_same_blob(a, b))
			continue;
		look_at(env, inputs, order <= 0 ? a : NULL, order >= 0 ? b : NULL, ret_files);
	}
}
