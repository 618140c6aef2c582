#include "prefilter.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* What a piece is made of: a letter in either case, any digit, and a gap, which is all else. */
enum { GAP = 0, DIGIT = 27, SYMBOLS = 28 };

/* Windows so near to each other are one; so are pieces of one need. */
#define TO_JOIN 8
#define NEAR 24

static int is_capital(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static int symbol_of(uint8_t byte)
{
    uint8_t small = byte | 0x20;
    if (small >= 'a' && small <= 'z')
        return small - 'a' + 1;
    return byte >= '0' && byte <= '9' ? DIGIT : GAP;
}

Prefilter *prefilter_make(int64_t n_letters, int64_t n_pieces, int64_t n_needs, int64_t n_claims)
{
    Prefilter *prefilter = calloc(1, sizeof *prefilter);
    if (!prefilter)
        return NULL;
    prefilter->n_pieces = n_pieces;
    prefilter->n_needs = n_needs;
    prefilter->n_claims = n_claims;
    /* A state for each letter and for the gaps around it at most. */
    size_t states = (size_t)(n_letters + 2 * n_pieces + 1);
    prefilter->letters = malloc((size_t)n_letters + 1);
    prefilter->pieces = malloc((size_t)(n_pieces + 1) * sizeof *prefilter->pieces);
    prefilter->claims = malloc((size_t)(n_claims + 1) * sizeof *prefilter->claims);
    prefilter->next = calloc(states * SYMBOLS, sizeof *prefilter->next);
    prefilter->first = malloc(states * sizeof *prefilter->first);
    prefilter->shorter = malloc(states * sizeof *prefilter->shorter);
    if (prefilter->letters && prefilter->pieces && prefilter->claims && prefilter->next &&
        prefilter->first && prefilter->shorter) {
        memset(prefilter->first, -1, states * sizeof *prefilter->first);
        memset(prefilter->shorter, -1, states * sizeof *prefilter->shorter);
        memset(prefilter->marks, -1, sizeof prefilter->marks);
        return prefilter;
    }
    prefilter_free(prefilter);
    return NULL;
}

void prefilter_free(Prefilter *prefilter)
{
    free(prefilter->letters);
    free(prefilter->pieces);
    free(prefilter->claims);
    free(prefilter->next);
    free(prefilter->first);
    free(prefilter->shorter);
    free(prefilter);
}

static int32_t child(Prefilter *prefilter, int32_t state, int symbol)
{
    int32_t *next = prefilter->next + (int64_t)state * SYMBOLS + symbol;
    if (!*next)
        *next = (int32_t)++prefilter->n_states;
    return *next;
}

/* One more symbol of each piece that goes on behind `depth` of them, so that states are in order of their
   depth: those of most steps lie together. Whether there was one. */
static int grow(Prefilter *prefilter, const uint8_t *begins, int32_t depth, int32_t *reached)
{
    int grown = 0;
    for (int64_t p = 0; p < prefilter->n_pieces; p++) {
        LiteralPiece *piece = prefilter->pieces + p;
        int32_t letter = depth - begins[p], length = begins[p] + piece->size + piece->ends;
        if (symbol_of(piece->letters[0]) == GAP || depth >= length)
            continue;
        int inside = letter >= 0 && letter < piece->size;
        reached[p] = child(prefilter, reached[p], inside ? symbol_of(piece->letters[letter]) : GAP);
        grown = 1;
        if (depth == length - 1) {
            piece->other = prefilter->first[reached[p]];
            prefilter->first[reached[p]] = (int32_t)p;
        }
    }
    return grown;
}

int prefilter_join(Prefilter *prefilter, const uint8_t *begins)
{
    for (int64_t p = 0; p < prefilter->n_pieces; p++) {
        LiteralPiece *piece = prefilter->pieces + p;
        if (symbol_of(piece->letters[0]) == GAP) {
            piece->other = prefilter->marks[piece->letters[0]];
            prefilter->marks[piece->letters[0]] = (int32_t)p;
        }
    }
    /* The tree of all pieces; its root, state 0, is no child of any. */
    prefilter->n_states = 0;
    int32_t *reached = calloc((size_t)prefilter->n_pieces + 1, sizeof *reached);
    if (!reached)
        return -1;
    for (int32_t depth = 0; grow(prefilter, begins, depth, reached);)
        depth++;
    free(reached);
    prefilter->n_states++;
    /* Where there is no child, what the longest shorter state that ends alike does. */
    int32_t *alike = malloc((size_t)prefilter->n_states * sizeof *alike);
    if (!alike)
        return -1;
    alike[0] = 0;
    for (int64_t state = 0; state < prefilter->n_states; state++) {
        int32_t *next = prefilter->next + state * SYMBOLS, other = alike[state];
        const int32_t *others = prefilter->next + (int64_t)other * SYMBOLS;
        if (state)
            prefilter->shorter[state] = prefilter->first[other] >= 0 ? other : prefilter->shorter[other];
        for (int s = 0; s < SYMBOLS; s++) {
            /* Of the root the children alone are new; its other steps lead to itself. */
            if (next[s])
                alike[next[s]] = state ? others[s] : 0;
            else
                next[s] = state ? others[s] : 0;
        }
    }
    free(alike);
    for (int64_t i = 0; i < prefilter->n_states * SYMBOLS; i++) {
        int32_t state = prefilter->next[i];
        prefilter->next[i] = 2 * state + (prefilter->first[state] >= 0 || prefilter->shorter[state] >= 0);
    }
    return 0;
}

/* Whether letters that agree in either case are written as the piece wants them. */
static int is_written_so(const LiteralPiece *piece, const uint8_t *letters)
{
    if (piece->written != AS_IT_STANDS)
        return 1;
    for (int32_t i = 0; i < piece->size; i++)
        if (is_capital(piece->letters[i]) != is_capital(letters[i]))
            return 0;
    return 1;
}

static int add_window(Windows *found, Window window)
{
    if (fit((void **)&found->rows, &found->room, found->count + 1, sizeof window) < 0)
        return -1;
    found->rows[found->count++] = window;
    return 0;
}

/* What is kept of one text: by need where its pieces are, several as one; the last one of each need, -1
   for none; and whether one of its matches may count. */
typedef struct {
    Windows found;
    int64_t *last;
    uint8_t *may;
} Scan;

/* Takes up pieces that end behind a place; 0, or -1 without memory. */
static int take_pieces(const Prefilter *prefilter, int32_t first, const uint8_t *text, int64_t at, Scan *scan)
{
    for (int32_t p = first; p >= 0; p = prefilter->pieces[p].other) {
        const LiteralPiece *piece = prefilter->pieces + p;
        int64_t end = at + !piece->ends, start = end - piece->size, last = scan->last[piece->need];
        if (!is_written_so(piece, text + start))
            continue;
        scan->may[piece->need] |= piece->written != CAPITAL_FIRST || is_capital(text[start]);
        Window window = {piece->need, start, end};
        if (last >= 0 && start <= scan->found.rows[last].end + NEAR) {
            Window *known = scan->found.rows + last;
            known->start = start < known->start ? start : known->start;
            known->end = end;
            continue;
        }
        if (add_window(&scan->found, window) < 0)
            return -1;
        scan->last[piece->need] = scan->found.count - 1;
    }
    return 0;
}

static int scan_text(const Prefilter *prefilter, const uint8_t *text, int64_t size, Scan *scan)
{
    /* Before the text and behind it stands a gap. */
    int32_t step = prefilter->next[GAP];
    for (int64_t at = 0; at <= size; at++) {
        int symbol = at < size ? symbol_of(text[at]) : GAP;
        step = prefilter->next[(int64_t)(step >> 1) * SYMBOLS + symbol];
        if (step & 1)
            for (int32_t state = step >> 1; state >= 0; state = prefilter->shorter[state])
                if (take_pieces(prefilter, prefilter->first[state], text, at, scan) < 0)
                    return -1;
        if (symbol == GAP && at < size && prefilter->marks[text[at]] >= 0 &&
            take_pieces(prefilter, prefilter->marks[text[at]], text, at, scan) < 0)
            return -1;
    }
    return 0;
}

Window *by_row(const Windows *windows, int64_t n, int64_t *begins)
{
    Window *sorted = malloc((size_t)(windows->count + 1) * sizeof *sorted);
    if (!sorted)
        return NULL;
    memset(begins, 0, (size_t)(n + 2) * sizeof *begins);
    for (int64_t i = 0; i < windows->count; i++)
        begins[windows->rows[i].row + 2]++;
    for (int64_t k = 0; k < n; k++)
        begins[k + 2] += begins[k + 1];
    for (int64_t i = 0; i < windows->count; i++)
        sorted[begins[windows->rows[i].row + 1]++] = windows->rows[i];
    return sorted;
}

/* Where a match may be that has one of these pieces; 0, or -1 without memory. */
static int add_windows(const Claim *claim, const Window *pieces, int64_t count, int64_t size, Windows *found)
{
    int64_t had = found->count, reach = claim->reach, before = claim->before < 0 ? reach : claim->before;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = pieces[i].start > before ? pieces[i].start - before : 0;
        int64_t to = size - pieces[i].end > reach ? pieces[i].end + reach : size;
        if (found->count > had && from <= found->rows[found->count - 1].end + TO_JOIN)
            found->rows[found->count - 1].end = to;
        else if (add_window(found, (Window){claim->pattern, from, to}) < 0)
            return -1;
    }
    return 0;
}

