/*
 * How machine-controller replaces the machines of a MachineDeployment: maxSurge and maxUnavailable
 * of its strategy.
 */
#include "osm/osm.h"

/* Returns the value as written, "1" or "25%". */
static sv member_text(struct arena *arena, const struct value *v, const char *otherwise)
{
	if (value_is_string(v))
		return v->string;
	if (v && v->type == &type_int64)
		return arena_printf(arena, "%lld", (long long)v->integer);
	return sv_from_cstr(otherwise);
}

/* Returns that many machines, or that part of them in percent. Other values are reported elsewhere.
 */
static size_t amount_of(sv text, int64_t replicas, bool rounds_up)
{
	bool is_percent = sv_ends_with(text, SV("%"));
	int64_t number = 0;

	if (!sv_parse_int64(is_percent ? sv_slice(text, 0, text.len - 1) : text, &number) ||
	    number < 0 || number > INT32_MAX || replicas < 0 || replicas > INT32_MAX)
		return 0;
	if (is_percent)
		number = (number * replicas + (rounds_up ? 99 : 0)) / 100;
	return (size_t)number;
}

void osm_machine_pace(struct arena *arena, const struct kube_object *machine_deployment,
                      struct dialect_pace *ret_pace)
{
	const struct value *update =
	    value_path(machine_deployment->root, "spec.strategy.rollingUpdate");
	int64_t replicas = osm_machine_replicas(machine_deployment);
	struct dialect_pace pace = {
	    .max_surge = member_text(arena, value_map_get(update, SV("maxSurge")), "1"),
	    .max_unavailable = member_text(arena, value_map_get(update, SV("maxUnavailable")), "0"),
	};

	/* COMPAT: a surge is rounded up, and of two amounts that are 0 one machine is replaced. */
	pace.surge = amount_of(pace.max_surge, replicas, true);
	pace.unavailable = amount_of(pace.max_unavailable, replicas, false);
	if (pace.surge == 0 && pace.unavailable == 0)
		pace.unavailable = 1;
	if (replicas >= 0 && pace.unavailable > (size_t)replicas)
		pace.unavailable = (size_t)replicas;
	*ret_pace = pace;
}
