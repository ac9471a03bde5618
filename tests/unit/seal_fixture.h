/*
 * For the tests of what is sealed: a root of the seed 00 01 ... 1f, one recipient, and what opens
 * for it.
 */
#ifndef OSM_GEN_TESTS_UNIT_SEAL_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_SEAL_FIXTURE_H

#include "seal/seal.h"
#include "texts.h"

struct fixture {
	struct arena *arena;
	struct sink sink;
	struct seal_root *root;
	struct sealer *sealer;
	struct seal_recipients recipients;  /* of cluster c */
	struct seal_identities *identities; /* none yet */
};

/* It owns the arena. */
static inline struct fixture *fixture_open(struct arena *arena, const char *format, sv recipient)
{
	struct fixture *f = ARENA_NEW(arena, struct fixture);
	struct seal_recipient_text text = {recipient, NOWHERE};
	uint8_t seed[SEAL_SEED_SIZE];

	f->arena = arena;
	f->sink = sink_in(arena);
	for (size_t i = 0; i < sizeof(seed); i++)
		seed[i] = (uint8_t)i;
	assert_int_equal(
	    seal_root_parse(&f->sink, NOWHERE, seal_seed_format(arena, seed), &f->root), STATUS_OK);
	assert_int_equal(seal_recipients_parse(arena, &f->sink,
	                                       sealer_format_find(sv_from_cstr(format)), SV("c"),
	                                       &text, 1, &f->recipients),
	                 STATUS_OK);
	f->sealer = sealer_new(f->root);
	f->identities = seal_identities_new();
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	seal_identities_free(f->identities);
	sealer_free(f->sealer);
	seal_root_free(f->root);
	arena_free(f->arena);
}

#endif
