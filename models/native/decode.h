/* Exact decoding of a linear-chain CRF: what CRFsuite answers, faster. */
#ifndef SCRUBLINE_DECODE_H
#define SCRUBLINE_DECODE_H

#include <stdint.h>

/* What an attribute is worth to a tag. */
typedef struct {
    uint32_t tag;
    float weight;
} Weight;

/* The weights of a model. Weights are multiples of 2^-12 below 4096, so that sums of doubles are
   exact in any order: labels are those of CRFsuite's sums, whatever is added first. */
typedef struct {
    int32_t labels;             /* tags */
    int32_t width;              /* labels, rounded up to a multiple of 4 */
    int32_t outside;            /* the tag of what is no entity, or -1 */
    int64_t attributes;
    uint32_t *rows;             /* of each attribute its first weight; attributes + 1 */
    Weight *weights;
    double *moves;              /* [labels][width] of a tag behind another */
    double *gain;               /* [labels][labels]: at best so much better does k than best go on */
    double *factors;            /* [labels][width] exp(moves), scaled */
    double *back_factors;       /* [labels][width] the same, transposed */
} Model;

/* Memory for sequences of a length; grows as it must. */
typedef struct {
    int64_t items;
    int32_t width;
    double *states;   /* [items][width] */
    uint16_t *from;   /* [items][width] */
    double *forward;  /* [items][width] */
    double *rest;     /* four rows of width */
} Space;

int space_fit(Space *space, int64_t items, int32_t width); /* 0, or -1 without memory */
void space_free(Space *space);

/* Tags of the n items of a sequence; and, if `scored`, the probability of each that is not outside.
   base: [width], what every item has. The attributes of item i are ids[item_offsets[i]] to
   ids[item_offsets[i + 1] - 1], -1 for one that the model does not have. */
void decode_sequence(const Model *model, const double *base, Space *space, const int32_t *ids,
                     const int64_t *item_offsets, int64_t n, uint16_t *tags, double *scores,
                     int scored);

#endif
