/*
 * The options that a shard was rendered with, as far as they decide a result or a guard: shards and
 * `merge` must have the same ones. Values are digests keyed with the seed, since some are secrets.
 */
#include "run/shard/shard.h"
#include "json/json.h"

VEC_TYPE(options, struct run_shard_option);

struct listing {
	const struct run_env *env;
	const struct seal_root *root;
	struct options options;
};

/* Adds an option, unless the value is a null pointer. */
static void add_option(struct listing *l, sv name, sv value)
{
	if (!value.ptr)
		return;
	sv digest =
	    seal_inputs_digest(l->env->arena, l->root, value,
	                       ARENA_CONCAT(l->env->arena, SV("an option of a shard\n"), name));
	VEC_PUSH(l->env->arena, &l->options, ((struct run_shard_option){name, digest}));
}

static void add_flag(struct listing *l, sv name, bool is_given)
{
	if (is_given)
		add_option(l, name, SV("given"));
}

/* Returns the option that gives the setting of that name. */
static sv option_of(struct arena *arena, sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->settings->count; j++)
			if (sv_eq(all[i]->settings->rows[j].name, name))
				return ARENA_CONCAT(arena, SV("--"),
				                    all[i]->settings->rows[j].flag);
	return name;
}

static void add_settings(struct listing *l, const struct value *settings)
{
	for (size_t i = 0; settings && i < value_count(settings); i++) {
		const struct value_entry *entry = &settings->map->entries[i];
		struct buf text = buf_in(l->env->secret_arena);

		json_emit(&text, &entry->value, 0);
		add_option(l, option_of(l->env->arena, entry->key), buf_sv(&text));
	}
}

/* Adds bindings and files. Of a folder and a file that only CI has it adds that they are given. */
static void add_names(struct listing *l, const struct run_reading *reading)
{
	struct arena *arena = l->env->secret_arena;
	struct buf bound = buf_in(arena);
	struct buf added = buf_in(arena);

	for (size_t i = 0; i < reading->environment->count; i++) {
		const struct dialect_binding *binding = &reading->environment->items[i];

		buf_add(&bound, ARENA_CONCAT(arena, binding->cluster, SV(":"), binding->name,
		                             SV("="), value_text(&binding->text), SV("\n")));
	}
	for (size_t i = 0; i < reading->added_count; i++)
		buf_add(&added, ARENA_CONCAT(arena, reading->added[i].cluster, SV("\n"),
		                             reading->added[i].text, SV("\n")));
	if (bound.len > 0)
		add_option(l, SV("--allow-env"), buf_sv(&bound));
	if (added.len > 0)
		add_option(l, SV("--manifests"), buf_sv(&added));
	/* The folder and the file may have other names in each job. */
	add_flag(l, SV("--secrets"), !sv_empty(reading->secrets_folder));
	add_flag(l, SV("--revisions"), !sv_empty(reading->revisions_file));
}

static int compare_options(const void *left, const void *right, void *context UNUSED)
{
	return sv_cmp(((const struct run_shard_option *)left)->name,
	              ((const struct run_shard_option *)right)->name);
}

void run_list_shard_options(const struct run_env *env, const struct run_request *request,
                            const struct seal_root *root, struct run_shard_head *head)
{
	const struct run_allowed *allowed = &request->allowed;
	struct listing l = {.env = env, .root = root};

	add_flag(&l, SV("--allow-removal"), allowed->removal);
	add_flag(&l, SV("--allow-roll"), allowed->roll);
	add_flag(&l, SV("--rotate-recipients"), allowed->rotate_recipients);
	add_flag(&l, SV("--rotate-seed"), allowed->rotate_seed);
	add_option(&l, SV("--allow-recipients"), allowed->recipients.text);
	add_flag(&l, SV("--allow-program kustomize"), request->reading.programs.kustomize);
	add_flag(&l, SV("--allow-program sops"), request->reading.programs.sops);
	if (!sv_empty(request->target.branch))
		add_option(&l, SV("--branch"), request->target.branch);
	add_settings(&l, request->reading.settings);
	add_names(&l, &request->reading);
	sort_stable(l.options.items, l.options.count, sizeof(*l.options.items), compare_options,
	            NULL);
	head->options = l.options.items;
	head->option_count = l.options.count;
}

static const struct run_shard_option *find_option(const struct run_shard_head *head, sv name)
{
	for (size_t i = 0; i < head->option_count; i++)
		if (sv_eq(head->options[i].name, name))
			return &head->options[i];
	return NULL;
}

/* Finds an option that `a` has, and `b` does not have with that value. */
static bool find_more(const struct run_shard_head *a, const struct run_shard_head *b, sv *ret_name)
{
	for (size_t i = 0; i < a->option_count; i++) {
		const struct run_shard_option *other = find_option(b, a->options[i].name);

		if (other && sv_eq(other->digest, a->options[i].digest))
			continue;
		*ret_name = a->options[i].name;
		return true;
	}
	return false;
}

enum run_shard_option_difference run_compare_shard_options(const struct run_shard_head *a,
                                                           const struct run_shard_head *b,
                                                           sv *ret_name)
{
	if (find_more(a, b, ret_name))
		return find_option(b, *ret_name) ? RUN_SHARD_OPTION_OTHER : RUN_SHARD_OPTION_MORE;
	return find_more(b, a, ret_name) ? RUN_SHARD_OPTION_FEWER : RUN_SHARD_OPTIONS_SAME;
}
