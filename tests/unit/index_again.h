/* An index.json that was read, written again: for the unit test and the fuzz harness of its
 * readers. */
#ifndef TEST_INDEX_AGAIN_H
#define TEST_INDEX_AGAIN_H

#include "tree/index.h"

/* Writes an index as it was read. */
static inline sv index_again(struct arena *arena, const struct tree_index *index)
{
	struct tree_file_list files = {0};
	struct tree_file_list delivery = {0};
	struct tree_proofs proofs = {index->proofs, index->proof_count, index->proof_count};
	struct tree_rolls rolls = {index->rolls, index->roll_count, index->roll_count};
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < index->file_count; i++)
		VEC_PUSH(arena, index->files[i].is_delivery ? &delivery : &files, &index->files[i]);
	tree_add_index(&buf, &(struct tree_index_request){
	                         .cluster = index->cluster,
	                         .folder = index->folder,
	                         .seed_id = index->seed_id,
	                         .recipients = index->recipients,
	                         .recipient_count = index->recipient_count,
	                         .recipients_digest = index->recipients_digest,
	                         .sealed_settings = index->sealed_settings,
	                         .sealed_setting_count = index->sealed_setting_count,
	                         .cut = index->cut,
	                         .files = &files,
	                         .delivery = &delivery,
	                         .proofs = &proofs,
	                         .rolls = &rolls,
	                     });
	return buf_sv(&buf);
}

#endif
