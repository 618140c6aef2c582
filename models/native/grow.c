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
    /* Each code above 0 that a column has is a row. Most codes are 0: what these weigh is what is left. */
    int64_t n_rows;
    int64_t *column_rows; /* [columns + 1] the first row of each column */
    uint8_t *row_codes;   /* [n_rows] ascending in a column */
    int64_t *item_cells;  /* [items + 1] pointers into `cell_rows` */
    uint32_t *cell_rows;  /* the rows that an item is in */
    double *table;        /* [n_rows][classes of a node] weights */
    double *zeros, *left, *left_terms, *right_terms, *sums; /* [n_classes] */
    Split *splits;        /* [columns] */
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

static double sum_of(const double *row, int32_t classes)
{
    double sum = 0.0;
    for (int32_t k = 0; k < classes; k++)
        sum += row[k];
    return sum;
}

/* What a column says so far: codes below the next one are to the left. */
typedef struct {
    double lefts, left_sum, right_sum, parts;
    int tried, before;
    Split best;
} Scan;

/* Tries the threshold before a code, and moves the code to the left. */
static void move_code(Grower *g, Scan *scan, int code, const double *row, double heavy, int32_t classes,
                      double weight, double all)
{
    double rights = weight - scan->lefts;
    if (scan->lefts >= g->task->least && rights >= g->task->least) {
        double parts = entropy_of(&g->logs, scan->lefts) + entropy_of(&g->logs, rights);
        double gain = (all - ((parts - scan->left_sum) - scan->right_sum)) / weight;
        scan->tried++;
        if (gain > scan->best.gain) {
            scan->best.gain = gain;
            scan->best.threshold = scan->before;
            scan->parts = parts;
        }
    }
    scan->lefts += heavy;
    scan->before = code;
    /* Nothing comes behind the last one. */
    if (scan->lefts == weight)
        return;
    for (int32_t k = 0; k < classes; k++) {
        if (row[k] == 0.0)
            continue;
        g->left[k] += row[k];
        double term = entropy_of(&g->logs, g->left[k]);
        scan->left_sum += term - g->left_terms[k];
        g->left_terms[k] = term;
        term = entropy_of(&g->logs, g->sums[k] - g->left[k]);
        scan->right_sum += term - g->right_terms[k];
        g->right_terms[k] = term;
    }
}

/* The best threshold of a column. `classes` are met in the node, whose entropies are `terms`, together
   `terms_sum`; `all` is that of the node, not divided. */
static Split best_threshold(Grower *g, int64_t column, int32_t classes, double weight, double all,
                            const double *terms, double terms_sum)
{
    int64_t first = g->column_rows[column], end = g->column_rows[column + 1];
    const double *rows = g->table + first * classes;
    Scan scan = {.before = -1, .right_sum = terms_sum, .best = {.threshold = -1}};
    memcpy(g->zeros, g->sums, (size_t)classes * sizeof *g->zeros);
    for (int64_t r = 0; r < (end - first) * classes; r += classes)
        for (int32_t k = 0; k < classes; k++)
            g->zeros[k] -= rows[r + k];
    double heavy = sum_of(g->zeros, classes);
    if (heavy == weight)
        return scan.best;
    for (int32_t k = 0; k < classes; k++) {
        g->left[k] = g->left_terms[k] = 0.0;
        g->right_terms[k] = terms[k];
    }
    if (heavy != 0.0)
        move_code(g, &scan, 0, g->zeros, heavy, classes, weight, all);
    for (int64_t r = first; r < end && scan.lefts != weight; r++, rows += classes)
        if ((heavy = sum_of(rows, classes)) != 0.0)
            move_code(g, &scan, g->row_codes[r], rows, heavy, classes, weight, all);
    Split found = scan.best;
    if (found.threshold < 0)
        return found;
    found.gain -= log2_of(&g->logs, scan.tried) / weight;
    double information = (entropy_of(&g->logs, weight) - scan.parts) / weight;
    if (!(found.gain > LEAST_GAIN) || !(information > 0.0))
        found.threshold = -1;
    else
        found.ratio = found.gain / information;
    return found;
}

