/* Memory that grows, and what is asked of the compiler for its sake. */
#ifndef SCRUBLINE_MEMORY_H
#define SCRUBLINE_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

#define CACHE_LINE 64

/* Zeros that begin where a line of the cache does, so that rows of as many bytes are whole lines; to be
   freed like others. NULL without memory. */
static inline void *zeroed_lines(size_t count, size_t size)
{
    size_t bytes = (count * size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
#if defined(_WIN32)
    return calloc(bytes, 1);
#else
    void *memory = aligned_alloc(CACHE_LINE, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
#endif
}

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
