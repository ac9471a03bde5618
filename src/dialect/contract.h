/*
 * contract: the output contract, and documents inside the program. Part of dialect.h, which
 * other folders include.
 */
#ifndef OSM_GEN_DIALECT_CONTRACT_H
#define OSM_GEN_DIALECT_CONTRACT_H

#include "base/base.h"

/*
 * The output contract is a number, spec.contract of the Fleet (docs/spec/inputs.md 3). It fixes
 * osm-gen's own documents and choices: every version that has a contract gives the same bytes for
 * it. profiles/ has the documents of the newest contract, profiles/contracts/NUMBER/ those of an
 * older one. Code that differs since contract 2 tests `contract >= 2` of struct dialect_cluster.
 */
unsigned dialect_contract_newest(void);
unsigned dialect_contract_oldest(void); /* the oldest contract in this program */
/* Returns the last version of osm-gen that has a contract, or "" if this program has it. */
sv dialect_contract_last_version(unsigned contract);

/* A document inside the program, as ci/embed writes it at build time. */
struct dialect_text {
	const char *path; /* "profiles/ubuntu.yaml" under every contract: the output shows it */
	const char *text;
	size_t len;
	unsigned contract; /* 0 for the newest contract; `text` of an older one is gzip */
	size_t size;       /* the length of uncompressed gzip */
};
bool dialect_text_holds(const struct dialect_text *text, unsigned contract);
sv dialect_text_open(struct arena *arena, const struct dialect_text *text);

/* A definition inside the program. */
struct dialect_embedded {
	sv name;
	sv version;
	sv summary; /* one line */
	sv text;    /* the manifest */
};
VEC_TYPE(dialect_embedded_list, struct dialect_embedded);

#endif
