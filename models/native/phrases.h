/* Phrases of many gazetteers, found in one pass. */
#ifndef SCRUBLINE_PHRASES_H
#define SCRUBLINE_PHRASES_H

#include <stdint.h>

/* That a phrase of a list ends at a node; one after another by `next`, -1 behind the last. */
typedef struct {
    int64_t weight;
    int32_t list, next;
} Ending;

/* A trie over numbers of words: the first word leads by a table, others by a hash of node and word. */
typedef struct {
    int64_t words, nodes, endings, size; /* the hash has 1 << size places */
    int32_t lists;
    int32_t *root;   /* [words] node, -1 for none */
    uint64_t *keys;  /* node and word */
    int32_t *child;  /* -1 for a free place */
    int32_t *ending; /* [nodes] first of its endings, -1 for none */
    Ending *pool;
} Phrases;

/* A match: the list, its first and last word in the text, and the weight of the phrase. */
typedef struct {
    int64_t weight;
    int32_t list, first, last, unused;
} Match;

typedef struct {
    Match *rows;
    int64_t count, room;
} Matches;

/* Room for phrases of so many words in all; 0, or -1 without memory. */
int phrases_make(Phrases *phrases, int64_t words, int32_t lists, int64_t n_phrases, int64_t total);
void phrases_free(Phrases *phrases);

/* Adds a phrase of n words, n at least 1; weights, 0 to MOST_PHRASE_WEIGHT, of one that is
   there already are added up, to no more than that. */
#define MOST_PHRASE_WEIGHT (INT64_C(1) << 53)
void phrases_add(Phrases *phrases, const int32_t *words, int64_t n, int32_t list, int64_t weight);

/* The matches in a document, words first to end - 1 of a text: of each list leftmost-longest and
   without overlap. free_at: [2 * lists], for its use. 0, or -1 without memory. */
int phrases_match(const Phrases *phrases, const int32_t *words, int64_t first, int64_t end,
                  int64_t *free_at, Matches *found);

#endif
