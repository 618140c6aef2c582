/* Logarithms to base 2 and a power of e, in sums, products and quotients of doubles alone: the same bits
   on every machine, whatever its C library; as models/trees/arithmetic.py has them. */
#ifndef SCRUBLINE_LOGARITHM_H
#define SCRUBLINE_LOGARITHM_H

#include <stdint.h>
#include <string.h>

#define LOG_BITS 7
#define LOG_CELLS (1 << LOG_BITS)

/* Of numbers from 1 + i / LOG_CELLS to below the next, the reciprocal of the first, and minus the logarithm
   of that reciprocal. */
typedef struct {
    double inverse[LOG_CELLS], log[LOG_CELLS];
} Logs;

#define LOG2_E 1.4426950408889634 /* 1 / ln 2 */

static inline void logs_fill(Logs *logs)
{
    for (int i = 0; i < LOG_CELLS; i++) {
        double inverse = 1.0 / (1.0 + (double)i / LOG_CELLS);
        double s = (inverse - 1.0) / (inverse + 1.0), square = s * s, sum = 0.0;
        for (int k = 41; k >= 1; k -= 2)
            sum = sum * square + 1.0 / k;
        logs->inverse[i] = inverse;
        logs->log[i] = -(2.0 * LOG2_E * (s * sum));
    }
}

/* Of a normal number above 0. */
static inline double log2_of(const Logs *logs, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52) - 1023;
    unsigned cell = (unsigned)(bits >> (52 - LOG_BITS)) & (LOG_CELLS - 1);
    double m;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&m, &bits, sizeof m);
    double r = m * logs->inverse[cell] - 1.0, sum = -LOG2_E / 8;
    sum = sum * r + LOG2_E / 7;
    sum = sum * r - LOG2_E / 6;
    sum = sum * r + LOG2_E / 5;
    sum = sum * r - LOG2_E / 4;
    sum = sum * r + LOG2_E / 3;
    sum = sum * r - LOG2_E / 2;
    sum = sum * r + LOG2_E;
    return (double)exponent + (logs->log[cell] + sum * r);
}

/* x log x, and 0 of 0. */
static inline double entropy_of(const Logs *logs, double x)
{
    return x > 0.0 ? x * log2_of(logs, x) : 0.0;
}

/* 1 - exp(-y) of a number from 0 to 16. */
static inline double one_minus_exp(double y)
{
    double a = -y / 16, sum = 1.0;
    for (int k = 20; k >= 2; k--)
        sum = 1.0 + sum * a / k;
    sum *= a;
    for (int doubled = 0; doubled < 4; doubled++)
        sum = sum * (sum + 2.0);
    return -sum;
}

#endif
