/*
 * The tokens of a pool: derived as Kubermatic's are (docs/spec/sealing.md 3.4), or given. From
 * output contract 2 on nodes read their Secret with one and join with another, if the user-data is
 * the flow's. Else one token does both.
 */
#include "gardener/cluster.h"
#include "gardener/flow/flow.h"
#include "seal/seal.h"

sv gardener_flow_token_name(struct arena *arena, const struct gardener_settings *settings,
                            const struct kube_object *osc)
{
	return settings->flow == GARDENER_FLOW_NODE_AGENT
	           ? gardener_node_agent_key(osc->made_of ? osc->made_of : osc)
	           : gardener_flow_name(arena, osc);
}

/*
 * Sets the same periods as Kubermatic's dialect, with a word before them: a MachineDeployment of
 * the same namespace and name must have another token.
 */
static struct dialect_periods periods_of(struct arena *arena,
                                         const struct gardener_settings *settings, int64_t now)
{
	struct dialect_periods periods = dialect_periods_of(arena, settings->token_rotation, now);
	const sv word =
	    settings->flow == GARDENER_FLOW_NODE_AGENT ? SV("node-agent ") : SV("cloud-config ");

	periods.now.rotation = ARENA_CONCAT(arena, word, periods.now.rotation);
	if (!sv_empty(periods.before.rotation))
		periods.before.rotation = ARENA_CONCAT(arena, word, periods.before.rotation);
	return periods;
}

/* Returns true if pools can have a token for joining alone. */
static bool may_join_apart(const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;

	return cluster->contract >= 2 && settings->flow == GARDENER_FLOW_DOWNLOADER &&
	       !settings->machine_tokens;
}

void gardener_flow_token(struct arena *arena, const struct dialect_cluster *cluster,
                         const struct kube_object *osc, int64_t now,
                         struct dialect_token *ret_token)
{
	const struct gardener_settings *settings = cluster->settings;
	const struct dialect_periods periods = periods_of(arena, settings, now);

	*ret_token = (struct dialect_token){
	    .key = gardener_flow_token_name(arena, settings, osc),
	    .rotation = periods.now.rotation,
	    .rotation_before = periods.before.rotation,
	};
	if (may_join_apart(cluster)) {
		ret_token->join = ARENA_CONCAT(arena, SV("join "), periods.now.rotation);
		if (!sv_empty(periods.before.rotation))
			ret_token->join_before =
			    ARENA_CONCAT(arena, SV("join "), periods.before.rotation);
	}
	if (settings->flow == GARDENER_FLOW_DOWNLOADER && osc->made_of)
		ret_token->owner = osc->made_of->id.name;
	/* The name that gardenlet gives the OSC of purpose reconcile of the same pool. */
	else if (sv_ends_with(osc->id.name, SV(GARDENER_FLOW_SUFFIX)) && !osc->made_of)
		ret_token->owner = ARENA_CONCAT(
		    arena,
		    sv_slice(osc->id.name, 0, osc->id.name.len - strlen(GARDENER_FLOW_SUFFIX)),
		    SV("-original"));
}

static bool is_part(sv text, size_t bytes)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_digit(text.ptr[i]) && !ascii_is_lower(text.ptr[i]))
			return false;
	return text.len == bytes;
}

enum { ID_BYTES = 6, SECRET_BYTES = 16 };

/* Fails if a token that nodes join with is not in `group`, which may be empty for none. */
static enum status check_group(struct arena *arena, struct sink *sink,
                               const struct kube_object *secret, sv group)
{
	const sv key = SV("auth-extra-groups");
	struct value given = value_string(SV(""));

	if (sv_empty(group))
		return STATUS_OK;
	if (kube_secret_has(secret, key) &&
	    kube_secret_value(arena, sink, secret, key, kube_object_position(secret), &given) !=
	        STATUS_OK)
		return STATUS_FAILED;
	struct sv_splitter it = sv_split(given.string, ',');
	for (sv item; sv_split_next(&it, &item);)
		if (sv_eq(item, group))
			return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_BOOTSTRAP_TOKEN, kube_object_position(secret),
	                                "nodes cannot join with this token: it is not in the group "
	                                "that may ask for certificates");
	diag_set_help(sink, diag, "set its auth-extra-groups to %.*s", SV_ARG(group));
	return STATUS_FAILED;
}

