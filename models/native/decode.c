#include "decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void model_free(Model *m)
{
    free(m->rows);
    free(m->weights);
    free(m->dense);
    free(m->moves);
    free(m->gain);
    factors_free(&m->factors);
    free(m);
}

/* A weight in units; OFF_GRID if it is not of a whole number of them, or too large. */
#define OFF_GRID INT32_MAX

static int32_t in_units(double weight)
{
    if (!(fabs(weight) < MOST_WEIGHT) || weight * UNITS != rint(weight * UNITS))
        return OFF_GRID;
    return (int32_t)(weight * UNITS);
}

static int64_t larger(int64_t most, int32_t units)
{
    int64_t size = units < 0 ? -(int64_t)units : units;
    return size > most ? size : most;
}

int build_moves(Model *m, const double *moves)
{
    int32_t labels = m->labels, width = m->width;
    size_t square = (size_t)labels * (size_t)width;
    m->moves = zeroed_lines(square, sizeof *m->moves);
    m->gain = zeroed_lines(square, sizeof *m->gain);
    if (!m->moves || !m->gain)
        return -1;
    for (int32_t k = 0; k < labels; k++)
        for (int32_t j = 0; j < labels; j++) {
            double weight = moves[(size_t)k * labels + j];
            int32_t units = in_units(weight);
            if (units == OFF_GRID)
                return 1;
            m->moves[(size_t)k * width + j] = units;
            m->most_move = larger(m->most_move, units);
        }
    for (int32_t best = 0; best < labels; best++)
        for (int32_t k = 0; k < labels; k++) {
            int32_t most = INT32_MIN;
            for (int32_t j = 0; j < labels; j++) {
                int32_t more = m->moves[(size_t)k * width + j] - m->moves[(size_t)best * width + j];
                most = more > most ? more : most;
            }
            m->gain[(size_t)best * width + k] = most;
        }
    return factors_build(&m->factors, m, 1.0);
}

/* How much better a tag does than the best one, at most; at least 0. */
static double gain_of(int32_t units, double temperature)
{
    return units > 0 ? (double)units / UNITS / temperature : 0.0;
}

int factors_build(Factors *f, const Model *m, double temperature)
{
    int32_t labels = m->labels, width = m->width;
    size_t square = (size_t)labels * (size_t)width;
    *f = (Factors){temperature, zeroed_lines(square, sizeof *f->factors),
                   zeroed_lines(square, sizeof *f->back_factors),
                   zeroed_lines(square, sizeof *f->forward_gain),
                   zeroed_lines(square, sizeof *f->back_gain)};
    if (!f->factors || !f->back_factors || !f->forward_gain || !f->back_gain) {
        factors_free(f);
        return -1;
    }
    int32_t top = INT32_MIN;
    for (int32_t k = 0; k < labels; k++)
        for (int32_t j = 0; j < labels; j++) {
            int32_t move = m->moves[(size_t)k * width + j];
            top = move > top ? move : top;
        }
    for (int32_t k = 0; k < labels; k++)
        for (int32_t j = 0; j < labels; j++) {
            /* Exact up to the division: moves are whole numbers of a unit. */
            double below = (double)(m->moves[(size_t)k * width + j] - top) / UNITS;
            double factor = exp(below / temperature);
            f->factors[(size_t)k * width + j] = factor;
            f->back_factors[(size_t)j * width + k] = factor;
        }
    for (int32_t best = 0; best < labels; best++)
        for (int32_t k = 0; k < labels; k++) {
            int32_t back = INT32_MIN;
            for (int32_t j = 0; j < labels; j++) {
                int32_t before = m->moves[(size_t)j * width + k] - m->moves[(size_t)j * width + best];
                back = before > back ? before : back;
            }
            size_t at = (size_t)best * width + k;
            f->forward_gain[at] = gain_of(m->gain[at], temperature);
            f->back_gain[at] = gain_of(back, temperature);
        }
    return 0;
}

void factors_free(Factors *f)
{
    free(f->factors);
    free(f->back_factors);
    free(f->forward_gain);
    free(f->back_gain);
    *f = (Factors){0};
}

