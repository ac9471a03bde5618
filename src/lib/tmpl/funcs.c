/*
 * Which families make up which set.
 */
#include "tmpl/func.h"

static const struct tmpl_func_table *const profile_tables[] = {
    &tmpl_funcs_strings, &tmpl_funcs_lists,    &tmpl_funcs_dicts, &tmpl_funcs_logic,
    &tmpl_funcs_math,    &tmpl_funcs_encoding, &tmpl_funcs_json,  &tmpl_funcs_yaml,
    &tmpl_funcs_crypto,  &tmpl_funcs_decimal,  &tmpl_funcs_url,   &tmpl_funcs_words,
    &tmpl_funcs_regex,   &tmpl_funcs_toml,     &tmpl_funcs_paths, &tmpl_funcs_version,
    &tmpl_funcs_date,    &tmpl_funcs_merge,    &tmpl_funcs_copy,  &tmpl_funcs_refused,
    &tmpl_builtins};

static const struct tmpl_func_table *const form_tables[] = {
    &tmpl_funcs_of_forms, &tmpl_funcs_strings, &tmpl_funcs_lists, &tmpl_funcs_dicts,
    &tmpl_funcs_logic,    &tmpl_funcs_math,    &tmpl_funcs_words, &tmpl_builtins};

static const struct tmpl_func_table *const builtin_tables[] = {&tmpl_builtins};

const struct tmpl_funcs tmpl_funcs_builtin = {builtin_tables, COUNT_OF(builtin_tables)};
const struct tmpl_funcs tmpl_funcs_form = {form_tables, COUNT_OF(form_tables)};
const struct tmpl_funcs tmpl_funcs_profile = {profile_tables, COUNT_OF(profile_tables)};

const struct tmpl_func *tmpl_func_find(const struct tmpl_funcs *funcs, sv name)
{
	for (size_t t = 0; t < funcs->table_count; t++) {
		const struct tmpl_func_table *table = funcs->tables[t];
		for (size_t i = 0; i < table->count; i++)
			if (sv_eq(table->funcs[i].name, name))
				return &table->funcs[i];
	}
	return NULL;
}

const sv *tmpl_funcs_names(struct arena *arena, const struct tmpl_funcs *funcs, size_t *ret_count)
{
	VEC(sv) names = {0};

	for (size_t t = 0; t < funcs->table_count; t++)
		for (size_t i = 0; i < funcs->tables[t]->count; i++)
			VEC_PUSH(arena, &names, funcs->tables[t]->funcs[i].name);
	if (names.count > 0)
		sort_stable(names.items, names.count, sizeof(sv), sort_compare_sv, NULL);
	*ret_count = names.count;
	return names.items;
}
