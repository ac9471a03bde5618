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
 * Adds a string, which must be UTF-8, as JSON for a commit's message: on one line, and with an
 * escape (\u0040) for the same characters, except a few signs of sentences.
 */
void run_add_plain_json(struct buf *buf, sv text);
/*
 * Returns the commit's message: subject, every removed and added unit, the groups, trailers.
 * `proofs` (the lines of run_rendered_trailer and run_proof) and `voucher` (run_vouch) may be
 * empty. With skip_ci the subject ends in "[skip ci]", which GitHub, GitLab and others read.
 */
sv run_commit_message(struct arena *arena, const struct report_summary *whole, sv proofs,
                      sv voucher, bool skip_ci);

#endif
