/*
 * The kinds of notes and facts in words, and facts as JSON.
 */
#include "report/render.h"

static const struct report_note_info notes[REPORT_NOTE_KINDS] = {
    [REPORT_NOTE_IMMUTABLE] = {"immutable", "A field that must not change", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_REMOVED] = {"removed", " removed", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_MANIFEST_SCALE] = {"scale-in-manifest", "Another number of machines in manifests",
                                    REPORT_FACT_STOP, 0},
    [REPORT_NOTE_MOVED] = {"management-cluster", "Another management cluster", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_APPLIER] = {"applier", "Another applier", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_DELIVERY_BEGINS] = {"delivery-begins", "An applier from now on", REPORT_FACT_LOOK,
                                     0},
    [REPORT_NOTE_DELIVERY_ENDS] = {"delivery-ends", "No applier any more", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_DELIVERY] = {"delivery", "Another delivery", REPORT_FACT_LOOK, 0},
    [REPORT_NOTE_RECIPIENTS] = {"recipients", "Recipients changed", REPORT_FACT_STOP,
                                DIAG_RECIPIENTS_ROTATED},
    [REPORT_NOTE_KUBELET_NEWER] = {"kubelet-newer", "A kubelet newer than its control plane",
                                   REPORT_FACT_STOP, DIAG_MD_SKEW},
    [REPORT_NOTE_KUBELET_OLD] = {"kubelet-too-old", "A kubelet too old for its control plane",
                                 REPORT_FACT_STOP, DIAG_MD_SKEW},
    [REPORT_NOTE_CHECKSUM] = {"checksum", "A checksum gone", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_DOWNGRADE] = {"downgrade", "A downgrade", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_MODE] = {"file-mode", "A file's mode widened", REPORT_FACT_LOOK, 0},
    [REPORT_NOTE_HOST] = {"new-host", "A new host that nodes download from", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_SHELL] = {"shell", "A shell runs what another command prints", REPORT_FACT_STOP,
                           0},
    [REPORT_NOTE_UNVERIFIED] = {"not-verified", "A source that is not verified", REPORT_FACT_STOP,
                                0},
    [REPORT_NOTE_PLAIN_HTTP] = {"without-tls", "A source without TLS", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_UNIT_DISABLED] = {"unit-disabled", "A unit disabled", REPORT_FACT_LOOK, 0},
    [REPORT_NOTE_UNNAMED] = {"no-restart", "A file for which no unit restarts", REPORT_FACT_LOOK,
                             0},
    [REPORT_NOTE_USER] = {"user", "A user added", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_SSH_KEY] = {"ssh-key", "An SSH key added", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_ACCESS_FILE] = {"access-file", "An SSH key or user added", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_MAJOR] = {"major-version", "Another major version", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_RBAC_CHANGED] = {"rbac", "RBAC changed", REPORT_FACT_LOOK, 0},
    [REPORT_NOTE_RBAC] = {"rbac-widened", "RBAC widened", REPORT_FACT_STOP, 0},
    [REPORT_NOTE_SIZE] = {"size", "User-data above 90 % of its limit", REPORT_FACT_LOOK, 0},
};

const struct report_note_info *report_note_info(enum report_note_kind kind)
{
	BUG_ON(kind >= REPORT_NOTE_KINDS);
	return &notes[kind];
}

sv report_note_title(struct arena *arena, const struct report_summary *summary,
                     const struct report_note *note)
{
	sv title = sv_from_cstr(report_note_info(note->kind)->title);

	if (note->kind != REPORT_NOTE_REMOVED || note->unit_count == 0)
		return title;
	return ARENA_CONCAT(arena, summary->units.items[note->units[0]].kind, title);
}
