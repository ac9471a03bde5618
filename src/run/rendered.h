/*
 * The result of rendering: the files of each unit and cluster, and how they differ from the output
 * before.
 */
#ifndef OSM_GEN_RUN_RENDERED_H
#define OSM_GEN_RUN_RENDERED_H

#include "plan/plan.h"
#include "report/report.h"
#include "review/review.h"
#include "run/run.h"
#include "tree/tree.h"

/* A sealed file of the output that differs from the one before. */
struct run_sealed_change {
	sv path;
	unsigned change; /* REPORT_SEALED_... */
};

/* A secret that a run without the seed does not have. */
struct run_lacking {
	sv name;
	struct secret_owner owner;
};

struct run_lacking run_copy_lacking(struct arena *arena, const struct run_lacking *from);

/*
 * Digests of a unit that a run without the seed compares with those that the source commit of the
 * output gives (basis/basis.h). They are made with placeholders for the secrets that the run does
 * not have. They have no key, and are never printed.
 */
struct run_traits {
	sv template; /* the text of the unit's template; empty if it has none */
	bool template_has_secrets;
	sv roll; /* see plan_roll; empty if the setting roll is not set */
	bool roll_has_secrets;
	sv user_data; /* what machines read as they start */
	sv sealing;   /* how the files of the cluster are sealed, and to whom */
	sv identity;  /* of the fleet: part of what is derived from the seed */
	sv files;     /* all files, with `sealing` and `identity` */
	/* Without those that osm-gen derives. */
	VEC(struct run_lacking) lacking;
};

/* The part of a unit's row in the summary (struct report_unit) that rendering decides. */
struct run_row {
	bool is_set; /* false if the unit could not be rendered */
	sv provider;
	sv operating_system;
	sv kubelet_version;
	sv reason;
	size_t bootstrap_bytes;
	size_t bootstrap_limit;
	size_t provisioning_bytes;
	size_t provisioning_limit;
	struct report_names restarts;
	struct report_names stops;
};

/* One unit, rendered. A large fleet has many of them, all to the end. */
struct run_unit {
	const struct plan_unit *unit;
	struct sink sink;
	struct tree_files files; /* of its artifacts; written unless something is wrong */
	struct run_row row;
	struct plan_class_facts facts;
	VEC(struct run_sealed_change) sealed;
	size_t not_compared;         /* number of files left out because the run has no seed */
	struct run_fetched *fetched; /* null if the job does not want it, or nothing is rendered */
	/* Later units that were not rendered, since this one's profile exceeded a budget. */
	size_t not_rendered;
	int64_t replicas;             /* number of machines, or REPORT_REPLICAS_UNKNOWN */
	struct position at;           /* of its version, or of its name */
	struct dialect_pace pace;     /* of its machines; all empty if its dialect has none */
	uint64_t steps;               /* number of steps that its templates took */
	bool asks_now;                /* its files depend on the time */
	bool is_kept;                 /* it was not rendered (proofs/proofs.h) */
	sv proof;                     /* for index.json; empty if it has none */
	const struct tree_roll *roll; /* for index.json, without unit; null if it has none */
	struct run_traits *traits;    /* without the seed; else null */
	bool is_done;                 /* false if the run's steps were used up before */
};

/* rendered.c: returns the row of a unit's summary, as far as the plan and rendering decide it. */
struct report_unit run_row_of(const struct run_unit *unit);

/* Returns true if the output has the unit's MachineDeployments. */
static inline bool run_has_machines(const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		if (sv_eq(file->object.kind, SV("MachineDeployment")) && !file->patch_of)
			return true;
	return false;
}

/* A field of an applier's object that differs from the one before. */
struct run_delivery_change {
	sv cluster;
	sv text; /* "spec.interval 10m -> 5m in Kustomization <cluster>-worker" */
};

struct run_rendered {
	struct run_unit *units; /* one for each unit of the plan, in its order */
	/* One for each cluster: its own files and those of all its units. */
	struct tree_file_list *clusters;
	struct set written; /* paths that this run puts */
	/* Objects of the applier that differ from those before. */
	VEC(struct run_delivery_change) delivery;
	/* One for each cluster; all zero before the first output. */
	struct plan_sealed_before *before;
	/* Changes in units, by their number in the plan; null if nothing is compared. */
	struct review *review;
};

#endif
