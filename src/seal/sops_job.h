/*
 * Sealing one object with SOPS: declarations that the writers of YAML and of binary files share.
 * Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_JOB_H
#define OSM_GEN_SEAL_SOPS_JOB_H

#include "codec/codec.h"
#include "seal/age.h"
#include "seal/derive.h"
#include "seal/gcm.h"

/*
 * Constants instead of the time and the version of osm-gen, with which every run would rewrite all
 * files (docs/spec/sealing.md 1.1).
 */
#define SOPS_LAST_MODIFIED SV("1970-01-01T00:00:00Z")
#define SOPS_VERSION       SV("3.9.4")

enum { SOPS_MAC_HEX_SIZE = 128, SOPS_ID_FIELDS = 5 };

struct sops_writer {
	const struct seal_root *root;
	struct arena *scratch; /* secret; emptied for each object */
	struct gcm *gcm;
	struct digest *digest;
	/* Cache of the keys that the expression of .sops.yaml matches, so that RE2 runs once a key.
	 */
	struct arena *kept;
	struct map fits;
	const struct seal_creation_rule *of; /* the rule that the cache is for */
};

/* A leaf that is sealed, in document order. */
struct sops_leaf {
	sv path;
	sv type; /* docs/spec/sealing.md 1.3 */
	sv text;
	uint64_t occurrence; /* among leaves of equal path, type and text */
};

struct sops_job {
	struct sops_writer *writer;
	struct sink *sink;
	const struct seal_request *request;
	sv identity[SOPS_ID_FIELDS];
	VEC(struct sops_leaf) leaves;
	/* The leaves by path, type and text, so that their order in the file does not matter. */
	const struct sops_leaf **sorted;
	size_t written; /* leaves written so far */
	uint8_t *data_key;
	bool failed;
	bool rule_is_reported;
	bool failed_by_secret; /* refuse_derived has reported it, once */
};

/* Sets the identity from the request's cluster and object. */
void sops_set_identity(struct sops_job *job);
/* Sorts the leaves and numbers equal ones, which keep their order. */
void sops_sort_leaves(struct sops_job *job);
/* Derives the data key from all leaves and gives it to the cipher. */
void sops_derive_data_key(struct sops_job *job);
void sops_derive_value_iv(const struct sops_job *job, const struct sops_leaf *leaf,
                          uint8_t iv[GCM_IV_SIZE]);
void sops_derive_mac_iv(const struct sops_job *job, sv mac, uint8_t iv[GCM_IV_SIZE]);
/* Adds the age file that holds the data key for a recipient. */
void sops_add_age_file(const struct sops_job *job, const struct seal_recipient *recipient,
                       struct buf *file);
/* Returns the digest of all leaves in upper-case hex, which is written to `mac`. */
sv sops_finish_mac(struct sops_job *job, char mac[SOPS_MAC_HEX_SIZE]);

#endif
