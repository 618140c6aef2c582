#include "arrange.h"

int64_t arrange(const Layout *layout, int64_t most, int64_t *anchors, int64_t *sequences,
                int64_t *of_documents)
{
    const int64_t *token_offsets = layout->token_offsets, *token_starts = layout->token_starts;
    const int64_t *item_offsets = layout->item_offsets;
    int64_t count = 0;
    of_documents[0] = 0;
    for (int64_t d = 0; d < layout->documents; d++) {
        int64_t token = token_offsets[d], mark = token, last = token_offsets[d + 1];
        int64_t head = item_offsets[d];
        for (int64_t i = item_offsets[d]; i < item_offsets[d + 1]; i++) {
            while (token < last && token_starts[token] <= layout->starts[i])
                token++;
            anchors[i] = token > token_offsets[d] ? token - 1 : -1;
            int begins = i == item_offsets[d];
            /* The marks that this is the first item to end behind. */
            for (; mark < last && token_starts[mark] < layout->ends[i]; mark++)
                begins |= layout->marks[mark];
            if (begins)
                head = i;
            if ((i - head) % most == 0)
                sequences[count++] = i;
        }
        of_documents[d + 1] = count;
    }
    sequences[count] = item_offsets[layout->documents];
    return count;
}
