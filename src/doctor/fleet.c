/*
 * The inputs, and the output of the last commit: contract, profiles, recipients, seed.
 */
#include "golang/golang.h"
#include "internal.h"
#include "os/os.h"

static void check_contract(struct doctor *doctor)
{
	unsigned newest = dialect_contract_newest();

	if (!doctor->fleet->names_contract)
		doctor_add(doctor, "contract", DOCTOR_NOTE,
		           "write it down, so that a newer osm-gen writes the same bytes until you "
		           "ask for others: osm-gen upgrade",
		           "the Fleet names no output contract: the newest holds, which is %u here",
		           newest);
	else if (doctor->fleet->contract < newest)
		doctor_add(doctor, "contract", DOCTOR_NOTE,
		           "`osm-gen upgrade --dry-run` shows what a newer one changes",
		           "output contract %u holds; this osm-gen knows up to %u",
		           doctor->fleet->contract, newest);
	else
		doctor_add(doctor, "contract", DOCTOR_OK, NULL, "output contract %u, the newest",
		           newest);
}

/* Looks for an attribute of git because of which `generate` cannot commit (OSG6009). */
static void check_attributes(struct doctor *doctor)
{
	static const char *const names[] = {"/index.json", "/worker/kustomization.yaml"};
	struct arena *arena = doctor->arena;
	sv out = os_plain_path(arena, doctor->place->out);
	sv value;

	if (sv_starts_with(doctor->place->out, SV("/")) || sv_empty(doctor->tip.hex))
		return;
	for (size_t i = 0; i < doctor->fleet->cluster_count * COUNT_OF(names); i++) {
		sv path = ARENA_CONCAT(arena, out, SV("/"),
		                       doctor->fleet->clusters[i / COUNT_OF(names)].folder,
		                       sv_from_cstr(names[i % COUNT_OF(names)]));
		sv name = git_changing_attribute(arena, doctor->repo, &doctor->tip, path, &value);

		if (sv_empty(name))
			continue;
		doctor_add(
		    doctor, "filter", DOCTOR_LOOK,
		    "add a line to .gitattributes that takes the output folder out of it, such "
		    "as: out/** -filter",
		    "`generate` cannot commit %.*s: .gitattributes puts it under %.*s '%.*s' "
		    "(OSG6009)",
		    SV_ARG(path), SV_ARG(name), SV_ARG(value));
		return;
	}
}

void doctor_check_inputs(struct doctor *doctor, const struct run_request *request,
                         struct run_result *ret_result)
{
	struct sink *sink = doctor->sink;
	size_t warnings = sink->diags.count - sink->error_count;

	if (git_repo_is_unborn(doctor->repo) && !request->reading.worktree) {
		doctor_add(
		    doctor, "inputs", DOCTOR_LOOK,
		    "commit settings and manifests (`osm-gen init .` makes a first example), then "
		    "run `osm-gen generate`; `osm-gen validate --worktree` checks them before",
		    "nothing is committed yet");
		return;
	}
	if (run_survey(doctor->arena, sink, request, &doctor->fleet, ret_result) != STATUS_OK) {
		doctor_add(doctor, "inputs", DOCTOR_WRONG, NULL, "the inputs are wrong");
		doctor->fleet = NULL;
		return;
	}
	if (sink->diags.count - sink->error_count > warnings)
		doctor_add(doctor, "inputs", DOCTOR_LOOK, NULL,
		           "the inputs can be read, with warnings");
	else
		doctor_add(doctor, "inputs", DOCTOR_OK, NULL, "%zu cluster%s, %zu unit%s",
		           doctor->fleet->cluster_count,
		           doctor->fleet->cluster_count == 1 ? "" : "s", doctor->fleet->unit_count,
		           doctor->fleet->unit_count == 1 ? "" : "s");
	if (sv_empty(doctor->fleet->commit.author) && !doctor->place->author.ptr)
		doctor_add(doctor, "author", DOCTOR_NOTE, "set commit.author in osm-gen.yaml",
		           "commits are " RUN_AUTHOR "'s");
	check_contract(doctor);
	check_attributes(doctor);
	if (doctor->root)
		seal_root_bind(doctor->root, doctor->fleet->identity);
}