/* Of the windows from `kept` on what is in those of a claim, too; 0, or -1 without memory. */
static int narrow_windows(const Claim *claim, const Window *pieces, int64_t count, int64_t size,
                          int64_t kept, Windows *found, Windows *spare)
{
    spare->count = 0;
    for (int64_t i = kept; i < found->count; i++)
        if (add_window(spare, found->rows[i]) < 0)
            return -1;
    int64_t n_left = spare->count;
    if (add_windows(claim, pieces, count, size, spare) < 0)
        return -1;
    const Window *left = spare->rows, *right = left + n_left, *end = left + spare->count;
    found->count = kept;
    for (const Window *l = left, *r = right; l < right && r < end;) {
        int64_t from = l->start > r->start ? l->start : r->start, to = l->end < r->end ? l->end : r->end;
        if (from < to && add_window(found, (Window){claim->pattern, from, to}) < 0)
            return -1;
        if (l->end < r->end)
            l++;
        else
            r++;
    }
    return 0;
}

/* The windows of all patterns in one text; 0, or -1 without memory. */
static int join_claims(const Prefilter *prefilter, const Scan *scan, const Window *pieces, const int64_t *begins,
                       int64_t size, Windows *found, Windows *spare)
{
    const Claim *claims = prefilter->claims;
    for (int64_t c = 0, end; c < prefilter->n_claims; c = end) {
        int64_t kept = found->count;
        int may = 1;
        for (end = c; end < prefilter->n_claims && claims[end].pattern == claims[c].pattern; end++)
            may &= scan->may[claims[end].need];
        for (int64_t k = c; k < end && may; k++) {
            int64_t need = claims[k].need, begin = begins[need], count = begins[need + 1] - begin;
            if (k == c ? add_windows(claims + k, pieces + begin, count, size, found) < 0
                       : narrow_windows(claims + k, pieces + begin, count, size, kept, found, spare) < 0)
                return -1;
        }
    }
    return 0;
}

