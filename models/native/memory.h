/* Memory that grows, and what is asked of the compiler for its sake. */
#ifndef SCRUBLINE_MEMORY_H
#define SCRUBLINE_MEMORY_H

#include <stdint.h>
#include <stdlib.h>

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Makes room for so many items of a size; 0, or -1 without memory, when all is as it was. */
static inline int widen(void **memory, int64_t count, size_t size)
{
    void *wider = realloc(*memory, (size_t)count * size);
    if (!wider)
        return -1;
    *memory = wider;
    return 0;
}

#endif