static bool read_cluster_index(struct doctor *doctor, sv folder, struct tree_index *ret_index)
{
	struct arena *arena = doctor->arena;
	struct git_file out;

	return !sv_empty(doctor->tip.hex) &&
	       git_look_up(arena, doctor->repo, doctor->tip.tree,
	                   os_plain_path(arena, doctor->place->out), &out) &&
	       tree_index_read_below(arena, doctor->repo, out.id, folder, ret_index);
}

/* Looks in a bucket and in none, as the next run may move the output of a cluster. */
bool doctor_find_index(struct doctor *doctor, const struct fleet_cluster *cluster,
                       struct tree_index *ret_index)
{
	sv other = fleet_folder(doctor->arena, cluster->name, !doctor->fleet->in_buckets);

	return read_cluster_index(doctor, cluster->folder, ret_index) ||
	       read_cluster_index(doctor, other, ret_index);
}

static void check_profiles(struct doctor *doctor, const struct fleet_cluster *cluster,
                           const struct tree_index *index)
{
	VEC_EACH (one, &cluster->definitions) {
		const struct dialect_definition *now = one->definition;
		sv version = value_text(&now->version);

		for (size_t i = 0; i < index->file_count; i++) {
			const struct tree_unit *unit = index->files[i].unit;

			if (!unit || !sv_eq(unit->profile, now->name) ||
			    sv_eq(unit->profile_version, version))
				continue;
			doctor_add(
			    doctor, "profiles", DOCTOR_NOTE,
			    "the next run writes the new one: `osm-gen diff` shows what changes",
			    "cluster %.*s: the output has %.*s in version %.*s, %s has %.*s",
			    SV_ARG(cluster->name), SV_ARG(now->name), SV_ARG(unit->profile_version),
			    now->is_embedded ? "this program" : "the repository", SV_ARG(version));
			break;
		}
	}
}

static void check_recipients(struct doctor *doctor, const struct fleet_cluster *cluster,
                             const struct tree_index *index)
{
	struct arena *arena = doctor->arena;
	const struct fleet_sealing *sealing = &cluster->sealing;
	struct seal_recipient_text *texts =
	    ARENA_ARRAY(arena, struct seal_recipient_text, sealing->recipient_count);
	struct seal_recipients now;
	struct seal_texts names = {0};

	for (size_t i = 0; i < sealing->recipient_count; i++)
		texts[i] = (struct seal_recipient_text){sealing->recipients[i].text,
		                                        sealing->recipients[i].at};
	if (seal_recipients_parse(arena, doctor->sink, sealing->format,
	                          ARENA_CONCAT(arena, SV("cluster "), cluster->name), texts,
	                          sealing->recipient_count, &now) != STATUS_OK) {
		doctor_add(doctor, "recipients", DOCTOR_WRONG, NULL,
		           "cluster %.*s: the recipients are wrong", SV_ARG(cluster->name));
		return;
	}
	bool differs = index && index->recipient_count > 0 && index->recipient_count != now.count;
	for (size_t i = 0; i < now.count; i++) {
		VEC_PUSH(arena, &names, now.items[i].text);
		if (index && index->recipient_count > 0 && !differs)
			differs = !sv_eq(index->recipients[i], now.items[i].text);
	}
	if (differs)
		doctor_add(doctor, "recipients", DOCTOR_LOOK,
		           "a run is refused unless CI gives it --rotate-recipients, or "
		           "--allow-recipients FILE",
		           "cluster %.*s: the recipients are others than the output's",
		           SV_ARG(cluster->name));
	struct seal_identities *own = seal_identities_of(arena, doctor->identities, &names);
	if (seal_identities_count(doctor->identities) > 0 && seal_identities_count(own) == 0)
		doctor_add(doctor, "recipients", DOCTOR_NOTE, NULL,
		           "cluster %.*s: no identity given can read its output",
		           SV_ARG(cluster->name));
	seal_identities_free(own);
}

/* ---- the API server ------------------------------------------------------------------------ */

