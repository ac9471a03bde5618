/*
 * Character classes of Go's unicode package (Unicode 15.0, which utf8proc 2.8 shares), and how Go
 * treats runes in strings.
 */
#ifndef OSM_GEN_TMPL_RUNE_H
#define OSM_GEN_TMPL_RUNE_H

#include "base/base.h"

bool rune_is_letter(uint32_t rune);
bool rune_is_digit(uint32_t rune);
bool rune_is_space(uint32_t rune);
bool rune_is_upper(uint32_t rune);
bool rune_is_lower(uint32_t rune);
bool rune_is_title(uint32_t rune);
bool rune_is_number(uint32_t rune);
bool rune_is_punct(uint32_t rune);
uint32_t rune_to_upper(uint32_t rune);
uint32_t rune_to_lower(uint32_t rune);
uint32_t rune_to_title(uint32_t rune);

/* strings.TrimSpace */
sv text_trim_space(sv s);

/* %q with ASCII only; %#U; rune constants */
void quote_ascii_add(struct buf *buf, sv s);
void quote_rune_add(struct buf *buf, uint32_t rune, bool ascii);
void unicode_add(struct buf *buf, uint32_t rune);

#endif
