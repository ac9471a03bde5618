/*
 * The message of a commit.
 */
#ifndef OSM_GEN_RUN_MESSAGE_H
#define OSM_GEN_RUN_MESSAGE_H

#include "base/base.h"
#include "report/report.h"

/*
 * Adds a name of the inputs to a commit's message: on one line, and with an escape (\x40) for
 * characters that mention a person, link or close an issue, or could make a trailer.
 */
void run_add_name(struct buf *buf, sv name);
/*
 * Returns the commit's message: subject, summary, trailers. `proof` (run_proof) and `voucher`
 * (run_vouch) may be empty. With skip_ci the subject ends in "[skip ci]", which GitHub, GitLab and
 * others read.
 */
sv run_commit_message(struct arena *arena, const struct report_summary *summary, sv proof,
                      sv voucher, bool skip_ci);

#endif