int build_states(Model *m, const int64_t *rows, const uint16_t *tags, const float *weights)
{
    int64_t count = rows[m->attributes], many = 0;
    for (int64_t a = 0; a < m->attributes; a++)
        many += rows[a + 1] - rows[a] > FEW_WEIGHTS;
    m->rows = whole_lines((size_t)m->attributes, sizeof *m->rows);
    m->weights = whole_lines((size_t)count, sizeof *m->weights);
    m->dense = zeroed_lines((size_t)many * (size_t)m->width, sizeof *m->dense);
    if (!m->rows || !m->weights || !m->dense)
        return -1;
    int64_t dense = 0, few = 0;
    for (int64_t a = 0; a < m->attributes; a++) {
        int is_dense = rows[a + 1] - rows[a] > FEW_WEIGHTS;
        m->rows[a] = is_dense ? (Row){(uint32_t)dense++, DENSE}
                              : (Row){(uint32_t)few, (uint32_t)(rows[a + 1] - rows[a])};
        for (int64_t e = rows[a]; e < rows[a + 1]; e++) {
            int32_t units = in_units(weights[e]);
            /* One of each tag: what an item has of one is bounded by its attributes. */
            if (units == OFF_GRID || tags[e] >= m->labels || (e > rows[a] && tags[e] <= tags[e - 1]))
                return 1;
            m->most_state = larger(m->most_state, units);
            if (is_dense)
                m->dense[(dense - 1) * m->width + tags[e]] += units;
            else
                m->weights[few++] = (Weight){tags[e], units};
        }
    }
    return 0;
}

