/* Properties of an item that depend on where it stands. What each of them is, its class in
   models/features says. */
#ifndef SCRUBLINE_PLACES_H
#define SCRUBLINE_PLACES_H

#include <stdint.h>

#include "characters.h"
#include "phrases.h"
#include "strings.h"

/* All kinds, with the names that Python has for them (`_native.PLACE_KINDS`). Those that are filled
   alike stand together: ranges of them are compared. */
#define EACH_PLACE_KIND(DO) \
    DO(SPACING, "spacing") \
    DO(LINE_INDEX, "line.index") DO(LINE_REST, "line.rest") DO(LINE_NUMBER, "line.number") \
    DO(LINE_BELOW, "line.below") DO(LINE_SIZE, "line.size") DO(LINE_TENTH, "line.tenth") \
    DO(LINE_GAP, "line.gap") DO(LINE_FIELD, "line.field") \
    DO(FIELD_LINE, "field.line") DO(FIELD_ABOVE, "field.above") DO(FIELD_BELOW, "field.below") \
    DO(FIELD_LAST, "field.last") DO(FIELD_INNER, "field.inner") DO(FIELD_SINCE, "field.since") \
    DO(FIELD_COMING, "field.coming") \
    DO(BESIDE, "beside") DO(NEAREST_SORT, "nearest.sort") DO(NEAREST_FAR, "nearest.far") \
    DO(NEAREST_WORD, "nearest.word") DO(NEARBY, "nearby") \
    DO(COUNT_SEQUENCE, "count.sequence") DO(COUNT_DOCUMENT, "count.document") \
    DO(SHARE_SEQUENCE, "share.sequence") DO(SHARE_DOCUMENT, "share.document") \
    DO(GAZETTEER_IN, "gazetteer.in") DO(GAZETTEER_BIOES, "gazetteer.bioes") \
    DO(FREQUENCY, "frequency") DO(DAY_MONTH, "day_month") DO(ELSEWHERE, "elsewhere") \
    DO(SENTENCE_LENGTH, "sentence.length") DO(SENTENCE_INDEX, "sentence.index") \
    DO(SENTENCE_REST, "sentence.rest") DO(SENTENCE_END, "sentence.end") \
    DO(SENTENCE_BRACKET, "sentence.bracket") DO(SENTENCE_QUOTED, "sentence.quoted") \
    DO(OF_TOKEN, "token")

#define AS_CONSTANT(kind, name) kind,

enum { EACH_PLACE_KIND(AS_CONSTANT) PLACE_KINDS };

/* As in models/features: line.py, sentence.py, field.py, nearest.py, nearby.py, count.py. What a column has for its values is
   indexed by these. */
#define GAPS 3               /* between items: none, one character, more */
#define TENTHS 10            /* of a document */
#define BINS_OF_LINES 10     /* and of sentences: the last of them */
#define BINS_OF_COUNTS 20    /* the last of them */
#define REACH 12             /* tokens to a colon */
#define FURTHEST_LANDMARK 32 /* items to it */
#define BINS_OF_DISTANCES 6  /* how many: powers of two up to that */
#define BINS_NEARBY 6        /* the last of them */
#define DAY_ANSWERS 8

typedef struct {
    int32_t kind;   /* of the above */
    int32_t table;  /* where names of fields and words are looked up */
    int32_t first;  /* place in `numbers` of what numbers stand for the values */
    int32_t most;   /* the last bin; the longest line; the fields of ELSEWHERE; items to each side */
    int32_t behind; /* of a word beside and of landmarks: on which side */
    int32_t word;   /* a column of the words: that is copied; that chosen words share a bit of; that
                       words are counted by, -1 for themselves */
    int32_t flag;   /* that bit; what NEARBY does not count has it */
    int32_t list;   /* of gazetteers; the choice of landmarks or of what is nearby; the values of OF_TOKEN */
} PlaceColumn;

/* A choice of landmarks: place of each kind and of each list in it, -1 for those that are none. */
typedef struct {
    int32_t *kinds, *lists;
    int32_t names; /* how many in all */
} Landmarks;

typedef struct {
    const Characters *known;
    Map fold;
    int32_t n_tables, n_columns, n_choices, n_kinds, n_lists;
    int32_t n_of_tokens; /* columns of kind OF_TOKEN */
    int needs_sentences; /* whether a column is of sentences */
    Table *tables;
    PlaceColumn *columns;
    int32_t *numbers;
    int64_t n_numbers;
    Landmarks *choices;
    int32_t folded, flags, kind; /* columns of the words */
} Places;

void places_free(Places *places);

/* A batch. A document that failed has no items, and perhaps tokens. */
typedef struct {
    int64_t documents, n_tokens, n_items, n_words, n_sequences;
    const uint32_t *codes;
    const int64_t *text_offsets;
    const int64_t *token_offsets, *token_starts, *token_ends;
    const uint8_t *starts_line;
    const uint8_t *starts_sentence; /* of no tokens where no column is of sentences */
    const int32_t *token_values;    /* [tokens][columns of kind OF_TOKEN] */
    const int64_t *item_offsets, *starts, *ends, *anchors;
    const int64_t *sequence_offsets;
    const int64_t *word_ids;
    const int32_t *rows; /* [words][width] */
    int32_t width;
    int64_t n_folded;    /* folded words have numbers below it */
    const Match *matches; /* by list, in order */
    const int64_t *match_offsets;
} View;

/* The values of ELSEWHERE: those of item i from offsets[i] on. */
typedef struct {
    int32_t *values;
    int64_t *offsets;
    int64_t room;
} Several;

/* Fills the columns, [items][columns], which hold -1 at first; an ELSEWHERE column c gives
   `several[c]`. 0, or -1 without memory. */
int places_fill(const Places *places, const View *view, int32_t *columns, Several *several);

/* Room for the brackets that are open: what closes each. */
typedef struct {
    uint32_t *partners;
    int64_t room;
} Brackets;

/* In sentences.c: fills a column of sentences for the items of a document, from its first item's cell
   on. 0, or -1 without memory. */
int fill_sentences(const View *view, int32_t kind, const int32_t *numbers, int64_t document,
                   Brackets *open, int32_t *cells, int64_t step);

/* In days.c: fills a DAY_MONTH column for the items of a text. `numbers` holds two for each of
   DAY_ANSWERS: of a slash and of a hyphen. */
void fill_days(const Characters *known, const uint32_t *codes, int64_t size, const int32_t *numbers,
               const int64_t *starts, int64_t items, int32_t *column, int64_t step);

#endif
