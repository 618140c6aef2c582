#include "trees.h"

#include <stdlib.h>
#include <string.h>

#include "grow.h"

void forest_free(Forest *forest)
{
    free(forest->cells);
    free(forest->cell_columns);
    free(forest->cell_codes);
    free(forest->first);
    free(forest->node);
    free(forest->roots);
    free(forest->votes);
    free(forest);
}

int forest_link(Forest *f)
{
    /* The nodes above whose right child has not come yet. */
    int64_t open[TREE_DEPTH], trees = 0;
    int depth = 0, is_root = 1;
    for (int64_t i = 0; i < f->nodes; i++) {
        TreeNode *node = &f->node[i];
        if (is_root) {
            if (trees == f->trees)
                return 1;
            f->roots[trees++] = (uint32_t)i;
            is_root = 0;
        }
        if (node->column != TREE_LEAF) {
            if (node->column >= f->columns + f->history || node->value >= TREE_CODES - 1 ||
                depth + 1 >= TREE_DEPTH)
                return 1;
            open[depth++] = i;
            continue;
        }
        if (node->value >= f->classes)
            return 1;
        /* Who is marked has both children. */
        while (depth && f->node[open[depth - 1]].right)
            depth--;
        if (depth)
            f->node[open[depth - 1]].right = (uint32_t)(i + 1);
        else
            is_root = 1;
    }
    return !is_root || trees != f->trees;
}

void forest_code(Forest *f)
{
    for (int64_t a = 0; a < f->attributes; a++) {
        int64_t cell = f->cells[a], count = f->cells[a + 1] - cell;
        if (count == 1)
            f->first[a] = (Cell){f->cell_columns[cell], f->cell_codes[cell], 0};
        else
            f->first[a] = (Cell){(uint16_t)(f->columns + f->history), 0, count > 1};
    }
}

static void raise_cell(uint8_t *cell, uint8_t code)
{
    *cell = code > *cell ? code : *cell;
}

static void code_item(const Forest *f, const int32_t *ids, int64_t count, uint8_t *row)
{
    memset(row, 0, (size_t)f->columns);
    for (int64_t e = 0; e < count; e++) {
        if (ids[e] < 0)
            continue;
        Cell first = f->first[ids[e]];
        raise_cell(&row[first.column], first.code);
        if (first.is_many)
            for (int64_t c = f->cells[ids[e]]; c < f->cells[ids[e] + 1]; c++)
                raise_cell(&row[f->cell_columns[c]], f->cell_codes[c]);
    }
}

void label_sequence(const Forest *f, const int32_t *biases, const int32_t *ids,
                    const int64_t *item_offsets, int64_t items, uint8_t *row, int32_t *sums,
                    uint16_t *tags, int32_t *won)
{
    const TreeNode *nodes = f->node;
    uint8_t *history = row + f->columns;
    memset(history, 0, (size_t)f->history);
    for (int64_t i = 0; i < items; i++) {
        code_item(f, ids + item_offsets[i], item_offsets[i + 1] - item_offsets[i], row);
        memcpy(sums, biases, (size_t)f->classes * sizeof *sums);
        for (int64_t tree = 0; tree < f->trees; tree++) {
            const TreeNode *node = &nodes[f->roots[tree]];
            while (node->column != TREE_LEAF)
                node = row[node->column] <= node->value ? node + 1 : &nodes[node->right];
            sums[node->value] += f->votes[tree];
        }
        int32_t best = 0;
        for (int32_t k = 1; k < f->classes; k++)
            best = sums[k] > sums[best] ? k : best;
        tags[i] = (uint16_t)best;
        won[i] = sums[best] - biases[best];
        if (f->history) {
            memmove(history + 1, history, (size_t)f->history - 1);
            history[0] = (uint8_t)(best + 1);
        }
    }
}