int space_fit(Space *space, int64_t items, int32_t width)
{
    if (space->items >= items && space->width >= width)
        return 0;
    int64_t most = items > space->items ? items + items / 2 + 64 : space->items;
    space_free(space);
    space->states = zeroed_lines((size_t)most, (size_t)width * sizeof *space->states);
    space->forward = zeroed_lines((size_t)most, (size_t)width * sizeof *space->forward);
    space->from = zeroed_lines((size_t)most, (size_t)width * sizeof *space->from);
    space->rest = zeroed_lines(REST * (size_t)width, sizeof *space->rest);
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

#define SCORE int32_t
#define NAMED(name) name##_narrow
#include "viterbi.h"
#undef SCORE
#undef NAMED
#define SCORE int64_t
#define NAMED(name) name##_wide
#include "viterbi.h"
#undef SCORE
#undef NAMED

/* The size of the largest of some numbers. */
VECTORS static int64_t largest(const int32_t *numbers, int64_t count)
{
    int32_t low = 0, high = 0;
    for (int64_t i = 0; i < count; i++) {
        low = numbers[i] < low ? numbers[i] : low;
        high = numbers[i] > high ? numbers[i] : high;
    }
    return -(int64_t)low > high ? -(int64_t)low : high;
}

/* Whether sums of 32 bits hold whatever the items of a sequence add up to. What paths are ahead of
   each other by is no more than a state and a move. */
static int is_narrow(const Model *m, const int32_t *base, const Items *items, int64_t n)
{
    int64_t most = 0, always = 0;
    if (items->sums) {
        most = largest(items->sums, n * m->width);
    } else {
        for (int64_t t = 0; t < n; t++) {
            int64_t count = items->item_offsets[t + 1] - items->item_offsets[t];
            most = count > most ? count : most;
        }
        most *= m->most_state;
    }
    for (int32_t j = 0; j < m->labels; j++) {
        int64_t size = base[j] < 0 ? -(int64_t)base[j] : base[j];
        always = size > always ? size : always;
    }
    return most < (INT64_C(1) << 28) - always - 2 * m->most_move;
}

/* Columns that a sum of rows is made for at once, in registers. */
#define COLUMNS 8

/* sum[j] = sum over the living of their masses times factors[k][j]. */
VECTORS static void spread(const double *masses, const double *factors, const int32_t *living,
                           int32_t count, int32_t width, double *restrict sum)
{
    for (int32_t low = 0; low < width; low += COLUMNS) {
        double even[COLUMNS] = {0}, odd[COLUMNS] = {0};
        int32_t i = 0;
        for (; i + 1 < count; i += 2) {
            const double *one = factors + (int64_t)living[i] * width + low;
            const double *other = factors + (int64_t)living[i + 1] * width + low;
            double mass = masses[i], more = masses[i + 1];
            for (int32_t j = 0; j < COLUMNS; j++) {
                even[j] += mass * one[j];
                odd[j] += more * other[j];
            }
        }
        for (int32_t j = 0; i < count && j < COLUMNS; j++)
            even[j] += masses[i] * factors[(int64_t)living[i] * width + low + j];
        for (int32_t j = 0; j < COLUMNS; j++)
            sum[low + j] = even[j] + odd[j];
    }
}

/* Tags below this share of the greatest, whatever may come, are left out: its logarithm. What is left
   out of a line of 5,000 items adds up to less than 1e-10. */
#define LEAST (-36.0)
#define LOG_2 0.6931471805599453

typedef union {
    double number;
    uint64_t bits;
} Bits;

/* values[j] = exp(values[j] - top), many at a time and to the last bits; beyond what a double holds
   the least or the greatest. 2^k is made of bits, the rest a Taylor series (Cody and Waite 1980,
   chapter 6). */
VECTORS static void exponentiate(double *restrict values, double top, int32_t width)
{
    static const double over_log_2 = 1.4426950408889634, log_2_high = 6.93147180369123816490e-01,
                        log_2_low = 1.90821492927058770002e-10;
    /* Added to a small number it leaves the nearest whole one in the lowest bits. */
    static const double nearest = 6755399441055744.0; /* 1.5 * 2^52 */
    for (int32_t j = 0; j < width; j++) {
        double x = values[j] - top;
        x = x > 709.0 ? 709.0 : x;
        x = x > -746.0 ? x : -746.0;
        double k = (x * over_log_2 + nearest) - nearest;
        double r = (x - k * log_2_high) - k * log_2_low;
        double sum = 1.0 / 6227020800;
        sum = sum * r + 1.0 / 479001600;
        sum = sum * r + 1.0 / 39916800;
        sum = sum * r + 1.0 / 3628800;
        sum = sum * r + 1.0 / 362880;
        sum = sum * r + 1.0 / 40320;
        sum = sum * r + 1.0 / 5040;
        sum = sum * r + 1.0 / 720;
        sum = sum * r + 1.0 / 120;
        sum = sum * r + 1.0 / 24;
        sum = sum * r + 1.0 / 6;
        sum = sum * r + 0.5;
        sum = sum * r + 1.0;
        sum = sum * r + 1.0;
        /* In two steps: what is below 2^-1022 has fewer bits, and no power of its own. */
        double first = k > -1000.0 ? k : -1000.0;
        Bits power = {first + nearest}, rest = {(k - first) + nearest};
        power.bits = (power.bits + 1023) << 52;
        rest.bits = (rest.bits + 1023) << 52;
        values[j] = (sum * power.number) * rest.number;
    }
}

/* The logarithm of a sum times exp(state), or up to LOG_2 more. */
VECTORS static void bound_logs(const double *sum, const double *state, int32_t width,
                               double *restrict bound)
{
    for (int32_t j = 0; j < width; j++) {
        /* The exponent, as the lowest bits of 2^52 and so many. */
        Bits scale = {sum[j]};
        scale.bits = scale.bits >> 52 | UINT64_C(0x4330000000000000);
        bound[j] = (scale.number - (4503599627370496.0 + 1022.0)) * LOG_2 + state[j];
    }
}

VECTORS static int32_t highest(const double *values, int32_t labels)
{
    double top = values[0];
    for (int32_t j = 1; j < labels; j++)
        top = values[j] > top ? values[j] : top;
    int32_t at = 0;
    while (at + 1 < labels && values[at] != top)
        at++;
    return at;
}

/* Lines that marginals work with, each as wide as the space. */
typedef struct {
    double *state, *sum, *bound, *masses;
    int32_t *living;
} Lines;

/* The tags with a share in what is to come, and their masses: sum times exp(state), scaled. Left out
   is what could not come within LEAST of the tag with the highest bound, given at most how much better
   it goes on than that. A mass cannot overflow: no bound is above the highest. */
VECTORS static int32_t settle(const Lines *lines, const double *gain, int32_t labels, int32_t width)
{
    bound_logs(lines->sum, lines->state, width, lines->bound);
    const double *bound = lines->bound;
    int32_t top = highest(bound, labels), count = 0;
    double bar = bound[top] - LOG_2 + LEAST;
    const double *more = gain + (int64_t)top * width;
    for (int32_t k = 0; k < labels; k++) {
        lines->living[count] = k;
        count += bound[k] + more[k] >= bar;
    }
    exponentiate(lines->state, bound[top], width);
    for (int32_t i = 0; i < count; i++) {
        int32_t k = lines->living[i];
        lines->masses[i] = lines->sum[k] * lines->state[k];
    }
    return count;
}

typedef void ReadState(const Space *space, int64_t t, int32_t width, double *row);

/* How the states of a sequence are read: at a temperature, and after something is added. */
typedef struct {
    ReadState *read;
    const Factors *factors;
    const double *lifts; /* [width], or NULL */
} Reading;

/* A state, in place of `row`. */
static void read_at(const Reading *reading, const Space *space, int64_t t, int32_t width, double *row)
{
    double temperature = reading->factors->temperature;
    reading->read(space, t, width, row);
    for (int32_t j = 0; reading->lifts && j < width; j++)
        row[j] += reading->lifts[j];
    for (int32_t j = 0; temperature != 1.0 && j < width; j++)
        row[j] /= temperature;
}

/* One less the probability of the tag outside, as the share of all others: nothing cancels out. */
VECTORS static double share_of_others(const double *forward, const double *sum, int32_t width,
                                      int32_t outside)
{
    if (outside < 0)
        return 1.0;
    double parts[COLUMNS] = {0}, others = 0.0, own = forward[outside] * sum[outside];
    int32_t within = outside - outside % COLUMNS;
    for (int32_t low = 0; low < width; low += COLUMNS)
        for (int32_t j = 0; low != within && j < COLUMNS; j++)
            parts[j] += forward[low + j] * sum[low + j];
    for (int32_t j = 0; j < COLUMNS; j++)
        if (within + j != outside)
            parts[j] += forward[within + j] * sum[within + j];
    for (int32_t j = 0; j < COLUMNS; j++)
        others += parts[j];
    return others / (others + own);
}

/* The marginal probability of each tag that is not outside, and what is left of that of the tag
   outside. What is added up is scaled at every step, for the weights of a perceptron are beyond what
   exp() can hold; where moves differ by more than 700 it may yet be 0 or NaN, which the caller takes
   for unknown. */
static void marginals(const Model *m, const Reading *reading, Space *space, int64_t n,
                      const uint16_t *tags, double *scores, double *risks)
{
    const Factors *f = reading->factors;
    int32_t labels = m->labels, width = m->width, count = 0;
    double *rest = (double *)space->rest;
    Lines lines = {rest, rest + width, rest + 2 * width, rest + 3 * width,
                   (int32_t *)(rest + 4 * width)};
    for (int64_t t = 0; t < n; t++) {
        read_at(reading, space, t, width, lines.state);
        for (int32_t j = 0; t == 0 && j < width; j++)
            lines.sum[j] = 1.0;
        if (t > 0)
            spread(lines.masses, f->factors, lines.living, count, width, lines.sum);
        count = settle(&lines, f->forward_gain, labels, width);
        double *forward = space->forward + t * width;
        memset(forward, 0, (size_t)width * sizeof *forward);
        for (int32_t i = 0; i < count; i++)
            forward[lines.living[i]] = lines.masses[i];
    }
    for (int32_t j = 0; j < width; j++)
        lines.sum[j] = 1.0;
    for (int64_t t = n - 1; t >= 0; t--) {
        const double *forward = space->forward + t * width;
        if (scores && tags[t] != m->outside) {
            double all = 0.0;
            for (int32_t j = 0; j < labels; j++)
                all += forward[j] * lines.sum[j];
            scores[t] = forward[tags[t]] * lines.sum[tags[t]] / all;
        }
        if (risks)
            risks[t] = share_of_others(forward, lines.sum, width, m->outside);
        if (t > 0) {
            read_at(reading, space, t, width, lines.state);
            count = settle(&lines, f->back_gain, labels, width);
            spread(lines.masses, f->back_factors, lines.living, count, width, lines.sum);
        }
    }
}

void decode_sequence(const Model *m, const int32_t *base, Space *space, const Items *items, int64_t n,
                     uint16_t *tags, const Wanted *wanted)
{
    int is_few = is_narrow(m, base, items, n);
    ReadState *read_state = is_few ? read_state_narrow : read_state_wide;
    int found = is_few ? decode_tags_narrow(m, base, space, items, n, tags)
                       : decode_tags_wide(m, base, space, items, n, tags);
    double *scores = found ? wanted->scores : NULL, *risks = wanted->risks;
    Reading plain = {read_state, &m->factors, NULL};
    Reading heated = {read_state, wanted->heated, wanted->lifts};
    int are_one = risks && !heated.lifts && heated.factors->temperature == 1.0;
    if (scores || are_one)
        marginals(m, &plain, space, n, tags, scores, are_one ? risks : NULL);
    if (risks && !are_one)
        marginals(m, &heated, space, n, tags, NULL, risks);
}
