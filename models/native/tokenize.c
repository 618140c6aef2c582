#include "tokenize.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* A text without the marks that join the character before them. */
typedef struct {
    const uint32_t *codes;
    const uint8_t *classes;
    const int64_t *positions; /* in the text of each, and of its end; NULL where they are the same */
    int64_t size;
} Text;

void tokens_free(TokenTable *tokens)
{
    free(tokens->starts);
    free(tokens->ends);
    free(tokens->breaks);
    free(tokens->coarse);
    free(tokens->line);
    free(tokens->classes);
    memset(tokens, 0, sizeof *tokens);
}

void bench_free(Bench *bench)
{
    free(bench->classes);
    free(bench->codes);
    free(bench->positions);
    memset(bench, 0, sizeof *bench);
}

static int tokens_fit(TokenTable *tokens, int64_t more)
{
    int64_t needed = tokens->count + more;
    if (needed <= tokens->room)
        return 0;
    int64_t room = wider_room(tokens->room, needed);
    if (widen((void **)&tokens->starts, room, sizeof(int64_t)) < 0 ||
        widen((void **)&tokens->ends, room, sizeof(int64_t)) < 0 ||
        widen((void **)&tokens->breaks, room, sizeof(int64_t)) < 0 ||
        widen((void **)&tokens->coarse, room, 1) < 0 || widen((void **)&tokens->line, room, 1) < 0 ||
        widen((void **)&tokens->classes, room, 1) < 0)
        return -1;
    tokens->room = room;
    return 0;
}

static int bench_fit(Bench *bench, int64_t size)
{
    if (size <= bench->room)
        return 0;
    int64_t room = wider_room(bench->room, size);
    if (widen((void **)&bench->classes, room, 1) < 0 ||
        widen((void **)&bench->codes, room, sizeof(uint32_t)) < 0 ||
        widen((void **)&bench->positions, room, sizeof(int64_t)) < 0)
        return -1;
    bench->room = room;
    return 0;
}

static int kind_at(const Text *text, int64_t at)
{
    return at < 0 || at >= text->size ? WHITE_KIND : text->classes[at] >> 2;
}

static int class_at(const Text *text, int64_t at)
{
    return at < 0 || at >= text->size ? SPACE : text->classes[at];
}

static uint32_t code_at(const Text *text, int64_t at)
{
    return at < 0 || at >= text->size ? 0 : text->codes[at];
}

/* Without marks, or as it is if it has none; -1 without memory. */
static int read_text(const Characters *known, const uint32_t *codes, int64_t size, Bench *bench,
                     Text *text)
{
    if (bench_fit(bench, size + 1) < 0)
        return -1;
    int marks = 0;
    for (int64_t i = 0; i < size; i++) {
        uint8_t found = known->classes[codes[i]];
        bench->classes[i] = found;
        marks |= found == MARK;
    }
    *text = (Text){codes, bench->classes, NULL, size};
    if (!marks)
        return 0;
    int64_t kept = 0;
    int before = SPACE; /* so that a mark that is first in the text is a letter */
    for (int64_t i = 0; i < size; i++) {
        int found = bench->classes[i];
        int joins = found == MARK && before >> 2 != WHITE_KIND;
        before = found;
        if (joins)
            continue;
        bench->codes[kept] = codes[i];
        bench->classes[kept] = found == MARK ? CASELESS : (uint8_t)found;
        bench->positions[kept++] = i;
    }
    bench->positions[kept] = size;
    *text = (Text){bench->codes, bench->classes, bench->positions, kept};
    return 0;
}

/* Names' prefixes and titles after which a capital goes on with the word. */
static const char *const PREFIXES[] = {"Mac", "Fitz", "Van", "Von", "Del", "Pharm", "Psy", NULL};

static int has_prefix_before(const Text *text, int64_t at)
{
    for (const char *const *prefix = PREFIXES; *prefix; prefix++) {
        int64_t length = (int64_t)strlen(*prefix), begin = at - length, same = 0;
        if (begin < 0 || kind_at(text, begin - 1) == LETTER_KIND)
            continue;
        while (same < length && text->codes[begin + same] == (uint32_t)(*prefix)[same])
            same++;
        if (same == length)
            return 1;
    }
    return 0;
}

