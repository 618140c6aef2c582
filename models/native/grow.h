/* C4.5 (Quinlan 1993) on columns of bytes, as Weka's J48 has it: numeric splits chosen by gain ratio,
   pessimistic pruning with subtree raising. The reference is models/trees/growing_reference.py; trees are
   equal, since all sums of weights are exact. */
#ifndef SCRUBLINE_GROW_H
#define SCRUBLINE_GROW_H

#include <stdint.h>

#define TREE_LEAF 65535 /* in place of a column */
#define TREE_DEPTH 64   /* levels of a tree, at most */
#define TREE_CODES 255  /* codes are 0 to 254 */
#define TREE_CLASSES 254

typedef struct {
    const uint8_t *codes;    /* [columns][items] */
    const uint8_t *classes;  /* [items] */
    const double *weights;   /* [items], at least 0, on a grid on which their sums are exact */
    int64_t items, columns;
    int32_t n_classes;
    double least;            /* weight of a leaf; at least 1 */
    double deviations;       /* normal quantile of 1 - confidence */
    double log_confidence;   /* natural logarithm; -16 to below 0 */
} GrowTask;

/* A tree in pre-order: the left child follows its parent. */
typedef struct {
    int64_t count;
    uint16_t *columns; /* [count] TREE_LEAF of a leaf */
    uint8_t *values;   /* [count] most code of the left child, or the class of a leaf */
} GrownTree;

/* Grows and prunes a tree, and writes the class that it gives each item; 0, or -1 without memory. */
int grow_tree(const GrowTask *task, GrownTree *tree, uint8_t *predicted);
void grown_tree_free(GrownTree *tree);

#endif
