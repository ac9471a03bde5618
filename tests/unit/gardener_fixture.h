/*
 * For the tests of gardener: an OperatingSystemConfig and its Secrets given as texts, read, judged,
 * its files' bytes found.
 */
#ifndef OSM_GEN_TESTS_UNIT_GARDENER_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_GARDENER_FIXTURE_H

#include "gardener/internal.h"

#include "texts.h"

struct gardener_case {
	struct arena *arena;
	struct sink sink;
	struct kube_objects objects;
	struct kube_object object;
	struct gardener_osc osc;
	enum status status;
	bool secrets_may_be_absent;
};

static inline struct gardener_case gardener_case_new(void)
{
	struct gardener_case c = {.arena = arena_new(ARENA_SECRET)};

	c.sink = sink_in(c.arena);
	kube_objects_init(c.arena, &c.objects, NULL);
	return c;
}

static inline void gardener_case_free(struct gardener_case *c)
{
	arena_free(c->arena);
}
#define GARDENER_CASE_AUTO CLEANUP(gardener_case_free) struct gardener_case

/* All of it, as rendering does: the first document is the OSC, those behind it are looked up. */
static inline void gardener_case_run(struct gardener_case *c, enum gardener_contract contract,
                                     sv text)
{
	struct yml_documents documents = yaml_documents_of(c->arena, SV("a.yaml"), text);
	enum status status;

	for (size_t i = 0; i < documents.count; i++) {
		struct kube_object *object =
		    i == 0 ? &c->object : ARENA_NEW(c->arena, struct kube_object);

		assert_int_equal(kube_object_read(c->arena, &c->sink,
		                                  documents.items[i].root.origin.source,
		                                  &documents.items[i].root, object),
		                 STATUS_OK);
		if (i > 0)
			assert_null(kube_objects_add(&c->objects, object));
	}
	kube_objects_complete(&c->objects);
	status = gardener_osc_read(c->arena, &c->sink, &c->object, contract, &c->osc);
	status |= gardener_osc_validate(c->arena, &c->sink, &c->osc, contract);
	status |= gardener_osc_contents(c->arena, &c->sink, &c->objects, c->secrets_may_be_absent,
	                                &c->osc);
	c->status = status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
	/* Failure is an error in the sink, and the other way round. */
	assert_int_equal(c->status == STATUS_OK, c->sink.error_count == 0);
}

/* The spec's further lines, from line 7 on. */
static inline sv gardener_manifest(struct arena *arena, const char *purpose, const char *lines)
{
	return arena_printf(arena,
	                    "apiVersion: extensions.gardener.cloud/v1alpha1\n"
	                    "kind: OperatingSystemConfig\n"
	                    "metadata: {name: a, namespace: ns}\n"
	                    "spec:\n"
	                    "  type: ubuntu\n"
	                    "  purpose: %s\n"
	                    "%s"
	                    "---\n"
	                    "apiVersion: v1\n"
	                    "kind: Secret\n"
	                    "metadata: {name: ca, namespace: ns}\n"
	                    "data: {ca.crt: Q0EK, tls.key: AAEC}\n"
	                    "stringData: {token: a-token}\n",
	                    purpose, lines);
}

/* A line each: "7:5 OSG4101 the text". */
static inline sv gardener_diags(struct gardener_case *c)
{
	struct buf buf = buf_in(c->arena);

	VEC_EACH (diag, &c->sink.diags) {
		struct line_column at = position_line_column((*diag)->at);

		buf_printf(&buf, "%zu:%zu OSG%04u %.*s\n", at.line, at.column,
		           (unsigned)(*diag)->code, SV_ARG((*diag)->text));
		assert_true((*diag)->help.len > 0);
	}
	return buf_sv(&buf);
}

enum { BOTH_CONTRACTS = -1 };

/* One row of a table: what a manifest is answered with. */
struct gardener_row {
	int contract; /* enum gardener_contract, or BOTH_CONTRACTS */
	const char *purpose;
	const char *lines;
	const char *want;
};

static inline void gardener_rows_check(const struct gardener_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (int contract = GARDENER_CURRENT; contract <= GARDENER_2021; contract++) {
			GARDENER_CASE_AUTO c = gardener_case_new();

			if (rows[i].contract != BOTH_CONTRACTS && rows[i].contract != contract)
				continue;
			gardener_case_run(
			    &c, (enum gardener_contract)contract,
			    gardener_manifest(c.arena, rows[i].purpose, rows[i].lines));
			if (!sv_eq_cstr(gardener_diags(&c), rows[i].want))
				print_error("row %zu, contract %.*s:\n%s", i,
				            SV_ARG(gardener_contract_name(
				                (enum gardener_contract)contract)),
				            rows[i].lines);
			assert_sv(gardener_diags(&c), rows[i].want);
		}
	}
}

#endif
