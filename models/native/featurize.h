/* From the values of properties to the attributes of a model, without a string. */
#ifndef SCRUBLINE_FEATURIZE_H
#define SCRUBLINE_FEATURIZE_H

#include <stddef.h>
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

/* What is looked up for a feature. Of one part: rows[value], of `size` values from `start` on. Of
   several: an open-addressed table of 1 << size places. */
typedef struct {
    int32_t first, parts;
    int64_t start, size;
} Lookup;

/* A place of such a table; free if the attribute is -1. The weight is of sums.c. */
typedef struct {
    uint64_t key;
    int32_t attribute, weight;
} Slot;

/* A feature of one part that most items have no value of: by column, where its attributes begin and
   how many there are. */
typedef struct {
    int64_t start, size;
} Single;

/* What all items have that are so far from an end of their sequence that an offset is beyond it. */
typedef struct {
    int32_t *ids;
    int64_t count;
} Beyond;

/* As in models/features/declaration.py. */
#define MOST_PARTS 8

/* The furthest offset, as in models/features/declaration.py. */
#define FURTHEST 32

/* What a recipe declares, for one model. */
typedef struct {
    int64_t parts;
    Part *part;
    int32_t reach;    /* the furthest offset */
    int32_t width[3]; /* columns by word, by item, and of many */
    int32_t *before[3], *after[3]; /* the values beyond the ends of a sequence */
    int32_t *singles;              /* attribute of each value, -1 for none */
    int64_t n_singles;
    Slot *slots;
    int64_t n_slots;
    /* Features by how they are looked up: of one value of a word, by offset; of one value of an item,
       by offset and column; of several parts of one value; and all others. */
    Lookup *of_words, *joined, *others;
    int64_t n_joined, n_others;
    int64_t words_from[2 * FURTHEST + 2]; /* row pointers of offsets into `of_words` */
    Single *of_items;                     /* [2 * reach + 1][width[BY_ITEM]], of size 0 for none */
    uint8_t uses_items[2 * FURTHEST + 1]; /* whether any of an offset's is there */
    Beyond beyond[2][2 * FURTHEST + 1];   /* before and behind, by offset */
    int64_t most;                         /* attributes that an item can have, but for the others */
    int is_weighed;                       /* for a model: the weights of slots are its own */
} Index;

void index_free(Index *index);

/* The answers of what builds an index. */
enum { BUILT, UNFIT, LACKING };

/* The slots of the conjunctions; `size` of a lookup becomes that of its table. given: [lookup][4], as
   Python gave them. */
int build_slots(Index *index, Lookup *lookups, const int64_t *given, int64_t count, const uint64_t *keys,
                const int32_t *rows);

/* Sorts lookups by how they are looked up. */
int sort_lookups(Index *index, const Lookup *lookups, int64_t count);

/* The values of a property of several values: of row r those from offsets[r] on. */
typedef struct {
    const int32_t *values;
    const int64_t *offsets;
    int32_t by; /* row: BY_ROW of the item; or the value of a column of the word */
} Many;

#define BY_ROW (-1)

typedef struct {
    const int32_t *words, *items; /* [words][stride], [items][width] */
    const int64_t *word_ids;      /* of each item */
    Many *many;
    int64_t n_words, n_items;
    int64_t stride; /* of `words`, which may have more columns */
} Batch;

/* A value that an item has. */
typedef struct {
    int32_t column, value;
} Value;

/* Attributes found, and what is worked with, in memory that grows. */
typedef struct {
    int32_t *ids;
    int64_t count, room;
    Value *values; /* of the items of a sequence: those that are not -1 */
    int64_t n_values, value_room;
    int64_t *value_offsets; /* row pointers of its items */
    int64_t item_room;
    struct Wanted *wanted; /* [joined] */
} Found;

void found_free(Found *found);

/* Where a key would be in a table of 1 << size places. */
static inline uint64_t slot_of(uint64_t key, int64_t size)
{
    return (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - size);
}

/* The place of a key, from where it would be on; NULL if it is not there. */
static inline const Slot *find_slot(const Slot *slots, int64_t size, uint64_t key, uint64_t at)
{
    uint64_t mask = (UINT64_C(1) << size) - 1;
    for (; slots[at].attribute >= 0; at = (at + 1) & mask)
        if (slots[at].key == key)
            return slots + at;
    return NULL;
}

/* Where the values of parts at an offset from an item are. */
typedef struct {
    const int32_t *row[2]; /* of the matrices by word and by item */
    int64_t item;          /* -1 before the sequence, -2 behind it */
} Place;

/* The value of a part that has one. */
static inline int32_t value_of(const Place *places, const Part *part)
{
    return places[part->offset].row[part->where][part->column];
}

/* What is done with a place of the singles that an item has. */
typedef void TakeSingle(void *taker, int64_t single);

/* Those of a word at an offset, which begins at 0 here. */
static inline void take_of_word(const Index *index, const int32_t *row, int32_t o, TakeSingle *take_single,
                                void *taker)
{
    for (int64_t f = index->words_from[o]; f < index->words_from[o + 1]; f++) {
        const Lookup *lookup = index->of_words + f;
        int32_t value = row[index->part[lookup->first].column];
        if (value >= 0 && value < lookup->size)
            take_single(taker, lookup->start + value);
    }
}

/* Those of an item of the sequence at an offset. */
static inline void take_of_item(const Index *index, const Found *found, int64_t number, int32_t o,
                                TakeSingle *take_single, void *taker)
{
    if (!index->uses_items[o])
        return;
    const Single *singles = index->of_items + (int64_t)o * index->width[BY_ITEM];
    const Value *end = found->values + found->value_offsets[number + 1];
    for (const Value *v = found->values + found->value_offsets[number]; v < end; v++)
        if (v->value < singles[v->column].size)
            take_single(taker, singles[v->column].start + v->value);
}

/* The places around an item, from -reach to reach; `places` is that of offset 0. */
void find_places(const Index *index, const Batch *batch, int64_t first, int64_t end, int64_t item,
                 Place *places);

/* Makes ready for a sequence: the values of its items without those that are none. 0, or -1. */
int begin_sequence(const Index *index, const Batch *batch, int64_t first, int64_t end, Found *found);

/* Adds the attributes with a part of many values; 0, or -1 without memory. */
int add_others(const Index *index, const Batch *batch, const Place *places, Found *found);

/* The attributes of the items of a sequence; ends[i] is where those of item first + i end in
   `found`. 0, or -1 without memory. */
int featurize_sequence(const Index *index, const Batch *batch, int64_t first, int64_t end,
                       Found *found, int64_t *ends);

#endif
