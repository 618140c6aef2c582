#include "decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SCRUBLINE_SANITIZED)
/* The loader chooses by what the processor has. */
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

int space_fit(Space *space, int64_t items, int32_t width)
{
    if (space->items >= items && space->width >= width)
        return 0;
    int64_t most = items > space->items ? items + items / 2 + 64 : space->items;
    space_free(space);
    size_t cells = (size_t)most * (size_t)width;
    space->states = malloc(cells * sizeof(double));
    space->forward = malloc(cells * sizeof(double));
    space->from = malloc(cells * sizeof(uint16_t));
    space->rest = malloc(4 * (size_t)width * sizeof(double));
    if (!space->states || !space->forward || !space->from || !space->rest) {
        space_free(space);
        return -1;
    }
    space->items = most;
    space->width = width;
    return 0;
}

void space_free(Space *space)
{
    free(space->states);
    free(space->forward);
    free(space->from);
    free(space->rest);
    memset(space, 0, sizeof *space);
}

static void state_scores(const Model *m, const double *base, const int32_t *ids, int64_t count,
                         double *state)
{
    /* Rows lie all over memory: what is to be added next is fetched while the rest is added. */
    enum { FAR = 16, NEAR = 8 };
    memcpy(state, base, (size_t)m->width * sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        if (i + FAR < count && ids[i + FAR] >= 0)
            PREFETCH(m->rows + ids[i + FAR]);
        if (i + NEAR < count && ids[i + NEAR] >= 0)
            PREFETCH(m->weights + m->rows[ids[i + NEAR]]);
        if (ids[i] < 0)
            continue;
        const Weight *end = m->weights + m->rows[ids[i] + 1];
        for (const Weight *w = m->weights + m->rows[ids[i]]; w < end; w++)
            state[w->tag] += (double)w->weight;
    }
}

/* best[j] = max over the living k of ahead[k] + moves[k][j]; from[j] the lowest k that reaches it.
   `living` ascends. */
VECTORS static void advance(const double *ahead, const double *moves, const int32_t *living,
                            int32_t count, int32_t width, double *restrict best,
                            double *restrict from)
{
    const double *row = moves + (int64_t)living[0] * width;
    double start = ahead[living[0]], source = living[0];
    for (int32_t j = 0; j < width; j++) {
        best[j] = start + row[j];
        from[j] = source;
    }
    for (int32_t i = 1; i < count; i++) {
        row = moves + (int64_t)living[i] * width;
        start = ahead[living[i]];
        source = living[i];
        for (int32_t j = 0; j < width; j++) {
            double reached = start + row[j];
            from[j] = reached > best[j] ? source : from[j];
            best[j] = reached > best[j] ? reached : best[j];
        }
    }
}

static int32_t highest(const double *values, int32_t count)
{
    int32_t best = 0;
    for (int32_t j = 1; j < count; j++)
        if (values[j] > values[best])
            best = j;
    return best;
}

/* Viterbi. A tag that trails the best by more than it could ever make up with its next move is
   dropped; one that could draw level is not, so ties fall as without pruning. */
static int decode_tags(const Model *m, Space *space, int64_t n, uint16_t *tags)
{
    int32_t labels = m->labels, width = m->width;
    double *ahead = space->rest, *best = ahead + width, *from = best + width;
    int32_t *living = (int32_t *)(from + width);
    memcpy(ahead, space->states, (size_t)width * sizeof(double));
    for (int64_t t = 1; t < n; t++) {
        int32_t top = highest(ahead, labels), count = 0;
        const double *gain = m->gain + (int64_t)top * labels;
        double bar = ahead[top];
        for (int32_t k = 0; k < labels; k++)
            if (ahead[k] + gain[k] >= bar)
                living[count++] = k;
        advance(ahead, m->moves, living, count, width, best, from);
        const double *state = space->states + t * width;
        uint16_t *back = space->from + t * width;
        /* What is common to all says nothing: without it sums stay small however long the line. */
        for (int32_t j = 0; j < width; j++) {
            ahead[j] = best[j] + state[j] - bar;
            back[j] = (uint16_t)from[j];
        }
    }
    int32_t tag = highest(ahead, labels);
    int found = 0;
    for (int64_t t = n - 1; t >= 0; t--) {
        tags[t] = (uint16_t)tag;
        found |= tag != m->outside;
        if (t > 0)
            tag = space->from[t * width + tag];
    }
    return found;
}

/* sum[j] = sum over k of ahead[k] * factors[k][j] */
VECTORS static void spread(const double *ahead, const double *factors, int32_t labels,
                           int32_t width, double *restrict sum)
{
    memset(sum, 0, (size_t)width * sizeof(double));
    for (int32_t k = 0; k < labels; k++) {
        const double *row = factors + (int64_t)k * width;
        double mass = ahead[k];
        if (mass == 0.0)
            continue;
        for (int32_t j = 0; j < width; j++)
            sum[j] += mass * row[j];
    }
}

/* Logarithms less their highest, and what they are logarithms of. */
static void settle(double *logs, int32_t count, double *values)
{
    double top = logs[highest(logs, count)];
    for (int32_t j = 0; j < count; j++) {
        logs[j] -= top;
        values[j] = exp(logs[j]);
    }
}

/* The marginal probability of each tag that is not outside. Sums are kept as logarithms, for the
   weights of a perceptron are beyond what exp() can hold; but moves are not: where theirs differ by
   more than 700 it may be 0 or NaN, which the caller takes for unknown. */
static void marginals(const Model *m, Space *space, int64_t n, const uint16_t *tags, double *scores)
{
    int32_t labels = m->labels, width = m->width;
    double *values = space->rest, *sum = values + width, *behind = sum + width, *both = behind + width;
    for (int64_t t = 0; t < n; t++) {
        const double *state = space->states + t * width;
        double *row = space->forward + t * width;
        if (t > 0)
            spread(values, m->factors, labels, width, sum);
        for (int32_t j = 0; j < labels; j++)
            row[j] = t > 0 ? log(sum[j]) + state[j] : state[j];
        settle(row, labels, values);
    }
    for (int32_t j = 0; j < labels; j++)
        behind[j] = 0.0;
    for (int64_t t = n - 1; t >= 0; t--) {
        const double *state = space->states + t * width, *row = space->forward + t * width;
        if (tags[t] != m->outside) {
            double all = 0.0;
            for (int32_t j = 0; j < labels; j++)
                both[j] = row[j] + behind[j];
            settle(both, labels, values);
            for (int32_t j = 0; j < labels; j++)
                all += values[j];
            scores[t] = values[tags[t]] / all;
        }
        if (t > 0) {
            for (int32_t j = 0; j < labels; j++)
                both[j] = state[j] + behind[j];
            settle(both, labels, values);
            spread(values, m->back_factors, labels, width, sum);
            for (int32_t j = 0; j < labels; j++)
                behind[j] = log(sum[j]);
        }
    }
}

void decode_sequence(const Model *m, const double *base, Space *space, const int32_t *ids,
                     const int64_t *item_offsets, int64_t n, uint16_t *tags, double *scores,
                     int scored)
{
    for (int64_t t = 0; t < n; t++)
        state_scores(m, base, ids + item_offsets[t], item_offsets[t + 1] - item_offsets[t],
                     space->states + t * m->width);
    if (decode_tags(m, space, n, tags) && scored)
        marginals(m, space, n, tags, scores);
}
