/*
 * Finds the members of spec.template that differ between two versions of a MachineDeployment, with
 * their values, for reviewers of a change. No value that is or may be a credential is given.
 */
#include "osm/cloud.h"
#include "osm/machine.h"
#include "osm/osm.h"

/* Prefixes of paths, and the words that reports have in their place. The first match counts. */
static const struct {
	sv prefix;
	sv name;
} known[] = {
    {SV_INIT("metadata.labels."), SV_INIT("machine label ")},
    {SV_INIT("metadata.annotations."), SV_INIT("machine annotation ")},
    {SV_INIT("spec.metadata.labels."), SV_INIT("node label ")},
    {SV_INIT("spec.metadata.annotations."), SV_INIT("node annotation ")},
    {SV_INIT("spec.providerSpec.value.cloudProviderSpec."), SV_INIT("")},
    {SV_INIT("spec.providerSpec.value.operatingSystemSpec."), SV_INIT("")},
    {SV_INIT("spec.providerSpec.value."), SV_INIT("")},
    {SV_INIT("spec.versions."), SV_INIT("")},
    {SV_INIT("spec."), SV_INIT("")},
};

static sv difference_name(struct arena *arena, sv path)
{
	/* The other form of a cloudProviderSpec's string: {value: STRING}. */
	if (sv_starts_with(path, SV("spec.providerSpec.value.")) &&
	    sv_ends_with(path, SV(".value")))
		path = sv_slice(path, 0, path.len - SV(".value").len);
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (sv_starts_with(path, known[i].prefix))
			return ARENA_CONCAT(arena, known[i].name,
			                    sv_from_offset(path, known[i].prefix.len));
	return path;
}

/* ---- taints ------------------------------------------------------------------------------ */

/* Returns the taints as "KEY=VALUE:EFFECT", as kubectl writes them. */
static struct set taints_of(struct arena *arena, const struct value *list)
{
	struct set taints = set_in(arena);

	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		sv value = value_text(value_map_get(item, SV("value")));
		sv text = ARENA_CONCAT(arena, value_text(value_map_get(item, SV("key"))),
		                       sv_empty(value) ? SV("") : SV("="), value, SV(":"),
		                       value_text(value_map_get(item, SV("effect"))));

		set_add(&taints, text);
	}
	return taints;
}

static void add_taints(const struct dialect_comparison *c, const struct set *of,
                       const struct set *other, const char *verb)
{
	for (size_t i = 0; i < set_count(of); i++) {
		sv name = ARENA_CONCAT(c->arena, SV("taint "), set_item(of, i), SV(" "),
		                       sv_from_cstr(verb));

		if (!set_has(other, set_item(of, i)))
			VEC_PUSH(
			    c->arena, c->to,
			    (struct dialect_difference){.path = SV("spec.taints"), .name = name});
	}
}

static bool compare_taints(const struct dialect_comparison *c, sv path, const struct value *before,
                           const struct value *now)
{
	if (!sv_eq(path, SV("spec.taints")))
		return false;
	struct set was = taints_of(c->arena, before);
	struct set is = taints_of(c->arena, now);
	add_taints(c, &is, &was, "added");
	add_taints(c, &was, &is, "removed");
	return true;
}

/* ---- the template ------------------------------------------------------------------------ */

/* Returns the template with the credentials of its provider's configuration tainted. */
static struct value tainted(struct arena *arena, const struct kube_object *object)
{
	struct value template = value_copy(arena, value_path(object->root, "spec.template"));
	const struct value *config = value_path(&template, "spec.providerSpec.value");

	if (!value_is_map(config))
		return template;
	sv provider = value_text(value_map_get(config, SV("cloudProvider")));
	sv prefix =
	    kube_secret_name(arena, object->id.namespace, object->id.name, SV("providerSpec"));
	struct value *spec = value_map_get_mutable(&template, SV("spec"));
	value_map_set(arena, value_map_get_mutable(spec, SV("providerSpec")), SV("value"),
	              osm_taint_credentials(arena, provider, config, prefix));
	return template;
}

void osm_template_changes(struct arena *arena, const struct kube_object *before,
                          const struct kube_object *now, struct dialect_differences *fields)
{
	const struct dialect_comparison c = {arena, difference_name, osm_provider_hides,
	                                     compare_taints, fields};

	if (!value_is_map(value_path(before->root, "spec.template")) ||
	    !value_is_map(value_path(now->root, "spec.template")))
		return;
	struct value was = tainted(arena, before);
	struct value is = tainted(arena, now);
	dialect_compare(&c, &was, &is);
}
