/* The extension module. */
#include "wrappers.h"

/* Of what is agreed with Python; as in models/native/__init__.py. */
#define VERSION 3

#define METHOD(name) {#name, py_##name, METH_VARARGS, name##_doc},

static PyMethodDef methods[] = {
    CALLS(METHOD)
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "See `scrubline.models.native`.", 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "VERSION", VERSION) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
