#include "grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "logarithm.h"
#include "memory.h"

/* As Weka has them: a gain of less is none; a split may gain so much less than the average; and a
   smaller tree may err so much more. */
#define LEAST_GAIN 1e-6
#define GAIN_SLACK 1e-3
#define ERROR_SLACK 0.1

typedef struct {
    int32_t left, right; /* nodes */
    int64_t first, end;  /* its items are `order[first]` to `order[end - 1]` */
    double weight;       /* of its items */
    double wrong;        /* of those that are not of its class */
    double errors;       /* estimated, of its leaves together */
    uint16_t column;
    uint8_t threshold, class_;
} Node;

typedef struct {
    double gain, ratio;
    int threshold;
} Split;

typedef struct {
    const GrowTask *task;
    Logs logs;
    Node *nodes;
    int64_t count, room;
    int32_t *order, *trial, *spare; /* [items] */
    double *totals;                 /* [n_classes] */
    uint8_t *local;                 /* [items] of a node, classes numbered anew */
    double *weights;                /* [items] of a node */
    double *cells;                  /* [256][n_classes], zeros between calls */
    double *left, *left_terms, *right_terms, *sums; /* [n_classes] */
    Split *splits;                  /* [columns] */
} Grower;

/* Errors that Weka adds to `wrong` of `weight` items: the upper bound of a binomial share. */
static double added_errors(const GrowTask *task, double weight, double wrong)
{
    if (wrong < 1.0) {
        double none = weight * one_minus_exp(-task->log_confidence / weight);
        return wrong == 0.0 ? none : none + wrong * (added_errors(task, weight, 1.0) - none);
    }
    if (wrong + 0.5 >= weight)
        return weight > wrong ? weight - wrong : 0.0;
    double z = task->deviations, share = (wrong + 0.5) / weight;
    double spread = sqrt(share / weight - share * share / weight + z * z / (4 * weight * weight));
    double bound = (share + z * z / (2 * weight) + z * spread) / (1 + z * z / weight);
    return bound * weight - wrong;
}

static double leaf_errors(const GrowTask *task, double weight, double wrong)
{
    return wrong + added_errors(task, weight, wrong);
}

/* Sums up the classes of items into `totals`; gives the weight, the heaviest class and what is not of it. */
static double count_classes(Grower *g, const int32_t *items, int64_t count, uint8_t *class_, double *wrong)
{
    const GrowTask *task = g->task;
    size_t size = (size_t)task->n_classes;
    memset(g->totals, 0, size * sizeof *g->totals);
    for (int64_t i = 0; i < count; i++)
        g->totals[task->classes[items[i]]] += task->weights[items[i]];
    double weight = 0.0;
    int32_t best = 0;
    for (int32_t k = 0; k < task->n_classes; k++) {
        weight += g->totals[k];
        best = g->totals[k] > g->totals[best] ? k : best;
    }
    *class_ = (uint8_t)best;
    *wrong = weight - g->totals[best];
    return weight;
}

static void describe(Grower *g, Node *node)
{
    node->weight =
        count_classes(g, g->order + node->first, node->end - node->first, &node->class_, &node->wrong);
    node->errors = leaf_errors(g->task, node->weight, node->wrong);
}

/* Parts items by a split, in their order, and gives how many go to the left. */
static int64_t part(Grower *g, const Node *node, int32_t *items, int64_t count)
{
    const uint8_t *codes = g->task->codes + (int64_t)node->column * g->task->items;
    int64_t lefts = 0, rights = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t item = items[i];
        if (codes[item] <= node->threshold)
            items[lefts++] = item;
        else
            g->spare[rights++] = item;
    }
    memcpy(items + lefts, g->spare, (size_t)rights * sizeof *items);
    return lefts;
}

