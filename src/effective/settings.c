/*
 * The settings that hold for a cluster or for the fleet: flags, osm-gen.yaml, defaults.
 */
#include "internal.h"

#include "run/run.h"
#include "secrecy/secrecy.h"

/* ---- masking ----------------------------------------------------------------------- */

/* Masks user and password of URLs. Replaces the content of a file by its size. */
static sv shown_text(struct arena *arena, bool is_file, sv name, sv text)
{
	struct value tainted = secrecy_taint_userinfo(arena, value_string(text), name);
	struct buf buf = buf_in(arena);
	size_t at = 0;

	if (is_file && sv_find_char(text, '\n') != SV_NPOS)
		return arena_printf(arena, "(a file of %zu bytes)", text.len);
	if (!tainted.taint)
		return text;
	if (tainted.taint->derived)
		return SV("***");
	for (size_t i = 0; i < tainted.taint->count; i++) {
		buf_add(&buf, sv_slice(text, at, tainted.taint->spans[i].start));
		BUF_ADD_LIT(&buf, "***");
		at = tainted.taint->spans[i].end;
	}
	buf_add(&buf, sv_from_offset(text, at));
	return buf_sv(&buf);
}

/* CIRCLE: shown_value, for lists and maps in each other, as deep as YAML may nest. */
static struct value shown_value(struct arena *arena, bool is_file, sv name, const struct value *v)
{
	struct value copy = value_map_new(arena);

	if (value_is_string(v) && v->taint)
		return value_string(SV("***"));
	if (value_is_string(v))
		return value_string(shown_text(arena, is_file, name, v->string));
	if (value_is_list(v)) {
		copy = value_list_new(arena);
		for (size_t i = 0; i < value_count(v); i++)
			value_list_add(arena, &copy,
			               shown_value(arena, is_file, name, value_item(v, i)));
		return copy;
	}
	if (!value_is_map(v))
		return *v;
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];

		value_map_set(arena, &copy, shown_text(arena, is_file, name, entry->key),
		              shown_value(arena, is_file, name, &entry->value));
	}
	return copy;
}

static bool take_setting(struct arena *arena, struct effective *found, const struct value *v,
                         const char *from, bool is_file)
{
	if (value_is_null(v))
		return false;
	found->value = shown_value(arena, is_file, found->name, v);
	found->from = from;
	found->at = effective_place(arena, value_position(v));
	return true;
}

/* ---- a cluster ------------------------------------------------------------------------ */

/* Returns "--cluster-dns", or the name of the environment variable that gives the flag. */
static sv place_of_flag(const struct value *flag)
{
	struct position at = value_position(value_is_list(flag) ? value_item(flag, 0) : flag);

	return at.source ? at.source->path : SV("");
}

static struct effective find_setting(struct arena *arena, const struct fleet *fleet,
                                     const struct fleet_cluster *cluster, const struct value *flags,
                                     const struct setting *setting)
{
	const struct value *flag = value_map_get(flags, setting->name);
	bool is_file = setting->kind == SETTING_BUNDLE;
	struct effective found = {
	    .section = "settings",
	    .name = setting->name,
	    .value = setting->initial ? value_string(sv_from_cstr(setting->initial)) : value_null(),
	    .from = "default",
	};

	if (take_setting(arena, &found, flag, "flag", is_file))
		found.at = place_of_flag(flag);
	else if (!take_setting(arena, &found, value_map_get(cluster->settings, setting->name),
	                       "cluster", is_file) &&
	         !take_setting(arena, &found, value_map_get(cluster->made_settings, setting->name),
	                       "manifest", is_file))
		(void)take_setting(arena, &found, value_map_get(fleet->defaults, setting->name),
		                   "fleet", is_file);
	return found;
}

/* Takes a member of the cluster's `sealing`, else of the fleet's. */
static struct effective find_sealing(struct arena *arena, const struct fleet *fleet,
                                     const struct fleet_cluster *cluster, const char *name,
                                     struct value initial)
{
	struct effective found = {
	    .section = "sealing",
	    .name = sv_from_cstr(name),
	    .value = initial,
	    .from = "default",
	};
	const struct value *own = value_map_get(cluster->spec, SV("sealing"));
	const struct value *shared = value_map_get(fleet->spec, SV("sealing"));

	if (!take_setting(arena, &found, value_map_get(own, found.name), "cluster", true))
		(void)take_setting(arena, &found, value_map_get(shared, found.name), "fleet", true);
	return found;
}