/* `group` is that of check_group. */
static enum status read_given(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, sv group,
                              bool secrets_may_be_absent, struct value *ret_token)
{
	struct position at = kube_object_position(secret);
	sv name =
	    kube_secret_name(arena, secret->id.namespace, secret->id.name, SV("token-secret"));
	struct value id;
	struct value part;

	if (secrets_may_be_absent && seal_is_sealed(secret->root)) {
		*ret_token = kube_absent_value(arena, secret->id.namespace, secret->id.name,
		                               SV("token-secret"));
		return STATUS_OK;
	}
	enum status status = kube_secret_value(arena, sink, secret, SV("token-id"), at, &id);
	status |= kube_secret_value(arena, sink, secret, SV("token-secret"), at, &part);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (!is_part(id.string, ID_BYTES) || !is_part(part.string, SECRET_BYTES) ||
	    !sv_eq(secret->id.name, ARENA_CONCAT(arena, SV(KUBE_TOKEN_PREFIX), id.string))) {
		struct diag *diag =
		    diag_report(sink, DIAG_BOOTSTRAP_TOKEN, at,
		                "the Secret is not a bootstrap token that the API server accepts");
		diag_set_help(
		    sink, diag,
		    "make a token with kubeadm token generate: token-id is the part before "
		    "its dot, token-secret the part after it, and the Secret's name "
		    "is " KUBE_TOKEN_PREFIX " and the token-id");
		return STATUS_FAILED;
	}
	if (check_group(arena, sink, secret, group) != STATUS_OK)
		return STATUS_FAILED;
	*ret_token = secrecy_taint_string(
	    arena, value_string(ARENA_CONCAT(arena, id.string, SV("."), part.string)), name);
	return STATUS_OK;
}

/*
 * Sets a token of the plan. Without a seed it is absent: then its place is set, or it is reported
 * as missing. `word` ends the secret's name.
 */
static enum status take_derived(struct arena *arena, struct sink *sink,
                                const struct dialect_job *job, const struct value *token, sv word,
                                struct value *ret_token)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct kube_object *osc = job->unit->object;
	sv name = gardener_flow_token_name(arena, cluster->settings, osc);

	if (token->type) {
		*ret_token = *token;
		return STATUS_OK;
	}
	if (cluster->secrets_may_be_absent) {
		*ret_token = secrecy_absent(
		    arena, ARENA_CONCAT(arena, SV(SECRECY_DERIVED_PREFIX), name, word),
		    (struct secret_owner){0});
		return STATUS_OK;
	}
	struct diag *diag = diag_report(sink, DIAG_BOOTSTRAP_TOKEN, kube_object_position(osc),
	                                "the bootstrap token is missing, and cannot be derived");
	diag_set_help(sink, diag,
	              "give a seed, or a Secret " KUBE_TOKEN_NAMESPACE "/" KUBE_TOKEN_PREFIX
	              "* labelled " GARDENER_FLOW_TOKEN_LABEL ": %.*s",
	              SV_ARG(name));
	return STATUS_FAILED;
}

/* Returns true if the user-data of the pool is the flow's, and has a token of its own. */
static bool joins_apart(struct arena *arena, const struct dialect_job *job)
{
	const struct gardener_cluster *cluster = job->loaded;

	return may_join_apart(job->cluster) && cluster->server &&
	       gardener_flow_has_downloader(arena, &cluster->given, job->unit->object);
}

enum status gardener_flow_tokens(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job,
                                 struct gardener_flow_tokens *ret_tokens)
{
	const struct gardener_cluster *cluster = job->loaded;
	const struct gardener_settings *settings = cluster->settings;
	const struct kube_object *osc = job->unit->object;
	const struct kube_object *given = gardener_flow_given_token(
	    &cluster->given, gardener_flow_token_name(arena, settings, osc));
	const struct dialect_periods periods = periods_of(arena, settings, job->now);
	const bool is_apart = joins_apart(arena, job);
	struct gardener_flow_tokens tokens = {
	    .is_given = given != NULL,
	    .expiration = periods.now.expiration,
	    .expiration_before = periods.before.expiration,
	};
	enum status status;

	if (settings->flow == GARDENER_FLOW_DOWNLOADER && cluster->contract >= 2 && !is_apart)
		tokens.groups = SV(GARDENER_FLOW_JOINERS);
	if (given) {
		status = read_given(arena, sink, given, tokens.groups,
		                    cluster->secrets_may_be_absent, &tokens.now);
	} else {
		status = take_derived(arena, sink, job, &job->token, SV(":token"), &tokens.now);
		tokens.before = job->token_before;
	}
	if (is_apart) {
		status |=
		    take_derived(arena, sink, job, &job->join, SV(":token-join"), &tokens.join);
		tokens.join_before = job->join_before;
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_tokens = tokens;
	return STATUS_OK;
}

const struct value *gardener_flow_first_token(const struct gardener_flow_tokens *tokens)
{
	return tokens->join.type ? &tokens->join : &tokens->now;
}
