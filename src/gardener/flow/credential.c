/*
 * The token with which the nodes of a pool read their Secret and join: derived as Kubermatic's are
 * (docs/spec/sealing.md 3.4), or given.
 */
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

static enum status read_given(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, bool secrets_may_be_absent,
                              struct value *ret_token)
{
	struct position at = kube_object_position(secret);
	sv name =
	    kube_secret_name(arena, secret->id.namespace, secret->id.name, SV("token-secret"));
	struct value id;
	struct value part;

	if (secrets_may_be_absent && seal_is_sealed(secret->root)) {
		*ret_token = secrecy_absent(arena, name);
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
	*ret_token = secrecy_taint_string(
	    arena, value_string(ARENA_CONCAT(arena, id.string, SV("."), part.string)), name);
	return STATUS_OK;
}

enum status gardener_flow_tokens(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job,
                                 const struct gardener_flow_given *all_given,
                                 bool secrets_may_be_absent,
                                 struct gardener_flow_tokens *ret_tokens)
{
	const struct gardener_settings *settings = job->cluster->settings;
	const struct kube_object *osc = job->unit->object;
	sv name = gardener_flow_token_name(arena, settings, osc);
	const struct kube_object *given = gardener_flow_given_token(all_given, name);
	const struct dialect_periods periods = periods_of(arena, settings, job->now);
	struct gardener_flow_tokens tokens = {.is_given = given != NULL};

	if (given) {
		if (read_given(arena, sink, given, secrets_may_be_absent, &tokens.now) != STATUS_OK)
			return STATUS_FAILED;
	} else if (job->token.type) {
		tokens.now = job->token;
		tokens.expiration = periods.now.expiration;
		if (job->token_before.type) {
			tokens.before = job->token_before;
			tokens.expiration_before = periods.before.expiration;
		}
	} else if (secrets_may_be_absent) {
		tokens.now = secrecy_absent(
		    arena, ARENA_CONCAT(arena, SV(SECRECY_DERIVED_PREFIX), name, SV(":token")));
	} else {
		struct diag *diag =
		    diag_report(sink, DIAG_BOOTSTRAP_TOKEN, kube_object_position(osc),
		                "the bootstrap token is missing, and cannot be derived");
		diag_set_help(sink, diag,
		              "give a seed, or a Secret " KUBE_TOKEN_NAMESPACE "/" KUBE_TOKEN_PREFIX
		              "* labelled " GARDENER_FLOW_TOKEN_LABEL ": %.*s",
		              SV_ARG(name));
		return STATUS_FAILED;
	}
	*ret_tokens = tokens;
	return STATUS_OK;
}
