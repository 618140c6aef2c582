/* The words of a batch: interned, and what properties say of them. */
#ifndef SCRUBLINE_WORDS_H
#define SCRUBLINE_WORDS_H

#include <stdint.h>

#include "merge.h"
#include "strings.h"

/* What of a word is looked up. */
enum { AS_IT_IS, PREFIX, SUFFIX, COLLAPSED, CUTS };

typedef struct {
    int32_t cut;   /* of the above */
    int32_t map;   /* what is done to the characters first, -1 for nothing */
    int32_t n;     /* code points of a prefix or suffix */
    int32_t least; /* shorter words have no value */
} WordLookup;

/* How a column is made of a word. */
enum { LOOKED_UP, LENGTH, CLASSES, KIND, FOLDED, FLAGS, WAYS };

typedef struct {
    int32_t way;    /* of the above */
    int32_t lookup; /* what is looked up; of classes and folded forms the map */
    int32_t fan;    /* LOOKED_UP: place in `numbers` of the values of what is found */
    int32_t kinds;  /* place in `numbers` of the values of kinds, -1 for none */
    int32_t first;  /* place in `numbers` of lengths; the first class */
    int32_t n;      /* the most of a length; how many classes */
} WordColumn;

/* A rule about the categories of a word's characters, each one bit; see
   models/features/character_class.py. */
enum { RUN, HAS, ONLY, ENDING };

typedef struct {
    uint32_t set;
    int32_t fewest, most; /* most -1 is without bound */
} Segment;

typedef struct {
    int32_t kind, first, count; /* segments, or groups of categories */
    int32_t skip;               /* characters that HAS passes over */
    int32_t number;             /* of the value, -1 for one that nobody asks for */
} Class;

/* The value of a kind that means: look the word up. */
#define LOOK_UP (-2)

typedef struct {
    const Characters *known;
    Merger *merger; /* for kinds; the capsule holds it, as it does `known` */
    int32_t n_maps, n_tables, n_columns, n_classes;
    Map *maps;
    Table *tables;       /* one for each lookup */
    WordLookup *lookups;
    int32_t *found;      /* by lookup: what this word has there, -1 for nothing; NOT_YET */
    WordColumn *columns;
    int32_t *numbers;
    int64_t n_numbers;
    Class *classes;
    Segment *segments;
    int64_t n_segments;
    /* What has been met: of each word its row of values; folded forms; sets of classes. */
    Table words, folded;
    int32_t *rows;
    int64_t room;    /* rows */
    int64_t *stamps; /* the batch that a word was last met in */
    int64_t *places; /* and its place there */
    int64_t batch;
    uint64_t *sets; /* distinct sets of classes, at most MOST_SETS */
    int64_t n_sets;
    Codes mapped;
    Bench bench;
    TokenTable tokens;
    Desk desk;
} Words;

#define MOST_SETS 4096
#define NOT_YET (-3)
/* That an empty table has room for. */
#define SOME_WORDS 1024

void words_free(Words *words);

/* Forgets what has been met, with its memory, if it is more than so many words or so many code points of
   them; 0, or -1 without memory. */
int words_forget(Words *words, int64_t most_words, int64_t most_codes);

/* The place of a word among those of the batch: as in an earlier call, or `next`. Its row is
   `*row`, an index into `rows`. -1 without memory. */
int64_t word_place(Words *words, const uint32_t *codes, int64_t size, int64_t next, int64_t *row);

#endif
