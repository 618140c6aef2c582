/* Which patterns may match in a text, and where: by the pieces of words that each needs.

   All pieces are looked for in one pass, one step for each byte (Aho and Corasick, "Efficient string
   matching", 1975). */
#ifndef SCRUBLINE_PREFILTER_H
#define SCRUBLINE_PREFILTER_H

#include <stdint.h>

/* How a piece is written, as `Case` of models/recognisers/prefilter.py. CAPITAL_FIRST: a match counts
   only if it begins with a capital; where one may, the windows are those of all matches, for one that
   does not count may cover one that would. */
enum { ANY_CASE, AS_IT_STANDS, CAPITAL_FIRST, CASES };

typedef struct {
    const uint8_t *letters;
    int32_t size, need;
    int32_t other; /* another piece of the same letters, -1 for none */
    uint8_t written, ends;
} LiteralPiece;

/* Each match of a pattern holds a piece of a need. */
typedef struct {
    int64_t pattern, need;
    int64_t before; /* so many code points before the piece a match begins; -1 if that may differ */
    int64_t reach;  /* no match is longer */
} Claim;

typedef struct {
    int64_t n_pieces, n_needs, n_claims, n_states;
    uint8_t *letters;
    LiteralPiece *pieces;
    Claim *claims;    /* those of one pattern in a row; only the first of them may know `before` */
    int32_t *next;    /* by state and symbol: twice the next state, and 1 if pieces may end there */
    int32_t *first;   /* by state: a piece that ends there, -1 for none */
    int32_t *shorter; /* by state: the next state whose pieces end there too, -1 for none */
    int32_t marks[256]; /* by byte that is no letter or digit: a piece that it is, -1 for none */
} Prefilter;

/* Room for so many; NULL without memory. */
Prefilter *prefilter_make(int64_t n_letters, int64_t n_pieces, int64_t n_needs, int64_t n_claims);

/* Makes the steps, when letters, pieces and claims are there. `begins`: whether a piece begins where
   letters and digits do. 0, or -1 without memory. */
int prefilter_join(Prefilter *prefilter, const uint8_t *begins);

void prefilter_free(Prefilter *prefilter);

/* A stretch of a text. */
typedef struct {
    int64_t row, start, end;
} Window;

typedef struct {
    Window *rows;
    int64_t count, room;
} Windows;

/* Of each pattern whose needs are in a text the windows in one of which each match is; by text, by pattern,
   in order, disjoint. `offsets`: where each of `n` texts begins and ends. 0, or -1 without memory. */
int prefilter_scan(const Prefilter *prefilter, const uint8_t *texts, const int64_t *offsets, int64_t n, Windows *found);

/* By row, each row in the order that it has; `begins`, of n + 2, is where each begins. NULL without memory. */
Window *by_row(const Windows *windows, int64_t n, int64_t *begins);

#endif
