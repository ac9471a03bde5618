/*
 * OperatingSystemProfileExtensions (docs/extensions.md): documents that add files, units and other
 * members to the profiles of selected MachineDeployments. Private to osm/.
 *
 *   read.c        reads and checks the document
 *   parts.c       the same for its files, units and SSH keys
 *   modules.c     the same for its cloud-init modules
 *   check.c       checks that these three share
 *   shape.c       the members
 *   members.c     the same for the JSON Schema
 *   match.c       decides which MachineDeployments an extension applies to
 *   make.c        makes a profile of a base profile and its extensions
 *   add.c         adds an extension's members to it
 *   file.c        the same for files
 *   containerd.c  the same for containerd's configuration
 *   kubelet.c     the same for the kubelet's configuration
 *   text.c        builds the content of files that osm-gen adds
 *   extended.c    finds the extensions of each MachineDeployment in a fleet
 *   convert.c     prints an extension of KKP's draft as one of osm-gen's
 */
#ifndef OSM_GEN_OSM_EXTENSION_EXTENSION_H
#define OSM_GEN_OSM_EXTENSION_EXTENSION_H

#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/objects.h"
#include "osm/osm.h"
#include "osm/profile.h"

/* ---- extended.c -------------------------------------------------------------------------- */

struct osm_extended;
/* Reads all extensions of the input. */
struct osm_extended *osm_extended_new(struct arena *arena, struct sink *sink,
                                      const struct dialect_input *input);
/* Returns true if the cluster has extensions. */
bool osm_extended_any(const struct osm_extended *extended, size_t cluster);
/* Marks the extensions that apply to a MachineDeployment with this profile as used. */
void osm_extended_mark(struct arena *arena, struct osm_extended *extended, size_t cluster,
                       sv profile, const struct kube_object *machine_deployment);
/*
 * Reports extensions that were not marked, and names of profiles in selectors that do not exist.
 */
void osm_extended_check(struct sink *sink, const struct osm_extended *extended,
                        const struct set *known_profiles);
/*
 * Returns the profile with all extensions that apply to this MachineDeployment, or `base` if none
 * does. If the result is wrong, reports that and returns a definition whose `profile` is null.
 */
const struct osm_definition *osm_extended_find(struct arena *arena, struct sink *sink,
                                               struct osm_extended *extended, size_t cluster,
                                               const struct osm_definition *base,
                                               const struct kube_object *machine_deployment);

/* ---- make.c ------------------------------------------------------------------------------ */

/*
 * A MachineDeployment may name a profile as osm-gen names it once extensions are added
 * (docs/extensions.md). Returns "osp-ubuntu" for "osp-ubuntu-x1a2b3c4d"; any other name is returned
 * as it is.
 */
sv osm_extension_base_name(sv name);

/* ---- convert.c --------------------------------------------------------------------------- */

/*
 * Returns an extension that does what one of KKP's draft means (docs/extensions.md, "From KKP's
 * draft"). Reports what the result lacks, and the mistakes that it has; all at their positions in
 * the draft's file.
 */
struct value osm_extension_convert(struct arena *arena, struct sink *sink,
                                   const struct kube_object *object);

/* ---- the data of a profile with extensions ----------------------------------------------- */

/* A file with a Secret's value as content, which is looked up for each cluster when rendering. */
struct osm_secret_file {
	size_t config; /* 0: bootstrap, 1: provisioning */
	sv path;
	sv namespace;
	sv name;
	sv key;
	struct position at;
};
VEC_TYPE(osm_secret_files, struct osm_secret_file);

/* A file of provisioningConfig whose syntax is checked once it is rendered. */
struct osm_extension_file {
	sv path;
	const struct kube_object *extension; /* the one that changes it */
	struct position at;
};
VEC_TYPE(osm_extension_files, struct osm_extension_file);

/* Data of a profile with extensions that are not in its object. */
struct osm_additions {
	struct osm_secret_files secrets;
	struct osm_extension_files tomls;   /* containerd's */
	struct osm_extension_files kubelet; /* the kubelet's, YAML */
};

/* ---- containerd.c, kubelet.c ------------------------------------------------------------- */

/* Check the syntax of containerd's files (TOML) and the kubelet's (YAML) once they are rendered. */
MUST_CHECK enum status osm_extension_check_tomls(struct arena *arena, struct sink *sink,
                                                 const struct osm_extension_files *tomls,
                                                 const struct osm_rendered_config *config);
MUST_CHECK enum status osm_extension_check_kubelet(struct sink *sink,
                                                   const struct osm_extension_files *files,
                                                   const struct osm_rendered_config *config);

#endif
