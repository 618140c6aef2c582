/* From the values of properties to the attributes of a model, without a string. */
#ifndef SCRUBLINE_FEATURIZE_H
#define SCRUBLINE_FEATURIZE_H

#include <stdint.h>

/* Where the values of a property are: one a word or one an item, in the rows of a matrix; or any
   number of them, in a column of its own. */
enum { BY_WORD, BY_ITEM, MANY };

typedef struct {
    int32_t where;  /* of the three above */
    int32_t column; /* of the matrix, or of the many */
    int32_t offset; /* in items */
    int32_t bits;   /* of a value in a conjunction's key */
} Part;

typedef struct {
    int32_t first, parts;
    /* Of one part: rows[value], of `size` values. Of several: an open-addressed table of 1 << size. */
    int64_t start, size;
} Lookup;

/* The furthest offset, as in models/features/declaration.py. */
#define FURTHEST 32

/* What a recipe declares, for one model. */
typedef struct {
    int64_t lookups, parts;
    Lookup *lookup;
    Part *part;
    int32_t reach; /* the furthest offset */
    int32_t width[3]; /* columns by word, by item, and of many */
    int32_t *before[3], *after[3]; /* the values beyond the ends of a sequence */
    int32_t *singles;              /* attribute of each value, -1 for none */
    int64_t n_singles;
    uint64_t *keys;
    int32_t *rows; /* attribute of each key, -1 for a free place */
    int64_t n_keys;
} Index;

/* The values of a property of several values: of row r those from offsets[r] on. */
typedef struct {
    const int32_t *values;
    const int64_t *offsets;
    int32_t by; /* row: BY_ROW of the item; or the value of a column of the word */
} Many;

#define BY_ROW (-1)

typedef struct {
    const int32_t *words, *items; /* [words][width], [items][width] */
    const int64_t *word_ids;      /* of each item */
    Many *many;
    int64_t n_words, n_items;
    int64_t stride; /* of `words`, which may have more columns */
} Batch;

/* Attributes found, in memory that grows. */
typedef struct {
    int32_t *ids;
    int64_t count, room;
} Found;

/* Adds a key to a table of 1 << size that has room for it. */
void index_put(uint64_t *keys, int32_t *rows, int64_t size, uint64_t key, int32_t row);

/* The attributes of the items of a sequence; ends[i] is where those of item first + i end in
   `found`. 0, or -1 without memory. */
int featurize_sequence(const Index *index, const Batch *batch, int64_t first, int64_t end,
                       Found *found, int64_t *ends);

#endif
