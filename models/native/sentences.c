#include "places.h"

#include <stdlib.h>

#include "memory.h"

/* The sentence that an item is in; see models/features/sentence.py. */

/* The only character of a token; 0 of a longer one. */
static uint32_t sign_of(const View *view, int64_t document, int64_t token)
{
    int64_t first = view->token_starts[token];
    if (view->token_ends[token] - first != 1)
        return 0;
    return view->codes[view->text_offsets[document] + first];
}

static int is_quote(uint32_t sign)
{
    return sign == '"' || sign == 0x201C || sign == 0x201D || sign == 0xAB || sign == 0xBB;
}

static int is_end_mark(uint32_t sign)
{
    return sign == '.' || sign == '?' || sign == '!';
}

/* What closes a bracket that opens; 0 of all else. */
static uint32_t closes(uint32_t sign)
{
    return sign == '(' ? ')' : sign == '[' ? ']' : sign == '{' ? '}' : 0;
}

/* Whether a bracket has no partner among tokens; -1 without memory. */
static int is_unmatched(const View *view, int64_t document, int64_t first, int64_t end, Brackets *open)
{
    int64_t depth = 0;
    int unmatched = 0;
    for (int64_t t = first; t < end; t++) {
        uint32_t sign = sign_of(view, document, t), partner = closes(sign);
        if (partner) {
            if (fit((void **)&open->partners, &open->room, depth + 1, sizeof *open->partners) < 0)
                return -1;
            open->partners[depth++] = partner;
        } else if (sign == ')' || sign == ']' || sign == '}') {
            if (depth && open->partners[depth - 1] == sign)
                depth--;
            else
                unmatched = 1;
        }
    }
    return unmatched || depth;
}

static int32_t in_bins(const int32_t *numbers, int64_t value)
{
    int bits = 0;
    for (; value; value >>= 1)
        bits++;
    return numbers[bits < BINS_OF_LINES ? bits : BINS_OF_LINES];
}

int fill_sentences(const View *view, int32_t kind, const int32_t *numbers, int64_t document,
                   Brackets *open, int32_t *cells, int64_t step)
{
    int64_t end = view->token_offsets[document + 1], first = view->token_offsets[document];
    int64_t item = view->item_offsets[document], last = view->item_offsets[document + 1];
    int64_t begun = item;
    while (item < last && view->anchors[item] < 0)
        item++;
    for (int64_t next; first < end && item < last; first = next) {
        next = first + 1;
        while (next < end && !view->starts_sentence[next])
            next++;
        if (view->anchors[item] >= next)
            continue;
        int32_t value = -1;
        if (kind == SENTENCE_LENGTH) {
            value = in_bins(numbers, next - first);
        } else if (kind == SENTENCE_END) {
            value = numbers[is_end_mark(sign_of(view, document, next - 1))];
        } else if (kind == SENTENCE_BRACKET) {
            int unmatched = is_unmatched(view, document, first, next, open);
            if (unmatched < 0)
                return -1;
            value = numbers[unmatched];
        }
        int quoted = 0;
        int64_t token = first;
        for (; item < last && view->anchors[item] < next; item++) {
            int64_t anchor = view->anchors[item];
            if (kind == SENTENCE_INDEX) {
                value = in_bins(numbers, anchor - first);
            } else if (kind == SENTENCE_REST) {
                value = in_bins(numbers, next - 1 - anchor);
            } else if (kind == SENTENCE_QUOTED) {
                for (; token < anchor; token++)
                    quoted ^= is_quote(sign_of(view, document, token));
                value = numbers[quoted];
            }
            cells[(item - begun) * step] = value;
        }
    }
    return 0;
}
