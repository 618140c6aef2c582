/* Python's side of the extension: one file for each of its parts. Arrays come as buffers and are
   checked there; what is called from there may trust that sizes agree and that pointers and ids are
   in range. */
#ifndef SCRUBLINE_WRAPPERS_H
#define SCRUBLINE_WRAPPERS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>

/* A contiguous buffer of so many bytes an item, aligned for them; -1 with an exception set. What the
   items are is the caller's business. */
int take(PyObject *object, Py_buffer *view, Py_ssize_t size, int writable, const char *what);

/* Whether an object is a tuple; 0 with an exception set. */
int is_tuple(PyObject *object, const char *what);

/* All of several buffers, the last of them written; -1 with an exception set. Those taken must be
   released either way: a view that is not taken is all zeros, which `release` passes over. */
int take_all(PyObject *const *objects, Py_buffer *views, const Py_ssize_t *sizes,
             const char *const *names, int count, int written);
void release(Py_buffer *views, Py_ssize_t count);

/* Whether what is written lies apart from what is read. */
int is_apart(const Py_buffer *written, const Py_buffer *views, int count);

/* Whether these are row pointers: from 0 to `last`, never down. */
int are_offsets(const int64_t *offsets, int64_t count, int64_t last);

/* A copy of a buffer's items; NULL without memory. Never of nothing. */
void *copied(const Py_buffer *view);

/* A capsule that holds the Python objects its memory points into, until it goes: `held`, a new
   reference, which is taken and may be missing. NULL with an exception set; the memory is the caller's
   then. Its destructor ends with `let_go`. */
PyObject *new_holding(void *memory, const char *name, PyCapsule_Destructor close, PyObject *held);
void let_go(PyObject *capsule);

/* The calls, each with its text. */
#define CALL(name) \
    PyObject *py_##name(PyObject *self, PyObject *args); \
    extern const char name##_doc[];

CALL(open_model)
CALL(decode)
CALL(open_index)
CALL(featurize)
CALL(open_phrases)
CALL(match_phrases)
CALL(open_characters)
CALL(tokenize)
CALL(open_merger)
CALL(merge)
CALL(arrange)
CALL(open_words)
CALL(intern)
CALL(open_places)
CALL(fill_places)
CALL(open_gates)
CALL(scan)
CALL(open_vocabulary)
CALL(cut_words)
CALL(slices)

/* Capsules that more than one file opens. */
#define CHARACTERS "scrubline.Characters"
#define MERGER "scrubline.Merger"

#endif
