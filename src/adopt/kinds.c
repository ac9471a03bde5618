/*
 * The kinds that are read from exports, and which dialect knows each of them.
 */
#include "adopt/internal.h"

/* Kinds that serve every dialect: inputs that something refers to, and controllers. */
static const struct {
	const char *name;
	const char *group;
} common[] = {
    {"Deployment", "apps"},
    {"Secret", ""},
    {"ConfigMap", ""},
    {"ServiceAccount", ""},
};

static sv api_group_of(sv api_version)
{
	sv group;
	sv version;

	return sv_cut(api_version, SV("/"), &group, &version) ? group : SV("");
}

static struct adopt_kind find_kind(sv kind, sv group)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		const struct dialect_adoption *adoption = all[i]->adoption;

		for (size_t k = 0; adoption && k < adoption->kind_count; k++)
			if (sv_eq(adoption->kinds[k].kind, kind) &&
			    sv_eq(adoption->kinds[k].group, group))
				return (struct adopt_kind){all[i], &adoption->kinds[k]};
	}
	return (struct adopt_kind){0};
}

struct adopt_kind adopt_kind_of(const struct kube_id *id)
{
	return find_kind(id->kind, api_group_of(id->api_version));
}

const struct dialect *adopt_dialect_of_unit(sv kind)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		const struct dialect_adoption *adoption = all[i]->adoption;

		for (size_t k = 0; adoption && k < adoption->kind_count; k++)
			if (adoption->kinds[k].part == DIALECT_LIVE_UNIT &&
			    sv_eq(adoption->kinds[k].kind, kind))
				return all[i];
	}
	return NULL;
}

sv adopt_unit_kinds(struct arena *arena)
{
	struct buf names = buf_in(arena);
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		const struct dialect_live_kind *row =
		    all[i]->adoption ? adopt_part(all[i], DIALECT_LIVE_UNIT) : NULL;

		if (row)
			buf_printf(&names, "%s%.*s", names.len ? " or " : "", SV_ARG(row->kind));
	}
	return buf_sv(&names);
}

bool adopt_is_part(const struct kube_object *object, enum dialect_live_part part)
{
	struct adopt_kind kind = adopt_kind_of(&object->id);

	return kind.row && kind.row->part == part;
}

bool adopt_reads(sv kind, sv api_version)
{
	sv group = api_group_of(api_version);

	for (size_t i = 0; i < COUNT_OF(common); i++)
		if (sv_eq_cstr(kind, common[i].name) && sv_eq_cstr(group, common[i].group))
			return true;
	return find_kind(kind, group).row != NULL;
}

const struct dialect_live_kind *adopt_part(const struct dialect *dialect,
                                           enum dialect_live_part part)
{
	const struct dialect_adoption *adoption = dialect->adoption;

	for (size_t i = 0; i < adoption->kind_count; i++)
		if (adoption->kinds[i].part == part)
			return &adoption->kinds[i];
	return NULL;
}

enum dialect_secret_role adopt_secret_role(const struct kube_object *secret)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		enum dialect_secret_role role =
		    all[i]->adoption ? all[i]->adoption->secret_role(secret) : DIALECT_SECRET_INPUT;

		if (role != DIALECT_SECRET_INPUT)
			return role;
	}
	return DIALECT_SECRET_INPUT;
}