/* Chooses the split of a node; 0 if it has none. `totals` are those of the node. */
static int choose_split(Grower *g, Node *node)
{
    const GrowTask *task = g->task;
    const int32_t *items = g->order + node->first;
    int64_t count = node->end - node->first;
    uint8_t numbers[TREE_CLASSES];
    double terms[TREE_CLASSES], terms_sum = 0.0, all = entropy_of(&g->logs, node->weight);
    int32_t classes = 0;
    for (int32_t k = 0; k < task->n_classes; k++) {
        numbers[k] = (uint8_t)classes;
        if (g->totals[k] > 0.0) {
            g->sums[classes] = g->totals[k];
            terms[classes] = entropy_of(&g->logs, g->totals[k]);
            terms_sum += terms[classes];
            all -= terms[classes++];
        }
    }
    /* An item without weight may be of a class that has none: what it adds is nothing. */
    memset(g->table, 0, (size_t)g->n_rows * (size_t)classes * sizeof *g->table);
    for (int64_t i = 0; i < count; i++) {
        int32_t item = items[i];
        uint8_t number = numbers[task->classes[item]];
        double own = task->weights[item], *cells = g->table + (number < classes ? number : 0);
        for (int64_t c = g->item_cells[item]; c < g->item_cells[item + 1]; c++)
            cells[(int64_t)g->cell_rows[c] * classes] += own;
    }
    double sum = 0.0, ratio = 0.0;
    int64_t valid = 0, best = -1;
    for (int64_t c = 0; c < task->columns; c++) {
        g->splits[c] = best_threshold(g, c, classes, node->weight, all, terms, terms_sum);
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

/* Numbers the codes of columns as rows and lists those of each item; 0, or -1 without memory. */
static int list_rows(Grower *g)
{
    const GrowTask *task = g->task;
    int64_t items = task->items, columns = task->columns;
    g->column_rows = items_of(columns + 1, sizeof *g->column_rows);
    g->row_codes = items_of(columns * TREE_CODES, sizeof *g->row_codes);
    g->item_cells = items_of(items + 1, sizeof *g->item_cells);
    int64_t *next = items_of(items, sizeof *next);
    int done = -1;
    if (!g->column_rows || !g->row_codes || !g->item_cells || !next)
        goto done;
    for (int64_t c = 0; c < columns; c++) {
        const uint8_t *codes = task->codes + c * items;
        uint8_t met[TREE_CODES] = {0};
        for (int64_t i = 0; i < items; i++) {
            met[codes[i]] = 1;
            g->item_cells[i + 1] += codes[i] != 0;
        }
        for (int code = 1; code < TREE_CODES; code++)
            if (met[code])
                g->row_codes[g->n_rows++] = (uint8_t)code;
        g->column_rows[c + 1] = g->n_rows;
    }
    for (int64_t i = 0; i < items; i++) {
        next[i] = g->item_cells[i];
        g->item_cells[i + 1] += g->item_cells[i];
    }
    g->cell_rows = items_of(g->item_cells[items], sizeof *g->cell_rows);
    g->table = is_too_large((uint64_t)g->n_rows, (size_t)task->n_classes * sizeof *g->table)
                   ? NULL
                   : items_of(g->n_rows * task->n_classes, sizeof *g->table);
    if (!g->cell_rows || !g->table)
        goto done;
    for (int64_t c = 0; c < columns; c++) {
        const uint8_t *codes = task->codes + c * items;
        uint32_t rows[TREE_CODES] = {0};
        for (int64_t r = g->column_rows[c]; r < g->column_rows[c + 1]; r++)
            rows[g->row_codes[r]] = (uint32_t)r;
        for (int64_t i = 0; i < items; i++)
            if (codes[i])
                g->cell_rows[next[i]++] = rows[codes[i]];
    }
    done = 0;
done:
    free(next);
    return done;
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
    g.splits = items_of(task->columns, sizeof *g.splits);
    double *rows = items_of(6 * classes, sizeof *rows);
    if (g.order && g.trial && g.spare && g.splits && rows && list_rows(&g) == 0) {
        g.totals = rows;
        g.zeros = rows + classes;
        g.left = rows + 2 * classes;
        g.left_terms = rows + 3 * classes;
        g.right_terms = rows + 4 * classes;
        g.sums = rows + 5 * classes;
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
    free(g.splits);
    free(g.column_rows);
    free(g.row_codes);
    free(g.item_cells);
    free(g.cell_rows);
    free(g.table);
    free(rows);
    return root < 0 ? -1 : 0;
}

void grown_tree_free(GrownTree *tree)
{
    free(tree->columns);
    free(tree->values);
}