/* The best threshold of a column. `classes` are met in the node; `all` is their entropy, not divided. */
static Split best_threshold(Grower *g, const uint8_t *codes, const int32_t *items, int64_t count,
                            int32_t classes, double weight, double all)
{
    Split found = {0.0, 0.0, -1};
    uint8_t met[TREE_CODES + 1] = {0};
    int most = 0, fewest = TREE_CODES;
    for (int64_t i = 0; i < count; i++) {
        int code = codes[items[i]];
        met[code] = 1;
        g->cells[code * classes + g->local[i]] += g->weights[i];
    }
    for (int code = 0; code < TREE_CODES; code++)
        if (met[code]) {
            most = code;
            fewest = code < fewest ? code : fewest;
        }
    double lefts = 0.0, left_sum = 0.0, right_sum = 0.0, best_parts = 0.0;
    int tried = 0, before = -1;
    for (int32_t k = 0; k < classes; k++) {
        g->left[k] = g->left_terms[k] = 0.0;
        right_sum += g->right_terms[k] = entropy_of(&g->logs, g->sums[k]);
    }
    for (int code = fewest; code <= most && fewest < most; code++) {
        const double *row = g->cells + code * classes;
        double heavy = 0.0;
        if (!met[code])
            continue;
        for (int32_t k = 0; k < classes; k++)
            heavy += row[k];
        if (heavy == 0.0)
            continue;
        double rights = weight - lefts;
        if (lefts >= g->task->least && rights >= g->task->least) {
            double parts = entropy_of(&g->logs, lefts) + entropy_of(&g->logs, rights);
            double gain = (all - ((parts - left_sum) - right_sum)) / weight;
            tried++;
            if (gain > found.gain) {
                found.gain = gain;
                found.threshold = before;
                best_parts = parts;
            }
        }
        lefts += heavy;
        before = code;
        if (lefts == weight)
            break;
        for (int32_t k = 0; k < classes; k++) {
            if (row[k] == 0.0)
                continue;
            g->left[k] += row[k];
            double term = entropy_of(&g->logs, g->left[k]);
            left_sum += term - g->left_terms[k];
            g->left_terms[k] = term;
            term = entropy_of(&g->logs, g->sums[k] - g->left[k]);
            right_sum += term - g->right_terms[k];
            g->right_terms[k] = term;
        }
    }
    memset(g->cells + fewest * classes, 0,
           (size_t)(most - fewest + 1) * (size_t)classes * sizeof *g->cells);
    if (found.threshold < 0)
        return found;
    found.gain -= log2_of(&g->logs, tried) / weight;
    double information = (entropy_of(&g->logs, weight) - best_parts) / weight;
    if (!(found.gain > LEAST_GAIN) || !(information > 0.0)) {
        found.threshold = -1;
        return found;
    }
    found.ratio = found.gain / information;
    return found;
}

/* Chooses the split of a node; 0 if it has none. `totals` are those of the node. */
static int choose_split(Grower *g, Node *node)
{
    const GrowTask *task = g->task;
    const int32_t *items = g->order + node->first;
    int64_t count = node->end - node->first;
    uint8_t numbers[256];
    int32_t classes = 0;
    double all = entropy_of(&g->logs, node->weight);
    for (int32_t k = 0; k < task->n_classes; k++) {
        numbers[k] = (uint8_t)classes;
        if (g->totals[k] > 0.0) {
            g->sums[classes++] = g->totals[k];
            all -= entropy_of(&g->logs, g->totals[k]);
        }
    }
    /* An item without weight may be of a class that has none: what it adds is nothing. */
    for (int64_t i = 0; i < count; i++) {
        uint8_t number = numbers[task->classes[items[i]]];
        g->weights[i] = task->weights[items[i]];
        g->local[i] = number < classes ? number : 0;
    }
    double sum = 0.0, ratio = 0.0;
    int64_t valid = 0, best = -1;
    for (int64_t c = 0; c < task->columns; c++) {
        g->splits[c] = best_threshold(g, task->codes + c * task->items, items, count, classes,
                                      node->weight, all);
        if (g->splits[c].threshold >= 0) {
            sum += g->splits[c].gain;
            valid++;
        }
    }
    for (int64_t c = 0; c < task->columns; c++) {
        const Split *split = &g->splits[c];
        if (split->threshold >= 0 && split->gain >= sum / (double)valid - GAIN_SLACK &&
            split->ratio > ratio) {
            ratio = split->ratio;
            best = c;
        }
    }
    if (best < 0)
        return 0;
    node->column = (uint16_t)best;
    node->threshold = (uint8_t)g->splits[best].threshold;
    return 1;
}

/* Grows a node of items; its number, or -1 without memory. */
static int32_t grow(Grower *g, int64_t first, int64_t end, int depth)
{
    if (fit((void **)&g->nodes, &g->room, g->count + 1, sizeof *g->nodes) < 0)
        return -1;
    int32_t number = (int32_t)g->count++;
    Node node = {.left = -1, .right = -1, .first = first, .end = end, .column = TREE_LEAF};
    describe(g, &node);
    if (depth + 1 < TREE_DEPTH && node.wrong > 0.0 && node.weight >= 2 * g->task->least &&
        choose_split(g, &node)) {
        int64_t middle = first + part(g, &node, g->order + first, end - first);
        node.left = grow(g, first, middle, depth + 1);
        node.right = node.left < 0 ? -1 : grow(g, middle, end, depth + 1);
        if (node.right < 0)
            return -1;
    }
    g->nodes[number] = node;
    return number;
}

