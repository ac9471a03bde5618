/* A run in which everything happens that reports show, for their tests. */
#ifndef OSM_GEN_TESTS_REPORT_FIXTURE_H
#define OSM_GEN_TESTS_REPORT_FIXTURE_H

#include "report/report.h"
#include "review/internal.h"

static inline void add_sample_unit(struct arena *arena, struct report_summary *summary, sv cluster,
                                   sv name, enum report_class class, int64_t replicas)
{
	enum report_change change = class == REPORT_CLASS_NONE     ? REPORT_UNCHANGED
	                            : class == REPORT_CLASS_ADD    ? REPORT_ADDED
	                            : class == REPORT_CLASS_REMOVE ? REPORT_REMOVED
	                                                           : REPORT_CHANGED;
	bool is_gone = class == REPORT_CLASS_REMOVE;

	VEC_PUSH(arena, &summary->units,
	         (struct report_unit){
	             .cluster = cluster,
	             .kind = SV("MachineDeployment"),
	             .namespace = SV("kube-system"),
	             .name = name,
	             .provider = is_gone ? SV("") : SV("hetzner"),
	             .operating_system = is_gone ? SV("") : SV("ubuntu"),
	             .profile = is_gone ? SV("") : SV("osp-ubuntu"),
	             .profile_version = is_gone ? SV("") : SV("v1.8.0"),
	             .bootstrap_bytes = is_gone ? 0 : 30100,
	             .bootstrap_limit = is_gone ? 0 : 32768,
	             .change = change,
	             .class = class,
	             .replicas = replicas,
	         });
	summary->unit_count += !is_gone;
}

#define SAMPLE_LIST(arena, type, ...)                                                              \
	((type *)memcpy(ARENA_ARRAY((arena), type, COUNT_OF(((type[]){__VA_ARGS__}))),             \
	                ((type[]){__VA_ARGS__}), sizeof((type[]){__VA_ARGS__})))

static inline void add_sample_groups(struct arena *arena, struct report_summary *summary)
{
	VEC_PUSH(
	    arena, &summary->groups,
	    ((struct report_group){
	        .class = REPORT_CLASS_ROLL,
	        .fields = SAMPLE_LIST(
	            arena, struct report_field,
	            {SV_INIT("kubelet"), SV_INIT("1.31.4"), SV_INIT("1.32.1"), false, {0}},
	            {SV_INIT("profile version"), SV_INIT("v1.7.0"), SV_INIT("v1.8.0"), false, {0}},
	            {SV_INIT("node HTTP proxy"), {0}, SV_INIT("http://p:3128"), false, {0}}),
	        .field_count = 3,
	        .diff = SV("@@ -1,4 +1,4 @@\n spec:\n   provisioningConfig:\n-    path: "
	                   "/opt/bin/supervise.sh\n+    path: /opt/bin/<supervise>.sh\n"),
	        .units = SAMPLE_LIST(arena, size_t, 0, 2),
	        .unit_count = 2,
	        .cluster_count = 2,
	    }));
	VEC_PUSH(arena, &summary->groups,
	         ((struct report_group){
	             .class = REPORT_CLASS_NEW_NODES,
	             .fields = SAMPLE_LIST(arena, struct report_field,
	                                   {SV_INIT("cluster DNS"),
	                                    SV_INIT("10.96.0.10"),
	                                    SV_INIT("10.10.10.10"),
	                                    false,
	                                    {0}}),
	             .field_count = 1,
	             .units = SAMPLE_LIST(arena, size_t, 1),
	             .unit_count = 1,
	             .cluster_count = 1,
	         }));
}

static inline struct report_summary sample_run(struct arena *arena)
{
	struct report_summary summary = {
	    .command = SV("check"),
	    .version = SV("1.0"),
	    .outcome = REPORT_DIFFERS,
	    .source_commit = SV("1111111111111111111111111111111111111111"),
	    .out = SV("out"),
	    .cluster_count = 2,
	    .profile_count = 3,
	    .unit_kind = SV("MachineDeployment"),
	    .unchanged_file_count = 1234,
	};

	add_sample_unit(arena, &summary, SV("edge-eu-1"), SV("workers-a"), REPORT_CLASS_ROLL, 3);
	add_sample_unit(arena, &summary, SV("edge-eu-1"), SV("workers-b"), REPORT_CLASS_NEW_NODES,
	                2);
	add_sample_unit(arena, &summary, SV("prod-us-1"), SV("workers"), REPORT_CLASS_ROLL, 3);
	add_sample_unit(arena, &summary, SV("prod-us-1"), SV("gpu"), REPORT_CLASS_ADD,
	                REPORT_REPLICAS_UNKNOWN);
	add_sample_unit(arena, &summary, SV("prod-us-1"), SV("labels"), REPORT_CLASS_METADATA, 1);
	add_sample_unit(arena, &summary, SV("prod-us-1"), SV("quiet"), REPORT_CLASS_NONE, 5);
	add_sample_unit(arena, &summary, SV("prod-us-1"), SV("old"), REPORT_CLASS_REMOVE,
	                REPORT_REPLICAS_UNKNOWN);
	summary.units.items[6].reason = SV("clusters/prod/old.yaml was deleted");
	summary.units.items[3].source = SV("clusters/prod/gpu.yaml");
	add_sample_groups(arena, &summary);
	VEC_PUSH(arena, &summary.notes,
	         ((struct report_note){REPORT_NOTE_REMOVED,
	                               SV("an applier that prunes deletes it and its machines"),
	                               SAMPLE_LIST(arena, size_t, 6), 1, false}));
	VEC_PUSH(
	    arena, &summary.notes,
	    ((struct report_note){REPORT_NOTE_HOST, SV("mirror.example.net, of /opt/bin/setup.sh"),
	                          SAMPLE_LIST(arena, size_t, 0, 2), 2, false}));
	VEC_PUSH(arena, &summary.notes,
	         ((struct report_note){REPORT_NOTE_RECIPIENTS,
	                               SV("cluster prod-us-1 is sealed to others than before"),
	                               NULL, 0, false}));
	VEC_PUSH(
	    arena, &summary.recipients,
	    ((struct report_recipients){SV("prod-us-1"), SAMPLE_LIST(arena, sv, SV_INIT("age1new")),
	                                1, SAMPLE_LIST(arena, sv, SV_INIT("age1old")), 1}));
	VEC_PUSH(arena, &summary.files,
	         ((struct report_file){.path = SV("prod/index.json"), .change = REPORT_CHANGED}));
	report_name_groups(arena, &summary);
	review_list_facts(arena, &summary);
	return summary;
}

/* An error in a file, and a warning in none. */
static inline void add_sample_diags(struct arena *arena, struct sink *sink)
{
	struct source *source =
	    source_new(arena, SV("clusters/prod, eu/md.yaml"), SV("one\ntwo: 100%\n"), false);
	struct diag *diag;

	sink->object = SV("MachineDeployment kube-system/workers");
	diag = diag_report(sink, DIAG_USAGE, (struct position){source, 9, 4}, "100%% is too much");
	diag_set_help(sink, diag, "take less\nor nothing");
	sink->object = SV("");
	diag_report(sink, DIAG_INPUT_DIRTY, NOWHERE, "something is not committed");
}

#endif
