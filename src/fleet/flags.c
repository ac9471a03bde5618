/*
 * The settings that there are: each dialect's, and those that are the fleet's whatever the dialect.
 */
#include "fleet/internal.h"

static const struct setting own_settings[] = {
    {
        .flag = SV_INIT("management-cluster"),
        .name = SV_INIT("managementCluster"),
        .kind = SETTING_STRING,
        .placeholder = "self|NAME",
        .help = "where the management side is applied: in the cluster itself, or in one that "
                "several clusters share",
    },
};

/* The i-th setting of all; null behind the last. */
static const struct setting *setting_at(size_t i, size_t *ret_dialect)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t j = 0; j < count; j++) {
		*ret_dialect = j;
		if (i < all[j]->setting_count)
			return &all[j]->settings[i];
		i -= all[j]->setting_count;
	}
	*ret_dialect = FLEET_SETTINGS;
	return i < COUNT_OF(own_settings) ? &own_settings[i] : NULL;
}

const struct setting *const *fleet_settings(struct arena *arena, size_t *ret_count)
{
	VEC(const struct setting *) list = {0};
	const struct setting *setting;
	size_t dialect;

	for (size_t i = 0; (setting = setting_at(i, &dialect)); i++)
		VEC_PUSH(arena, &list, setting);
	*ret_count = list.count;
	return list.items;
}

const struct setting *fleet_setting_by_name(sv name, size_t *ret_dialect)
{
	const struct setting *setting;

	for (size_t i = 0; (setting = setting_at(i, ret_dialect)); i++)
		if (sv_eq(setting->name, name))
			return setting;
	return NULL;
}

const struct setting *fleet_setting_by_flag(sv flag)
{
	const struct setting *setting;
	size_t dialect;

	for (size_t i = 0; (setting = setting_at(i, &dialect)); i++)
		if (sv_eq(setting->flag, flag))
			return setting;
	return NULL;
}

sv fleet_setting_nearest(struct arena *arena, sv name)
{
	size_t count;
	const struct setting *const *list = fleet_settings(arena, &count);
	sv *names = ARENA_ARRAY(arena, sv, count);

	for (size_t i = 0; i < count; i++) {
		names[i] = list[i]->name;
		if (sv_eq_fold_ascii(name, list[i]->name) || sv_eq_fold_ascii(name, list[i]->flag))
			return list[i]->name;
	}
	return diag_nearest(name, names, count);
}