/* Returns the host of a cluster's API server, as cluster-info has it, or an empty string. */
static sv api_server(struct doctor *doctor, const struct fleet_cluster *cluster)
{
	const struct kube_object *object = kube_objects_cluster_info(cluster->objects);
	const struct value *text = object ? value_path(object->root, "data.kubeconfig") : NULL;
	struct arena *arena = doctor->secret_arena;
	struct sink unused = sink_in(arena);
	struct kube_config config;
	struct url url;
	sv error;

	if (!text || !value_is_string(text) ||
	    kube_config_parse(arena, &unused, text, &config) != STATUS_OK ||
	    config.cluster_count == 0 ||
	    !go_url_parse(arena, value_text(&config.clusters[0].server), &url, &error))
		return SV("");
	return go_url_hostname(&url);
}

/* Returns true for a name that RFC 2606 keeps for examples: no API server has it. */
static bool is_for_examples(sv host)
{
	static const sv names[] = {SV_INIT("example.com"), SV_INIT("example.net"),
	                           SV_INIT("example.org"), SV_INIT("example"), SV_INIT("invalid")};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (!sv_ends_with(host, names[i]))
			continue;
		sv above = sv_slice(host, 0, host.len - names[i].len);

		if (sv_empty(above) || sv_ends_with(above, SV(".")))
			return true;
	}
	return false;
}

/* Finds what `init --example` wrote and nobody replaced. */
void doctor_check_api_servers(struct doctor *doctor)
{
	const struct fleet_cluster *first = NULL;
	sv host = {0};
	size_t count = 0;

	for (size_t i = 0; doctor->fleet && i < doctor->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &doctor->fleet->clusters[i];
		sv server = cluster->unit_count > 0 ? api_server(doctor, cluster) : SV("");

		if (is_for_examples(server) && count++ == 0) {
			first = cluster;
			host = server;
		}
	}
	sv others = count > 1 ? arena_printf(doctor->arena, " and %zu more", count - 1) : SV("");
	if (count > 0)
		doctor_add(
		    doctor, "api-server", DOCTOR_NOTE,
		    "new machines cannot join: commit the cluster's own ConfigMap instead, as "
		    "`kubectl get configmap cluster-info --namespace kube-public -o yaml` "
		    "prints it",
		    "cluster %.*s%.*s: cluster-info still has the API server of an example, %.*s",
		    SV_ARG(first->name), SV_ARG(others), SV_ARG(host));
}

/* ---- the output ---------------------------------------------------------------------------- */

void doctor_check_output(struct doctor *doctor)
{
	size_t outputs = 0;
	bool seed_differs = false;

	for (size_t i = 0; doctor->fleet && i < doctor->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &doctor->fleet->clusters[i];
		struct tree_index index;
		bool was_there = doctor_find_index(doctor, cluster, &index);

		if (cluster->unit_count > 0)
			check_recipients(doctor, cluster, was_there ? &index : NULL);
		if (!was_there)
			continue;
		outputs++;
		check_profiles(doctor, cluster, &index);
		seed_differs |= doctor->root && !sv_empty(index.seed_id) &&
		                !sv_eq(index.seed_id, seal_seed_id(doctor->arena, doctor->root));
	}
	if (doctor->fleet && outputs == 0 && git_repo_is_shallow(doctor->repo))
		doctor_add(
		    doctor, "history", DOCTOR_LOOK,
		    "fetch the whole history (git fetch --unshallow), or give runs a list with "
		    "--allow-recipients",
		    "the clone is shallow and has no output: a run cannot find out whether it is "
		    "the first, and trusts the recipients (OSG5076)");
	if (seed_differs)
		doctor_add(doctor, "output", DOCTOR_LOOK,
		           "give the seed that CI has, or seal everything anew with this one: "
		           "--rotate-seed",
		           "the output was sealed with another seed");
	else if (doctor->fleet)
		doctor_add(doctor, "output", DOCTOR_OK, NULL, "%.*s has %zu of %zu cluster%s",
		           SV_ARG(doctor->place->out), outputs, doctor->fleet->cluster_count,
		           doctor->fleet->cluster_count == 1 ? "" : "s");
}