/* Whether a word is split before a capital because of the letters around it. */
static int splits_word(const Text *text, int64_t at)
{
    if (text->classes[at] != UPPER)
        return 0;
    if (class_at(text, at - 1) == LOWER && class_at(text, at - 2) == LOWER) {
        /* Only two small letters, no capital before them: a unit (mmHg) unless a word follows. */
        int alone = kind_at(text, at - 3) != LETTER_KIND;
        int followed = class_at(text, at + 1) == LOWER && class_at(text, at + 2) == LOWER;
        return (!alone || followed) && !has_prefix_before(text, at);
    }
    if (class_at(text, at - 1) == UPPER && class_at(text, at + 1) == LOWER &&
        class_at(text, at + 2) == LOWER) {
        int verb = code_at(text, at + 1) == 'e' && code_at(text, at + 2) == 'd' &&
                   kind_at(text, at + 3) != LETTER_KIND;
        int irish = code_at(text, at - 1) == 'O' && kind_at(text, at - 2) != LETTER_KIND;
        return !verb && !irish;
    }
    return 0;
}

/* Whether a number runs into a telephone number here (47798|497-045-1949). */
static int splits_number(const Text *text, int64_t at)
{
    static const int digits[] = {-8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 5, 6, 7, 8};
    int64_t first = at + 3;
    if (code_at(text, first) != '-' || code_at(text, first + 4) != '-')
        return 0;
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        if (kind_at(text, first + digits[i]) != DIGIT_KIND)
            return 0;
    return kind_at(text, first + 9) != DIGIT_KIND;
}

static int64_t end_of_token(const Text *text, int64_t start)
{
    int kind = text->classes[start] >> 2;
    int64_t at = start + 1;
    if (kind == SIGN_KIND)
        return at;
    while (at < text->size && text->classes[at] >> 2 == kind) {
        if (kind == LETTER_KIND ? splits_word(text, at) : splits_number(text, at))
            break;
        at++;
    }
    return at;
}

/* The tokens of one text, seen from its first. Beyond either end are empty ones. */
typedef struct {
    const Text *text;
    const int64_t *starts, *ends;
    uint8_t *coarse;
    int64_t count;
} Row;

static int is_in(const Row *row, int64_t t)
{
    return t >= 0 && t < row->count;
}

static int kind_of(const Row *row, int64_t t)
{
    return is_in(row, t) ? row->text->classes[row->starts[t]] >> 2 : WHITE_KIND;
}

static int64_t length_of(const Row *row, int64_t t)
{
    return is_in(row, t) ? row->ends[t] - row->starts[t] : 0;
}

static uint32_t code_of(const Row *row, int64_t t)
{
    return is_in(row, t) ? row->text->codes[row->starts[t]] : 0;
}

/* Whether nothing stands between a token and the one before it. */
static int is_near(const Row *row, int64_t t)
{
    return t > 0 && t < row->count && row->starts[t] == row->ends[t - 1];
}

static void glue(const Row *row, int64_t t)
{
    if (is_in(row, t))
        row->coarse[t] = 0;
}

static int is_initial_point(const Row *row, int64_t t)
{
    return is_near(row, t) && kind_of(row, t) == SIGN_KIND && code_of(row, t) == '.' &&
           kind_of(row, t - 1) == LETTER_KIND && length_of(row, t - 1) == 1;
}

/* A sign that touches what is before it, and perhaps what is behind it. */
static void glue_sign(const Row *row, int64_t t)
{
    if (is_initial_point(row, t) && is_near(row, t + 1) && is_initial_point(row, t + 2))
        for (int i = 0; i < 3; i++)
            glue(row, t + i);
    if (!is_near(row, t + 1))
        return;
    uint32_t code = code_of(row, t);
    int left = kind_of(row, t - 1), right = kind_of(row, t + 1);
    int letters = left == LETTER_KIND && right == LETTER_KIND;
    int digits = left == DIGIT_KIND && right == DIGIT_KIND;
    int64_t before = length_of(row, t - 1), after = length_of(row, t + 1);
    int joins = (code == '-' || code == '_' || code == 0x2010 || code == 0x2011) &&
                left != SIGN_KIND && right != SIGN_KIND;
    joins |= digits && (code == '.' || code == '/' || code == ':');
    joins |= digits && code == ',' && before <= 3 && after == 3;
    joins |= letters && (code == '\'' || code == 0x2019);
    joins |= letters && code == '/' && before <= 2 && after <= 2;
    if (joins) {
        glue(row, t);
        glue(row, t + 1);
    }
}

/* `+` to its number, and the brackets of a telephone number: (617)555-0100. */
static void glue_first_sign(const Row *row, int64_t t)
{
    if (is_near(row, t - 1) && kind_of(row, t - 2) != SIGN_KIND)
        return;
    uint32_t code = code_of(row, t - 1);
    if (code == '+')
        glue(row, t);
    if (code == '(' && length_of(row, t) == 3 && is_near(row, t + 1) && is_near(row, t + 2) &&
        code_of(row, t + 1) == ')' && kind_of(row, t + 2) == DIGIT_KIND && length_of(row, t + 2) == 3)
        for (int i = 0; i < 3; i++)
            glue(row, t + i);
}