/* Estimated errors of a subtree, were these its items; parts them. */
static double errors_with(Grower *g, int32_t number, int32_t *items, int64_t count)
{
    const Node *node = &g->nodes[number];
    if (node->column == TREE_LEAF) {
        uint8_t class_;
        double wrong, weight = count_classes(g, items, count, &class_, &wrong);
        return leaf_errors(g->task, weight, wrong);
    }
    int64_t lefts = part(g, node, items, count);
    double errors = errors_with(g, node->left, items, lefts);
    return errors + errors_with(g, node->right, items + lefts, count - lefts);
}

/* Gives a subtree other items. */
static void settle(Grower *g, int32_t number, int64_t first, int64_t end)
{
    Node *node = &g->nodes[number];
    node->first = first;
    node->end = end;
    describe(g, node);
    if (node->column == TREE_LEAF)
        return;
    int64_t middle = first + part(g, node, g->order + first, end - first);
    settle(g, node->left, first, middle);
    settle(g, node->right, middle, end);
    node->errors = g->nodes[node->left].errors + g->nodes[node->right].errors;
}

/* Prunes from the leaves up: a subtree becomes a leaf, or its heavier branch. */
static void prune(Grower *g, int32_t number)
{
    Node *node = &g->nodes[number];
    while (node->column != TREE_LEAF) {
        prune(g, node->left);
        prune(g, node->right);
        const Node *left = &g->nodes[node->left], *right = &g->nodes[node->right];
        node->errors = left->errors + right->errors;
        int32_t branch = left->weight >= right->weight ? node->left : node->right;
        int64_t count = node->end - node->first;
        memcpy(g->trial, g->order + node->first, (size_t)count * sizeof *g->trial);
        double raised = errors_with(g, branch, g->trial, count);
        double alone = leaf_errors(g->task, node->weight, node->wrong);
        if (alone <= node->errors + ERROR_SLACK && alone <= raised + ERROR_SLACK) {
            node->column = TREE_LEAF;
            node->errors = alone;
        } else if (raised <= node->errors + ERROR_SLACK) {
            int64_t first = node->first, end = node->end;
            *node = g->nodes[branch];
            settle(g, number, first, end);
        } else
            return;
    }
}

static int64_t size_of(const Grower *g, int32_t number)
{
    const Node *node = &g->nodes[number];
    return node->column == TREE_LEAF ? 1 : 1 + size_of(g, node->left) + size_of(g, node->right);
}

/* Writes a subtree in pre-order, and what its leaves give their items. */
static void emit(const Grower *g, int32_t number, GrownTree *tree, uint8_t *predicted)
{
    const Node *node = &g->nodes[number];
    tree->columns[tree->count] = node->column;
    tree->values[tree->count++] = node->column == TREE_LEAF ? node->class_ : node->threshold;
    if (node->column == TREE_LEAF) {
        for (int64_t i = node->first; i < node->end; i++)
            predicted[g->order[i]] = node->class_;
        return;
    }
    emit(g, node->left, tree, predicted);
    emit(g, node->right, tree, predicted);
}

static void *items_of(int64_t count, size_t size)
{
    return is_too_large((uint64_t)count, size) ? NULL : calloc(count ? (size_t)count : 1, size);
}

int grow_tree(const GrowTask *task, GrownTree *tree, uint8_t *predicted)
{
    int64_t items = task->items, classes = task->n_classes;
    Grower g = {.task = task};
    logs_fill(&g.logs);
    int32_t root = -1;
    g.order = items_of(items, sizeof *g.order);
    g.trial = items_of(items, sizeof *g.trial);
    g.spare = items_of(items, sizeof *g.spare);
    g.local = items_of(items, sizeof *g.local);
    g.weights = items_of(items, sizeof *g.weights);
    g.splits = items_of(task->columns, sizeof *g.splits);
    g.cells = items_of(256 * classes, sizeof *g.cells);
    double *rows = items_of(5 * classes, sizeof *rows);
    if (g.order && g.trial && g.spare && g.local && g.weights && g.splits && g.cells && rows) {
        g.totals = rows;
        g.left = rows + classes;
        g.left_terms = rows + 2 * classes;
        g.right_terms = rows + 3 * classes;
        g.sums = rows + 4 * classes;
        for (int64_t i = 0; i < items; i++)
            g.order[i] = (int32_t)i;
        root = grow(&g, 0, items, 0);
    }
    if (root >= 0) {
        prune(&g, root);
        int64_t size = size_of(&g, root);
        tree->columns = items_of(size, sizeof *tree->columns);
        tree->values = items_of(size, sizeof *tree->values);
        if (tree->columns && tree->values)
            emit(&g, root, tree, predicted);
        else
            root = -1;
    }
    free(g.nodes);
    free(g.order);
    free(g.trial);
    free(g.spare);
    free(g.local);
    free(g.weights);
    free(g.splits);
    free(g.cells);
    free(rows);
    return root < 0 ? -1 : 0;
}

void grown_tree_free(GrownTree *tree)
{
    free(tree->columns);
    free(tree->values);
}
