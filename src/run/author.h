/*
 * The author of commits.
 */
#ifndef OSM_GEN_RUN_AUTHOR_H
#define OSM_GEN_RUN_AUTHOR_H

#include "base/base.h"
#include "diag/diag.h"
#include "fleet/fleet.h"
#include "git/git.h"

/* Splits "NAME <MAIL>" into its parts. Returns false if it does not have that form. */
bool run_parse_author(sv author, sv *ret_name, sv *ret_mail);
/*
 * Sets the author of `text`: `author` or, if that is empty, the fleet's, or else RUN_AUTHOR. Fails
 * (DIAG_COMMIT_AUTHOR) if it does not have the form of an author.
 */
MUST_CHECK enum status run_choose_author(struct sink *sink, sv author, const struct fleet *fleet,
                                         struct git_commit_text *text);

#endif