/* Digits that touch letters before them. */
static void glue_digits(const Row *row, int64_t t)
{
    int64_t digits = length_of(row, t), letters = length_of(row, t - 1);
    int goes_on = is_near(row, t + 1) && kind_of(row, t + 1) == SIGN_KIND && is_near(row, t + 2) &&
                  kind_of(row, t + 2) == DIGIT_KIND;
    uint32_t sign = goes_on ? code_of(row, t + 1) : 0;
    int before = row->text->classes[row->starts[t] - 1];
    int month = letters == 3 && is_near(row, t - 1) && kind_of(row, t - 2) == DIGIT_KIND;
    int number = sign == '-' || sign == '.' || sign == ':';
    int apart = letters >= 3 && (number || digits >= 5 || (before == LOWER && !month));
    apart |= sign == '/';
    int alone = letters == 1 && (!is_near(row, t - 1) || kind_of(row, t - 2) == SIGN_KIND);
    int ends = sign == 0 && (!is_near(row, t + 1) || kind_of(row, t + 1) == SIGN_KIND);
    apart |= alone && digits == 5 && before == LOWER && ends;
    apart |= alone && digits == 1 && before == UPPER && sign == '-' && length_of(row, t + 2) == 4;
    if (!apart)
        glue(row, t);
}

/* Letters that touch digits before them. */
static void glue_letters(const Row *row, int64_t t)
{
    static const char ordinals[][2] = {{'s', 't'}, {'n', 'd'}, {'r', 'd'}, {'t', 'h'}};
    int64_t letters = length_of(row, t);
    int one = letters == 1;
    one |= letters <= 3 && is_near(row, t + 1) && kind_of(row, t + 1) == DIGIT_KIND;
    one |= letters <= 3 && is_near(row, t - 1) && kind_of(row, t - 2) == LETTER_KIND &&
           length_of(row, t - 1) == 1;
    const uint32_t *codes = row->text->codes + row->starts[t];
    for (int i = 0; i < 4 && letters == 2; i++)
        one |= codes[0] == (uint32_t)ordinals[i][0] && codes[1] == (uint32_t)ordinals[i][1];
    if (one)
        glue(row, t);
}

static void glue_all(const Row *row)
{
    memset(row->coarse, 1, (size_t)row->count);
    for (int64_t t = 1; t < row->count; t++) {
        if (!is_near(row, t))
            continue;
        int kind = kind_of(row, t), before = kind_of(row, t - 1);
        if (kind == SIGN_KIND)
            glue_sign(row, t);
        else if (before == SIGN_KIND && kind == DIGIT_KIND)
            glue_first_sign(row, t);
        else if (before == LETTER_KIND && kind == DIGIT_KIND)
            glue_digits(row, t);
        else if (before == DIGIT_KIND && kind == LETTER_KIND)
            glue_letters(row, t);
    }
}

int tokenize(const Characters *known, const uint32_t *codes, int64_t size, Bench *bench,
             TokenTable *tokens)
{
    Text text;
    if (read_text(known, codes, size, bench, &text) < 0)
        return -1;
    int64_t first = tokens->count, breaks = 1; /* as if one were before the text */
    for (int64_t at = 0; at < text.size;) {
        int found = text.classes[at];
        if (found >> 2 == WHITE_KIND) {
            /* Carriage return and line feed are one line break. */
            int second = at > 0 && text.codes[at] == '\n' && text.codes[at - 1] == '\r';
            breaks += found == BREAK && !second;
            at++;
            continue;
        }
        if (tokens_fit(tokens, 1) < 0)
            return -1;
        int64_t end = end_of_token(&text, at), t = tokens->count++;
        tokens->starts[t] = at;
        tokens->ends[t] = end;
        tokens->classes[t] = (uint8_t)found;
        tokens->line[t] = breaks > 0;
        tokens->breaks[t] = breaks;
        breaks = 0;
        at = end;
    }
    int64_t count = tokens->count - first;
    if (!count)
        return 0;
    int64_t *starts = tokens->starts + first, *ends = tokens->ends + first;
    Row row = {&text, starts, ends, tokens->coarse + first, count};
    glue_all(&row);
    for (int64_t t = 0; t < count && text.positions; t++) {
        starts[t] = text.positions[starts[t]];
        ends[t] = text.positions[ends[t]];
    }
    return 0;
}
