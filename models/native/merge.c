#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define BLANK_SIGN ' '
#define BREAK_SIGN '\n'
#define OTHER_SIGN '*'
#define FIRST_ORDINAL 0xAA
#define SECOND_ORDINAL 0xBA

static void program_free(Program *program)
{
    free(program->steps);
    free(program->sets);
    free(program->entries);
    free(program->firsts);
    free(program->required);
}

void merger_free(Merger *merger)
{
    map_free(&merger->fold);
    table_free(&merger->folded);
    table_free(&merger->raw);
    program_free(&merger->joins);
    program_free(&merger->kinds);
    free(merger);
}

void items_free(Items *items)
{
    free(items->starts);
    free(items->ends);
    memset(items, 0, sizeof *items);
}

void desk_free(Desk *desk)
{
    free(desk->signature);
    free(desk->rows);
    free(desk->starts);
    free(desk->ends);
    free(desk->line);
    free(desk->inner);
    codes_free(&desk->folded);
    memset(desk, 0, sizeof *desk);
}

static int desk_fit(Desk *desk, int64_t tokens)
{
    if (tokens <= desk->room)
        return 0;
    int64_t room = wider_room(desk->room, tokens);
    if (widen((void **)&desk->signature, 2 * room + 2, 1) < 0 ||
        widen((void **)&desk->rows, 2 * room + 2, sizeof(int64_t)) < 0 ||
        widen((void **)&desk->starts, room, sizeof(int64_t)) < 0 ||
        widen((void **)&desk->ends, room, sizeof(int64_t)) < 0 ||
        widen((void **)&desk->line, room, 1) < 0 || widen((void **)&desk->inner, room, 1) < 0)
        return -1;
    desk->room = room;
    return 0;
}

static int items_fit(Items *items, int64_t more)
{
    int64_t needed = items->count + more;
    if (needed <= items->room)
        return 0;
    int64_t room = wider_room(items->room, needed);
    if (widen((void **)&items->starts, room, sizeof(int64_t)) < 0 ||
        widen((void **)&items->ends, room, sizeof(int64_t)) < 0)
        return -1;
    items->room = room;
    return 0;
}

static int has(const uint64_t *set, char sign)
{
    return set[(unsigned char)sign >> 6] >> ((unsigned char)sign & 63) & 1;
}

/* Where a match of what begins at a step ends, -1 for none. */
static int64_t run(const Program *program, int32_t step, const char *signs, int64_t length, int64_t at)
{
    for (;;) {
        const Step *now = program->steps + step;
        switch (now->op) {
        case OP_MATCH:
            return at;
        case OP_END:
            if (at < length)
                return -1;
            step++;
            break;
        case OP_SET:
            if (at >= length || !has(program->sets[now->a], signs[at]))
                return -1;
            at++;
            step++;
            break;
        case OP_SPLIT: {
            int64_t end = run(program, now->a, signs, length, at);
            if (end >= 0)
                return end;
            step = now->b;
            break;
        }
        case OP_JUMP:
            step = now->a;
            break;
        default: {
            int64_t from = at - now->a;
            int found = from >= 0 && run(program, step + 1, signs, length, from) >= 0;
            if (found == now->b)
                return -1;
            step = now->c;
        }
        }
    }
}

static int is_upper(const Characters *known, uint32_t code)
{
    return known->traits[code] & IS_UPPER;
}

/* Whether a word is in capitals: `str.isupper`. */
static int is_all_upper(const Characters *known, const uint32_t *codes, int64_t size)
{
    int any = 0;
    for (int64_t i = 0; i < size; i++) {
        int traits = known->traits[codes[i]];
        if (traits & (IS_LOWER | IS_TITLE))
            return 0;
        any |= traits & IS_UPPER;
    }
    return any;
}

static int is_all(const Characters *known, const uint32_t *codes, int64_t size, int trait)
{
    for (int64_t i = 0; i < size; i++)
        if (!(known->traits[codes[i]] & trait))
            return 0;
    return 1;
}

static char category_of_number(const Merger *merger, const uint32_t *codes, int64_t size)
{
    const uint16_t *traits = merger->known->traits;
    if (!is_all(merger->known, codes, size, IS_DECIMAL))
        return 'k';
    if (size == 2) {
        int value = 10 * (traits[codes[0]] >> VALUE_SHIFT) + (traits[codes[1]] >> VALUE_SHIFT);
        return value <= 31 ? 'b' : value == 34 ? 'p' : 'c';
    }
    if (size == 4)
        return (codes[0] == '1' && codes[1] == '9') || (codes[0] == '2' && codes[1] == '0') ? 'y' : 'e';
    return size < 10 && merger->digits[size] ? merger->digits[size] : 'k';
}

/* As in models/text/joined.py; 0 without memory. */
static char category_of(const Merger *merger, const uint32_t *codes, int64_t size, Codes *folded)
{
    uint32_t first = codes[0];
    int traits = merger->known->traits[first];
    if (traits & IS_DECIMAL)
        return category_of_number(merger, codes, size);
    if (!(traits & IS_ALPHA))
        return first < 128 && first && strchr(".,/-@:()+_?=&%#~'", (int)first) ? (char)first : OTHER_SIGN;
    if (size == 1)
        return traits & IS_UPPER ? 'S' : 's';
    const uint32_t *word = codes;
    int64_t length = size;
    if (size < 16) {
        if (map_codes(&merger->fold, codes, size, folded) < 0)
            return 0;
        word = folded->codes;
        length = folded->size;
    }
    int32_t found = table_number(&merger->folded, word, length);
    if (found < 0)
        found = table_number(&merger->raw, codes, size);
    if (found >= 0)
        return (char)found;
    if (!(traits & IS_UPPER))
        return 'w';
    return is_all_upper(merger->known, codes, size) ? 'A' : 'C';
}

