/*
 * The ValidatingAdmissionPolicy for what agents change.
 */
#include "gardener/agent/agent.h"

#define NAME "osm-gen-node-agent"
#define API  "admissionregistration.k8s.io/v1"
#define USER "gardener.cloud:node-agent:machine:"

static void set_text(struct arena *arena, struct value *map, const char *key, const char *text)
{
	gardener_set(arena, map, key, value_string(sv_from_cstr(text)));
}

static struct value words(struct arena *arena, const char *text)
{
	struct sv_splitter it = sv_split(sv_from_cstr(text), ',');
	struct value list = value_list_new(arena);
	sv word;

	while (sv_split_next(&it, &word))
		value_list_add(arena, &list, value_string(word));
	return list;
}

static struct value list_of(struct arena *arena, struct value item)
{
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, item);
	return list;
}

/* ---- requests ---------------------------------------------------------------------------- */

static void add_rule(struct arena *arena, struct value *rules, const char *group,
                     const char *resources, const char *operations)
{
	struct value rule = value_map_new(arena);

	gardener_set(arena, &rule, "apiGroups", words(arena, group));
	gardener_set(arena, &rule, "apiVersions", words(arena, "*"));
	gardener_set(arena, &rule, "operations", words(arena, operations));
	gardener_set(arena, &rule, "resources", words(arena, resources));
	value_list_add(arena, rules, rule);
}

static struct value constraints(struct arena *arena)
{
	struct value map = value_map_new(arena);
	struct value rules = value_list_new(arena);

	add_rule(arena, &rules, "", "nodes,nodes/status", "UPDATE");
	add_rule(arena, &rules, "", "pods", "DELETE");
	add_rule(arena, &rules, "coordination.k8s.io", "leases", "CREATE,UPDATE");
	gardener_set(arena, &map, "resourceRules", rules);
	return map;
}

/* ---- allowed requests -------------------------------------------------------------------- */

static void add_check(struct arena *arena, struct value *checks, sv expression, const char *message)
{
	struct value check = value_map_new(arena);

	gardener_set(arena, &check, "expression", value_string(expression));
	set_text(arena, &check, "message", message);
	value_list_add(arena, checks, check);
}

/* Returns the names of the Secrets, which are those of Leases, too, as a list of CEL. */
static sv quoted(struct arena *arena, sv keys)
{
	struct sv_splitter it = sv_split(keys, ' ');
	struct buf buf = buf_in(arena);
	sv key;

	while (sv_split_next(&it, &key))
		if (!sv_empty(key))
			buf_add_item(&buf, ARENA_CONCAT(arena, SV("'"), key, SV("'")));
	return ARENA_CONCAT(arena, SV("["), buf_sv(&buf), SV("]"));
}

/*
 * The user of an agent has the name of its machine. Own machines are named as their nodes; those of
 * machine-controller-manager may have other names, so that only the kind of Lease is checked.
 */
static struct value checks_of(struct arena *arena, const struct gardener_settings *settings,
                              sv keys)
{
	struct value checks = value_list_new(arena);
	sv own_lease = settings->machine_tokens
	                   ? SV("request.name.startsWith('gardener-node-agent-')")
	                   : SV("request.name == 'gardener-node-agent-' + variables.machine");

	if (!settings->machine_tokens) {
		add_check(arena, &checks,
		          SV("request.resource.resource != 'nodes' || "
		             "request.name == variables.machine"),
		          "gardener-node-agent changes its own Node only");
		add_check(arena, &checks,
		          SV("request.resource.resource != 'pods' || "
		             "oldObject.spec.?nodeName.orValue('') == variables.machine"),
		          "gardener-node-agent deletes pods of its own Node only");
	}
	add_check(arena, &checks,
	          ARENA_CONCAT(arena, SV("request.resource.resource != 'leases' || "), own_lease,
	                       SV(" || request.name in "), quoted(arena, keys)),
	          "gardener-node-agent changes its own Lease only");
	return checks;
}

static struct value spec_of(struct arena *arena, const struct gardener_settings *settings, sv keys)
{
	struct value spec = value_map_new(arena);
	struct value condition = value_map_new(arena);
	struct value variable = value_map_new(arena);

	set_text(arena, &condition, "name", "node-agents");
	set_text(arena, &condition, "expression",
	         "request.userInfo.username.startsWith('" USER "')");
	set_text(arena, &variable, "name", "machine");
	set_text(arena, &variable, "expression",
	         "request.userInfo.username.replace('" USER "', '', 1)");
	set_text(arena, &spec, "failurePolicy", "Fail");
	gardener_set(arena, &spec, "matchConstraints", constraints(arena));
	gardener_set(arena, &spec, "matchConditions", list_of(arena, condition));
	gardener_set(arena, &spec, "variables", list_of(arena, variable));
	gardener_set(arena, &spec, "validations", checks_of(arena, settings, keys));
	return spec;
}

/* ---- the objects ------------------------------------------------------------------------- */

static void add_policy_object(struct arena *arena, struct artifacts *artifacts, const char *kind,
                              struct value spec)
{
	const struct kube_id id = {SV(API), sv_from_cstr(kind), SV(""), SV(NAME)};
	struct value annotations = gardener_applier_annotations(arena);
	struct value object = kube_object_new(arena, &id, NULL, &annotations);

	gardener_set(arena, &object, "spec", spec);
	VEC_PUSH(arena, artifacts,
	         artifact_of(object, ARTIFACT_WORKER, ARTIFACT_SUPPORT, ARTIFACT_CLEAR));
}

void gardener_agent_add_policy(struct arena *arena, const struct gardener_settings *settings,
                               sv keys, struct artifacts *artifacts)
{
	struct value binding = value_map_new(arena);

	set_text(arena, &binding, "policyName", NAME);
	gardener_set(arena, &binding, "validationActions", words(arena, "Deny"));
	add_policy_object(arena, artifacts, "ValidatingAdmissionPolicy",
	                  spec_of(arena, settings, keys));
	add_policy_object(arena, artifacts, "ValidatingAdmissionPolicyBinding", binding);
}
