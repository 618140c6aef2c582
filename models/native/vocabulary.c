#include "vocabulary.h"

#include <stdlib.h>

#include "memory.h"

#define MOST_LONGEST 256

void cut_free(Cut *cut)
{
    free(cut->starts.rows);
    free(cut->ends.rows);
    free(cut->rows.rows);
    free(cut->heads.rows);
    free(cut->fresh.rows);
}

static int add(Column *column, int64_t value)
{
    if (fit((void **)&column->rows, &column->room, column->count + 1, sizeof value) < 0)
        return -1;
    column->rows[column->count++] = value;
    return 0;
}

/* Takes up a word; 0, or -1 without memory. */
static int add_word(Vocabulary *vocabulary, const uint32_t *codes, int64_t start, int64_t end, Cut *cut)
{
    uint32_t key[MOST_LONGEST];
    int64_t size = end - start;
    key[0] = 0;
    if (size > vocabulary->longest || size > MOST_LONGEST)
        size = 0;
    for (int64_t i = 0; i < size; i++) {
        int digit = codes[start + i] >= '0' && codes[start + i] <= '9';
        key[i] = digit ? '0' : codes[start + i];
    }
    uint32_t hash = hash_codes(key, size);
    int64_t row = table_find(&vocabulary->words, key, size, hash);
    if (row < 0) {
        row = table_add(&vocabulary->words, key, size, hash, 0);
        if (row < 0 || add(&cut->fresh, cut->starts.count) < 0)
            return -1;
    }
    return add(&cut->starts, start) < 0 || add(&cut->ends, end) < 0 || add(&cut->rows, row) < 0 ? -1 : 0;
}

static int begins_apart(const uint8_t *classes, const uint32_t *codes, int64_t start)
{
    int near = start > 0 ? classes[codes[start - 1]] : LAYOUT;
    int far = start > 1 ? classes[codes[start - 2]] : LAYOUT;
    return near & LAYOUT && (!(near & BLANK) || far & LAYOUT);
}

int cut_words(Vocabulary *vocabulary, const uint8_t *classes, const uint32_t *codes, int64_t size, Cut *cut)
{
    for (int64_t at = 0; at < size;) {
        if (!(classes[codes[at]] & LETTER)) {
            at++;
            continue;
        }
        int64_t start = at, end;
        for (;;) {
            while (at < size && classes[codes[at]] & (LETTER | ACCENT))
                at++;
            end = at;
            if (at + 1 >= size || !(classes[codes[at + 1]] & LETTER))
                break;
            int joint = classes[codes[at]];
            if (joint & APOSTROPHE && (codes[at + 1] | 0x20) == 's' &&
                (at + 2 >= size || !(classes[codes[at + 2]] & LETTER))) {
                /* A possessive, which is no part of a word. */
                at += 2;
                break;
            }
            if (!(joint & (HYPHEN | APOSTROPHE)))
                break;
            at++;
        }
        if ((begins_apart(classes, codes, start) && add(&cut->heads, cut->starts.count) < 0) ||
            add_word(vocabulary, codes, start, end, cut) < 0) {
            table_clear(&vocabulary->words);
            return -1;
        }
    }
    return 0;
}