/* The tokens on the desk, split behind an ordinal sign that runs into a word (Nº|Col). */
static int lay_out(const Merger *merger, const uint32_t *codes, const int64_t *starts,
                   const int64_t *ends, const uint8_t *line, int64_t count, Desk *desk)
{
    desk->count = 0;
    for (int64_t t = 0; t < count; t++) {
        int64_t start = starts[t], end = ends[t];
        for (int64_t at = start; at < end; at++) {
            int ordinal = codes[at] == FIRST_ORDINAL || codes[at] == SECOND_ORDINAL;
            int64_t stop = at + 1;
            if (stop < end && !(ordinal && is_upper(merger->known, codes[stop])))
                continue;
            if (desk_fit(desk, desk->count + 1) < 0)
                return -1;
            desk->line[desk->count] = line[t] && start == starts[t];
            desk->starts[desk->count] = start;
            desk->ends[desk->count++] = stop;
            start = stop;
        }
    }
    return 0;
}

/* The signature of what is on the desk, behind a line break. */
static int sign(const Merger *merger, const uint32_t *codes, Desk *desk)
{
    int64_t length = 0, before = desk->count ? desk->starts[0] : 0;
    desk->signature[length] = BREAK_SIGN;
    desk->rows[length++] = 0;
    for (int64_t t = 0; t < desk->count; t++) {
        int64_t start = desk->starts[t], end = desk->ends[t];
        if (start != before) {
            desk->signature[length] = desk->line[t] ? BREAK_SIGN : BLANK_SIGN;
            desk->rows[length++] = t;
        }
        char found = category_of(merger, codes + start, end - start, &desk->folded);
        if (!found)
            return -1;
        desk->signature[length] = found;
        desk->rows[length++] = t;
        before = end;
    }
    desk->length = length;
    return 0;
}

/* Marks tokens that are joined to those before them. */
static void join(const Program *joins, Desk *desk)
{
    const char *signs = desk->signature;
    memset(desk->inner, 0, (size_t)desk->count);
    uint64_t present[2] = {0, 0};
    int64_t line_end = 0;
    for (int64_t at = 0; at < desk->length;) {
        if (at >= line_end) {
            /* No pattern reaches over a line break: what a line lacks need not be looked for. */
            present[0] = present[1] = 0;
            line_end = at;
            do {
                unsigned char one = (unsigned char)signs[line_end++];
                present[one >> 6] |= UINT64_C(1) << (one & 63);
            } while (line_end < desk->length && signs[line_end] != BREAK_SIGN);
        }
        int64_t end = -1;
        for (int64_t e = 0; e < joins->n_entries && end < 0; e++) {
            const uint64_t *needs = joins->required[e];
            if (has(joins->firsts[e], signs[at]) && !(needs[0] & ~present[0]) &&
                !(needs[1] & ~present[1]))
                end = run(joins, joins->entries[e], signs, desk->length, at);
        }
        if (end <= at) {
            at++;
            continue;
        }
        for (int64_t t = desk->rows[at] + 1; t <= desk->rows[end - 1]; t++)
            desk->inner[t] = 1;
        at = end;
    }
}

int merge_text(const Merger *merger, const uint32_t *codes, const int64_t *starts, const int64_t *ends,
               const uint8_t *line, int64_t count, Desk *desk, Items *items)
{
    if (desk_fit(desk, count) < 0 || lay_out(merger, codes, starts, ends, line, count, desk) < 0 ||
        sign(merger, codes, desk) < 0 || items_fit(items, desk->count) < 0)
        return -1;
    join(&merger->joins, desk);
    for (int64_t t = 0; t < desk->count; t++) {
        if (!desk->inner[t])
            items->starts[items->count++] = desk->starts[t];
        items->ends[items->count - 1] = desk->ends[t];
    }
    return 0;
}

int32_t kind_of_word(const Merger *merger, const uint32_t *codes, int64_t size, Bench *bench,
                     TokenTable *tokens, Desk *desk)
{
    /* Every kind has a digit or a sign in it. */
    if (is_all(merger->known, codes, size, IS_ALPHA) || is_all(merger->known, codes, size, IS_SPACE))
        return -1;
    tokens->count = 0;
    if (tokenize(merger->known, codes, size, bench, tokens) < 0 || desk_fit(desk, tokens->count) < 0 ||
        lay_out(merger, codes, tokens->starts, tokens->ends, tokens->line, tokens->count, desk) < 0 ||
        sign(merger, codes, desk) < 0)
        return -2;
    const char *signs = desk->signature + 1;
    int64_t length = desk->length - 1;
    for (int64_t kind = 0; kind < merger->kinds.n_entries && length; kind++)
        if (has(merger->kinds.firsts[kind], signs[0]) &&
            run(&merger->kinds, merger->kinds.entries[kind], signs, length, 0) == length)
            return (int32_t)kind;
    return -1;
}
