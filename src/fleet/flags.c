/*
 * The list of all settings: each dialect's, and those of fleet/ that every dialect has.
 */
#include "fleet/internal.h"

static enum status take_management_cluster(const struct setter *s, const struct value *v,
                                           void *ret_name)
{
	if (!value_is_string(v) || !kube_name_valid(v->string))
		return setter_report(
		    s, value_position(v), "must name a cluster",
		    "write self when the cluster applies its own management side, else one name "
		    "for all clusters that are managed from the same one: a-z, 0-9, - and .");
	*(sv *)ret_name = v->string;
	return STATUS_OK;
}

static const struct setting own_rows[] = {
    {
        .flag = SV_INIT("management-cluster"),
        .name = SV_INIT("managementCluster"),
        .kind = SETTING_TEXT,
        SETTING_MEMBER(fleet_own_settings, management_cluster),
        .placeholder = "self|NAME",
        .help = "cluster that the management side is applied to: the cluster itself, or one that "
                "several clusters share",
        .example = "self",
        .take = take_management_cluster,
    },
    {
        .flag = SV_INIT("shared-api-server"),
        .name = SV_INIT("sharedAPIServer"),
        .kind = SETTING_BOOL,
        SETTING_MEMBER(fleet_own_settings, shares_api_server),
        .help = "another Cluster has the same API server on purpose, such as a second scope of one "
                "cluster: do not warn of it",
        .initial = "false",
        .example = "true",
    },
};
const struct setting_table fleet_own_table = {own_rows, COUNT_OF(own_rows),
                                              sizeof(struct fleet_own_settings)};

const struct setting *fleet_setting_of(const struct dialect *dialect, sv name)
{
	for (size_t i = 0; i < dialect->settings->count; i++)
		if (sv_eq(dialect->settings->rows[i].name, name))
			return &dialect->settings->rows[i];
	return NULL;
}

/* Returns true if one of the first `count` dialects has a setting of that name. */
static bool is_known(const struct dialect *const *all, size_t count, sv name)
{
	for (size_t i = 0; i < count; i++)
		if (fleet_setting_of(all[i], name))
			return true;
	return false;
}

/* If two dialects have a setting of the same name, the list has the first one's. */
const struct setting *const *fleet_settings(struct arena *arena, size_t *ret_count)
{
	VEC(const struct setting *) list = {0};
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->settings->count; j++)
			if (!is_known(all, i, all[i]->settings->rows[j].name))
				VEC_PUSH(arena, &list, &all[i]->settings->rows[j]);
	for (size_t i = 0; i < COUNT_OF(own_rows); i++)
		VEC_PUSH(arena, &list, &own_rows[i]);
	*ret_count = list.count;
	return list.items;
}

const struct setting *fleet_own_setting(sv name)
{
	for (size_t i = 0; i < COUNT_OF(own_rows); i++)
		if (sv_eq(own_rows[i].name, name))
			return &own_rows[i];
	return NULL;
}

const struct setting *fleet_setting_by_flag(sv flag)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->settings->count; j++)
			if (sv_eq(all[i]->settings->rows[j].flag, flag))
				return &all[i]->settings->rows[j];
	for (size_t i = 0; i < COUNT_OF(own_rows); i++)
		if (sv_eq(own_rows[i].flag, flag))
			return &own_rows[i];
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