/* Takes the recipients of .sops.yaml where osm-gen.yaml names none. */
static struct effective find_recipients(struct arena *arena, const struct fleet *fleet,
                                        const struct fleet_cluster *cluster)
{
	const struct fleet_sealing *sealing = &cluster->sealing;
	struct effective found =
	    find_sealing(arena, fleet, cluster, "recipients", value_list_new(arena));

	if (!sealing->rule)
		return found;
	for (size_t i = 0; i < sealing->recipient_count; i++)
		value_list_add(arena, &found.value, value_string(sealing->recipients[i].text));
	found.from = "rule";
	found.at = effective_place(arena, sealing->rule->at);
	return found;
}

struct effectives effective_of_cluster(struct arena *arena, const struct fleet *fleet,
                                       const struct fleet_cluster *cluster,
                                       const struct value *flags)
{
	const struct sealer_format *format = cluster->sealing.format;
	struct effectives all = {0};
	size_t count;
	const struct setting *const *settings = fleet_settings(arena, &count);

	for (size_t i = 0; i < count; i++)
		VEC_PUSH(arena, &all, find_setting(arena, fleet, cluster, flags, settings[i]));
	VEC_PUSH(arena, &all,
	         find_sealing(arena, fleet, cluster, "format", value_string(format->name)));
	if (format->takes_certificate) {
		VEC_PUSH(arena, &all,
		         find_sealing(arena, fleet, cluster, "certificate", value_null()));
		VEC_PUSH(arena, &all,
		         find_sealing(arena, fleet, cluster, "scope",
		                      value_string(seal_scope_name(SEAL_SCOPE_STRICT))));
		return all;
	}
	VEC_PUSH(arena, &all, find_recipients(arena, fleet, cluster));
	VEC_PUSH(arena, &all, find_sealing(arena, fleet, cluster, "roundLengths", value_int(1)));
	return all;
}

/* ---- the fleet ------------------------------------------------------------------------ */

static struct effective find_shared(struct arena *arena, const struct fleet *fleet,
                                    const char *section, const char *name, struct value initial)
{
	struct effective found = {
	    .section = section,
	    .name = sv_from_cstr(name),
	    .value = initial,
	    .from = "default",
	};

	(void)take_setting(
	    arena, &found,
	    value_map_get(value_map_get(fleet->spec, sv_from_cstr(section)), found.name), "fleet",
	    false);
	return found;
}

static struct effective find_contract(struct arena *arena, const struct fleet *fleet)
{
	struct effective found = {
	    .section = "spec",
	    .name = SV("contract"),
	    .value = value_int((int64_t)fleet->contract),
	    .from = "default",
	};

	(void)take_setting(arena, &found, value_map_get(fleet->spec, found.name), "fleet", false);
	return found;
}

/* A fleet can lower the default limits of a run, but not raise them. */
static struct effective find_limit(struct arena *arena, const struct fleet *fleet, const char *name,
                                   uint64_t initial)
{
	struct value limit =
	    initial == RUN_BY_SIZE ? value_string(SV("by size")) : value_int((int64_t)initial);
	struct effective found = find_shared(arena, fleet, "limits", name, limit);

	if (!sv_empty(found.at) && (uint64_t)found.value.integer < initial)
		return found;
	found.value = limit;
	found.from = "default";
	found.at = SV("");
	return found;
}

struct effectives effective_of_fleet(struct arena *arena, const struct fleet *fleet)
{
	const struct run_limits initial = run_limits_default();
	const struct {
		const char *name;
		uint64_t initial;
	} limits[] = {
	    {"maxEntries", initial.entries},     {"maxInput", initial.input_bytes},
	    {"maxValues", initial.values},       {"maxSteps", initial.steps},
	    {"maxOutput", initial.output_bytes},
	};
	struct effectives all = {0};

	VEC_PUSH(arena, &all, find_contract(arena, fleet));
	VEC_PUSH(arena, &all, find_shared(arena, fleet, "sealing", "fleet", value_null()));
	VEC_PUSH(arena, &all, find_shared(arena, fleet, "sealing", "inputs", value_null()));
	VEC_PUSH(arena, &all,
	         find_shared(arena, fleet, "commit", "author", value_string(SV(RUN_AUTHOR))));
	VEC_PUSH(arena, &all,
	         find_shared(arena, fleet, "commit", "subject", value_string(SV(RUN_SUBJECT))));
	VEC_PUSH(arena, &all, find_shared(arena, fleet, "commit", "trailers", value_null()));
	VEC_PUSH(arena, &all,
	         find_shared(arena, fleet, "removalGuard", "percent",
	                     value_int((int64_t)fleet->removal_guard.percent)));
	VEC_PUSH(arena, &all,
	         find_shared(arena, fleet, "removalGuard", "least",
	                     value_int((int64_t)fleet->removal_guard.least)));
	for (size_t i = 0; i < COUNT_OF(limits); i++)
		VEC_PUSH(arena, &all, find_limit(arena, fleet, limits[i].name, limits[i].initial));
	return all;
}