int prefilter_scan(const Prefilter *prefilter, const uint8_t *texts, const int64_t *offsets, int64_t n, Windows *found)
{
    size_t n_needs = (size_t)prefilter->n_needs + 2;
    Scan scan = {{0}, malloc(n_needs * sizeof *scan.last), malloc(n_needs)};
    Windows spare = {0};
    int64_t *begins = malloc(n_needs * sizeof *begins);
    int lacking = !scan.last || !scan.may || !begins;
    found->count = 0;
    for (int64_t t = 0; t < n && !lacking; t++) {
        int64_t size = offsets[2 * t + 1] - offsets[2 * t], had = found->count;
        Window *pieces = NULL;
        memset(scan.last, -1, n_needs * sizeof *scan.last);
        memset(scan.may, 0, n_needs);
        scan.found.count = 0;
        lacking = scan_text(prefilter, texts + offsets[2 * t], size, &scan) < 0 ||
                  !(pieces = by_row(&scan.found, prefilter->n_needs, begins)) ||
                  join_claims(prefilter, &scan, pieces, begins, size, found, &spare) < 0;
        free(pieces);
        for (int64_t w = had; w < found->count; w++) {
            found->rows[w].start += offsets[2 * t];
            found->rows[w].end += offsets[2 * t];
        }
    }
    free(scan.found.rows);
    free(scan.last);
    free(scan.may);
    free(spare.rows);
    free(begins);
    return lacking ? -1 : 0;
}
