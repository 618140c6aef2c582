/* Exact decoding of a linear-chain CRF: what CRFsuite answers, faster.

   Weights are multiples of 2^-12 below 4096. Here they are whole numbers of that unit, so that sums
   are exact in any order: tags are those of CRFsuite's sums, whatever is added first. */
#ifndef SCRUBLINE_DECODE_H
#define SCRUBLINE_DECODE_H

#include <stdint.h>

#define UNITS 4096 /* of 1 */

/* What an attribute is worth to a tag. */
typedef struct {
    int32_t tag, units;
} Weight;

/* Where the weights of an attribute are: so many from `start` on; or, if they are DENSE, one for each
   tag in row `start` of the table. */
typedef struct {
    uint32_t start, count;
} Row;

#define DENSE UINT32_MAX
/* From so many weights on a whole row is added faster than they are. */
#define FEW_WEIGHTS 10

/* What sums over paths go by: moves as factors, at a temperature by which all scores are divided. */
typedef struct {
    double temperature;
    double *factors;      /* [labels][width] exp(moves), scaled */
    double *back_factors; /* [labels][width] the same, transposed */
    double *forward_gain; /* [labels][width] as `gain`, not in units; at least 0, as at an end */
    double *back_gain;    /* [labels][width] the same of what comes before */
} Factors;

typedef struct {
    int32_t labels;             /* tags */
    int32_t width;              /* labels, rounded up to a multiple of 8 */
    int32_t outside;            /* the tag of what is no entity, or -1 */
    int64_t attributes;
    int64_t most_state;         /* no weight of an attribute is larger in size */
    int64_t most_move;          /* no move is */
    Row *rows;                  /* [attributes] */
    Weight *weights;
    int32_t *dense;             /* [rows][width] */
    int32_t *moves;             /* [labels][width] of a tag behind another */
    int32_t *gain;              /* [labels][width]: at best so much better does k than best go on */
    Factors factors;            /* at temperature 1 */
} Model;

void model_free(Model *model);

/* As in models/crf/model_file.py. */
#define MOST_WEIGHT 4096.0

/* The tables that follow from the moves, given as [labels][labels]; -1 without memory, 1 if one is no
   weight. */
int build_moves(Model *model, const double *moves);

/* The weights of attributes: rows of many as whole rows; the answers are those of `build_moves`. In each
   row tags ascend, or it is refused. */
int build_states(Model *model, const int64_t *rows, const uint16_t *tags, const float *weights);

/* Memory for sequences of a length; grows as it must. */
typedef struct {
    int64_t items;
    int32_t width;
    int64_t *states; /* [items][width] of int32, or of int64 where sums need it */
    uint16_t *from;  /* [items][width] */
    double *forward; /* [items][width] */
    int64_t *rest;   /* of so many rows of width as `REST` says */
} Space;

#define REST 6

int space_fit(Space *space, int64_t items, int32_t width); /* 0, or -1 without memory */
void space_free(Space *space);

/* The factors of a model at a temperature; 0, or -1 without memory. */
int factors_build(Factors *factors, const Model *model, double temperature);
void factors_free(Factors *factors);

/* What is wanted of a sequence beside its tags; NULL for what is not. */
typedef struct {
    double *scores;        /* the probability of each tag that is not outside */
    double *risks;         /* one less the probability that an item is outside, */
    const Factors *heated; /* by these, */
    const double *lifts;   /* [width] this added to each state first; NULL for nothing */
} Wanted;

/* The items of a sequence: by their attributes, those of item i from ids[item_offsets[i]] to
   ids[item_offsets[i + 1] - 1], -1 for one that the model does not have; or by what these are worth,
   [item][width], if it is there. */
typedef struct {
    const int32_t *ids;
    const int64_t *item_offsets;
    const int32_t *sums;
} Items;

/* Tags of the n items of a sequence.
   base: [width], units that every item has. */
void decode_sequence(const Model *model, const int32_t *base, Space *space, const Items *items,
                     int64_t n, uint16_t *tags, const Wanted *wanted);

#endif
