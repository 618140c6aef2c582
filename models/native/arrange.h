/* Items cut into sequences, and the fine token of each. */
#ifndef SCRUBLINE_ARRANGE_H
#define SCRUBLINE_ARRANGE_H

#include <stdint.h>

/* The tokens and items of documents. With the first item that ends behind a marked token's start begins
   a sequence. */
typedef struct {
    int64_t documents;
    const int64_t *token_offsets, *token_starts;
    const uint8_t *marks;
    const int64_t *item_offsets, *starts, *ends;
} Layout;

/* Writes the token that each item begins at or in or behind, -1 for none; row pointers of sequences of at
   most so many items; and of documents into sequences. How many sequences there are. */
int64_t arrange(const Layout *layout, int64_t most, int64_t *anchors, int64_t *sequences,
                int64_t *of_documents);

#endif
