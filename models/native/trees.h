/* Labelling with voting trees: items as rows of bytes, own classes of the items before among them. */
#ifndef SCRUBLINE_TREES_H
#define SCRUBLINE_TREES_H

#include <stdint.h>

/* As in models/trees/model.py. */
#define TREE_MOST_VOTES (1 << 30)
#define TREE_MOST_BIAS (1 << 24)

/* A node: to the left, which is the next one, go items whose code is at most `value`. Of a leaf the
   column is TREE_LEAF, and the value its class. */
typedef struct {
    uint16_t column, value;
    uint32_t right;
} TreeNode;

/* How an attribute is coded that is coded in one column; nearly all are. */
typedef struct {
    uint16_t column;       /* the one behind the row of all others, or */
    uint8_t code, is_many; /* more than one: see `cells` */
} Cell;

typedef struct {
    int32_t classes, columns, history;
    int64_t attributes, nodes, trees;
    int64_t *cells;         /* [attributes + 1] row pointers into what follows */
    uint16_t *cell_columns; /* where an attribute is coded, */
    uint8_t *cell_codes;    /* and how */
    Cell *first;            /* [attributes] */
    TreeNode *node;         /* [nodes] */
    uint32_t *roots;        /* [trees] */
    int32_t *votes;         /* [trees] */
} Forest;

void forest_free(Forest *forest);

/* Fills `first`. */
void forest_code(Forest *forest);

/* Finds roots and right children of nodes in pre-order; 0, or 1 if they are not so many whole trees below
   TREE_DEPTH, or a column, threshold or class is out of range. */
int forest_link(Forest *forest);

/* Classes of the items of a sequence, and the votes that each won. Of items with several codes in a column
   the highest counts. ids: attributes of item i are ids[item_offsets[i]] to ids[item_offsets[i + 1] - 1],
   -1 for one that the model does not have. row: [columns + history + 1]; sums: [classes]. */
void label_sequence(const Forest *forest, const int32_t *biases, const int32_t *ids,
                    const int64_t *item_offsets, int64_t items, uint8_t *row, int32_t *sums,
                    uint16_t *tags, int32_t *won);

#endif
