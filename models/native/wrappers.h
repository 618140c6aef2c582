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

/* Whether these are code points, of uint32. */
int are_codes(const Py_buffer *view);

/* A copy of a buffer's items; NULL without memory. Never of nothing. */
void *copied(const Py_buffer *view);

/* A capsule that holds the Python objects its memory points into, until it goes: `held`, a new
   reference, which is taken and may be missing. NULL with an exception set; the memory is the caller's
   then. Its destructor ends with `let_go`. */
PyObject *new_holding(void *memory, const char *name, PyCapsule_Destructor close, PyObject *held);
void let_go(PyObject *capsule);

/* The calls, all of them: `py_...`, each with its text. */
#define CALLS(DO) \
    DO(open_model) DO(decode) \
    DO(open_index) DO(featurize) DO(weigh) DO(sum_states) \
    DO(open_phrases) DO(match_phrases) \
    DO(open_characters) DO(tokenize) \
    DO(open_merger) DO(merge) DO(arrange) \
    DO(open_words) DO(intern) \
    DO(open_places) DO(fill_places) \
    DO(open_prefilter) DO(scan) DO(join_windows) \
    DO(open_vocabulary) DO(cut_words) DO(slices) \
    DO(open_trees) DO(label_trees) DO(grow_tree)

#define DECLARED(name) \
    PyObject *py_##name(PyObject *self, PyObject *args); \
    extern const char name##_doc[];

CALLS(DECLARED)

/* Capsules that more than one file opens. */
#define CHARACTERS "scrubline.Characters"
#define MERGER "scrubline.Merger"
#define MODEL "scrubline.Model"

#endif
