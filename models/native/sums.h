/* What the attributes of items are worth to each tag, found and added up in one pass: no attribute is
   written down. The sums are those of the attributes that featurize.h finds, for whole numbers of a
   unit add up alike in any order. */
#ifndef SCRUBLINE_SUMS_H
#define SCRUBLINE_SUMS_H

#include <stdint.h>

#include "decode.h"
#include "featurize.h"

/* A conjunction: the values of its sources, each shifted, are its key. */
typedef struct {
    int64_t start;  /* of its table in the slots */
    int32_t size;   /* of 1 << size places */
    int32_t parts;
    uint16_t source[MOST_PARTS];
    uint8_t shift[MOST_PARTS];
} Conjunction;

/* A model's weights where an index finds its attributes. */
typedef struct {
    const Index *index;
    const Model *model;
    Row *singles; /* as the index's singles: where the weights of the attribute are */
    Part *sources; /* the parts of conjunctions, each once */
    int64_t n_sources, words; /* of 64 bits, for one bit a source */
    Conjunction *conjunctions; /* [joined] */
    uint64_t *needs;           /* [joined][words], the sources of each */
} Weighing;

/* The answers of `weigh` beside those of what builds an index. */
enum { TOO_LARGE = LACKING + 1 };

/* Begins a weighing, and puts the weights of conjunctions into the slots of the index. BUILT; LACKING;
   UNFIT if an attribute is none of the model's; TOO_LARGE if sums of 32 bits might not hold those of an
   item. */
int weigh(Weighing *weighing, Index *index, const Model *model);
void weighing_free(Weighing *weighing);

/* Keys of conjunctions are looked for so many items before they are needed. */
#define AHEAD 4

/* What is worked with over the sequences of a batch, in memory that grows. */
typedef struct {
    Found found;
    int32_t *memo; /* [words][2 * reach + 1], see sums.c */
    int32_t *rows; /* [row][width] */
    int64_t n_rows, row_room;
    Row *entries; /* of the items of a sequence, what is still to be added */
    int64_t n_entries, entry_room;
    int64_t *ends; /* of the entries of each item */
    int64_t end_room;
    struct Key *asked;  /* [AHEAD][joined] */
    int32_t *values;     /* [sources] */
    uint64_t *have;      /* [words] */
    int64_t n_asked[AHEAD];
} Sums;

int sums_begin(Sums *sums, const Weighing *weighing, const Batch *batch); /* 0, or -1 without memory */
void sums_free(Sums *sums);

/* The sums of the items of a sequence, states: [item][width]. 0; -1 without memory; or TOO_LARGE. */
int sum_sequence(const Weighing *weighing, const Batch *batch, int64_t first, int64_t end, Sums *sums,
                 int32_t *states);

#endif
