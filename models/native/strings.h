/* Rows of code points: mapped one by one, and found in tables. */
#ifndef SCRUBLINE_STRINGS_H
#define SCRUBLINE_STRINGS_H

#include <stdint.h>

#include "characters.h"

#define PAGE 256
#define PAGES (CODE_POINTS / PAGE)

/* What becomes of each code point: another one, or several. */
typedef struct {
    uint16_t pages[PAGES];
    int32_t *cells;       /* a code point; CODE_POINTS for itself; or ~ of a place in `expansions` */
    uint32_t *expansions; /* how many, and they */
    int64_t n_cells, n_expansions;
} Map;

void map_free(Map *map);

/* Code points in memory that grows. */
typedef struct {
    uint32_t *codes;
    int64_t size, room;
} Codes;

void codes_free(Codes *codes);
int codes_fit(Codes *codes, int64_t more); /* 0, or -1 without memory */

/* The mapped code points, in place of what `out` held; 0, or -1 without memory. */
int map_codes(const Map *map, const uint32_t *codes, int64_t size, Codes *out);

/* As in models/features/base.py: of longer words first and last halves of it are seen. */
#define LONGEST_WORD 256

/* What is seen of a word: as it is, or in `clipped`, [LONGEST_WORD]. */
const uint32_t *clip_word(const uint32_t *codes, int64_t *size, uint32_t *clipped);

/* Strings with a number each, by open addressing. New ones may be added. */
typedef struct {
    int64_t offset; /* into the pool */
    int32_t size, number;
} Entry;

typedef struct {
    uint32_t hash;
    int32_t index; /* of an entry, -1 for a free place */
} Bucket;

typedef struct {
    Codes pool;
    int64_t count, room, bits; /* strings, room for them, and 1 << bits buckets */
    Entry *entries;            /* [room] */
    Bucket *buckets;
} Table;

int table_make(Table *table, int64_t strings); /* 0, or -1 without memory */
void table_free(Table *table);
/* Forgets all strings, with their memory; 0, or -1 without memory for an empty table, when all is as it
   was. */
int table_renew(Table *table, int64_t strings);
void table_clear(Table *table); /* keeps the memory */
uint32_t hash_codes(const uint32_t *codes, int64_t size);
void hash_seed(const unsigned char bytes[16]); /* once, before anything is hashed */
/* Index of a string, -1 if it is not there. */
int64_t table_find(const Table *table, const uint32_t *codes, int64_t size, uint32_t hash);
/* Index of a string that was not there; -1 without memory. */
int64_t table_add(Table *table, const uint32_t *codes, int64_t size, uint32_t hash, int32_t number);
/* The number of a string, -1 if it is not there. */
int32_t table_number(const Table *table, const uint32_t *codes, int64_t size);

#endif
