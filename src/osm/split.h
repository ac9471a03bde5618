/*
 * Private to osm/: the provisioning configuration in two parts (split.c).
 */
#ifndef OSM_GEN_OSM_SPLIT_H
#define OSM_GEN_OSM_SPLIT_H

#include "osm/machine.h"
#include "osm/objects.h"
#include "userdata/userdata.h"

/*
 * Puts the files apart that can be in the ConfigMap: text without any byte of a secret. The content
 * has a key of its own if the user-data has it in base64. A file with kubelet settings that only
 * one MachineDeployment has stays out, so that more of them share a ConfigMap.
 */
void osm_split_choose(struct arena *arena, const struct osm_machine *machine, bool is_ignition,
                      struct node_config *node);
/*
 * Makes the ConfigMap of the files that were written apart, and the user-data of the Secret. Its
 * first line is the ConfigMap's name and the digest of its data. `rest` follows, with <NAME> where
 * stage 1 inserts the list of these files.
 */
struct osm_split osm_split_make(struct arena *arena, const struct userdata_apart *apart,
                                const struct value *rest);
/* Returns true for a name as osm_split_make gives it. */
bool osm_split_is_name(sv name);
/*
 * The function of struct dialect: makes the ConfigMap anew from its file. Returns false if the
 * data is not that of the name.
 */
bool osm_split_read(struct arena *arena, sv name, sv text, struct value *ret_object);

#endif
