/* Faults that the C library answers with: preloaded, so that Arrow and the interpreter meet them too.
 *
 * Rules come from the variable SCRUBLINE_FAULTS, or from a call of `faults_arm`:
 *
 *     counters\nRULE\nRULE...      RULE: op,answer,value,first,times,role,place
 *
 * `counters` is a file that all processes of a combination map: what one of them met counts for all.
 * A rule concerns the calls of one operation, in processes of a role (l launcher, w worker, a any),
 * on paths that begin with `place` (all, if it is empty; operations without a path have none). Of
 * these calls those numbered first .. first + times - 1 are answered as the rule says; `none` only
 * counts. Without rules nothing is changed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define RULES 256
#define LARGE_BYTES 32768 /* smaller requests of memory are let through */

enum op { OPEN, CREATE, READ, PREAD, WRITE, PWRITE, RENAME, FSYNC, UNLINK, MKDIR, LIST, STAT, LOCK,
          THREAD, MALLOC, MMAP, CLOCK, MONOTONIC, FORK, EXEC, OPS };
static const char *const OP_NAMES[OPS] = {
    "open", "create", "read", "pread", "write", "pwrite", "rename", "fsync", "unlink", "mkdir",
    "list", "stat", "lock", "thread", "malloc", "mmap", "clock", "monotonic", "fork", "exec"};

enum answer { NONE, ERROR, SHORT, SLOW, OMIT, DOUBLE, SIZE, TIME, JUMP, LATE, ANSWERS };
static const char *const ANSWER_NAMES[ANSWERS] = {
    "none", "error", "short", "slow", "omit", "double", "size", "time", "jump", "late"};

struct rule {
    enum op op;
    enum answer answer;
    long value;
    unsigned first, times;
    char role;
    size_t length;
    char place[512];
};
struct counters { atomic_uint seen[RULES], fired[RULES]; };
struct verdict { enum answer answer; long value; };

static struct rule rules[RULES];
static int number_of_rules;
static unsigned ops_asked; /* bit a operation that some rule concerns */
static struct counters *counters;
static char role = 'l';
static long shifted_seconds; /* of the monotonic clock of this process */

#define REAL(name) ({ \
    static __typeof__(&name) found; \
    if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    found; })

static int index_of(const char *word, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (!strcmp(word, names[i])) return i;
    return -1;
}

/* Replaces all rules; gives how many there are, -1 if they are not understood. */
int faults_arm(const char *text, char own_role) {
    char line[1024], op[16], answer[16];
    number_of_rules = 0, ops_asked = 0, role = own_role;
    const char *end = strchr(text, '\n');
    if (!end || end - text >= (long)sizeof line) return *text ? -1 : 0;
    memcpy(line, text, end - text), line[end - text] = 0;
    int file = syscall(SYS_openat, AT_FDCWD, line, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || syscall(SYS_ftruncate, file, sizeof *counters)) return -1;
    void *mapped = (void *)syscall(SYS_mmap, 0, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (mapped == MAP_FAILED) return -1;
    counters = mapped;
    unsigned asked = 0;
    int count = 0;
    for (text = end + 1; *text && count < RULES; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        if (end - text >= (long)sizeof line) return -1;
        memcpy(line, text, end - text), line[end - text] = 0;
        struct rule *rule = &rules[count];
        int place = 0;
        if (sscanf(line, "%15[^,],%15[^,],%ld,%u,%u,%c,%n", op, answer, &rule->value, &rule->first,
                   &rule->times, &rule->role, &place) != 6 || !place) return -1;
        int which = index_of(op, OP_NAMES, OPS), what = index_of(answer, ANSWER_NAMES, ANSWERS);
        rule->length = strlen(line + place);
        if (which < 0 || what < 0 || rule->length >= sizeof rule->place) return -1;
        rule->op = which, rule->answer = what, asked |= 1u << which, count++;
        memcpy(rule->place, line + place, rule->length + 1);
    }
    number_of_rules = count, ops_asked = asked;
    return count;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("SCRUBLINE_FAULTS");
    char line[4096] = "";
    int file = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    long size = file < 0 ? 0 : syscall(SYS_read, file, line, sizeof line - 1);
    if (file >= 0) syscall(SYS_close, file);
    int works = size > 0 && memmem(line, size, "pipeline.runners.worker", 15) != NULL;
    if (text && *text) faults_arm(text, works ? 'w' : 'l');
}

static void wait_ms(long milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    syscall(SYS_nanosleep, &left, NULL);
}

/* What becomes of a call. Waits here if it is to be slow, sets errno if it is to fail. */
static struct verdict judge(enum op op, const char *path) {
    struct verdict verdict = {NONE, 0};
    if (!(ops_asked >> op & 1)) return verdict;
    for (int i = 0; i < number_of_rules; i++) {
        struct rule *rule = &rules[i];
        if (rule->op != op || (rule->role != 'a' && rule->role != role)) continue;
        if (rule->length && (!path || strncmp(path, rule->place, rule->length))) continue;
        unsigned seen = atomic_fetch_add(&counters->seen[i], 1) + 1;
        if (rule->answer == NONE || seen < rule->first || seen - rule->first >= rule->times) continue;
        atomic_fetch_add(&counters->fired[i], 1);
        if (verdict.answer == NONE) verdict = (struct verdict){rule->answer, rule->value};
    }
    if (verdict.answer == SLOW) wait_ms(verdict.value);
    if (verdict.answer == ERROR) errno = (int)verdict.value;
    return verdict;
}

/* The same of a path below an open folder, or of an open file if the path is empty. */
static struct verdict judge_at(enum op op, int folder, const char *path) {
    char whole[4096];
    if (!(ops_asked >> op & 1)) return (struct verdict){NONE, 0};
    if (path && *path == '/') return judge(op, path);
    char link[64];
    if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long size = syscall(SYS_readlink, link, whole, sizeof whole - 1);
    whole[size < 0 ? 0 : size] = 0;
    if (path && *path && size >= 0 && size + strlen(path) + 2 < sizeof whole)
        whole[size] = '/', strcpy(whole + size + 1, path);
    return judge(op, whole);
}

#define FAIL_IF(op, folder, path, failure) \
    if (judge_at(op, folder, path).answer == ERROR) return failure
#define FAIL_FD_IF(op, file, failure) FAIL_IF(op, file, "", failure)

/* -- files by name */

#define OPENS(name, parameters, folder, arguments) \
    int name parameters { \
        va_list list; va_start(list, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        FAIL_IF(flags & O_CREAT ? CREATE : OPEN, folder, path, -1); \
        return REAL(name) arguments; \
    }
OPENS(open, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))

/* `late`: done, and said to have failed, as a network file system does that lost the answer. */
#define CHANGES(name, op, parameters, folder, path, arguments) \
    int name parameters { \
        struct verdict verdict = judge_at(op, folder, path); \
        if (verdict.answer == ERROR) return -1; \
        int result = REAL(name) arguments; \
        if (result || verdict.answer != LATE) return result; \
        errno = (int)verdict.value; \
        return -1; \
    }
CHANGES(rename, RENAME, (const char *old, const char *new), AT_FDCWD, new, (old, new))
CHANGES(renameat, RENAME, (int from, const char *old, int to, const char *new), to, new, (from, old, to, new))
CHANGES(unlink, UNLINK, (const char *path), AT_FDCWD, path, (path))
CHANGES(rmdir, UNLINK, (const char *path), AT_FDCWD, path, (path))
CHANGES(unlinkat, UNLINK, (int folder, const char *path, int flags), folder, path, (folder, path, flags))
CHANGES(mkdir, MKDIR, (const char *path, mode_t mode), AT_FDCWD, path, (path, mode))
CHANGES(mkdirat, MKDIR, (int folder, const char *path, mode_t mode), folder, path, (folder, path, mode))

/* -- what is said of files: errors, another size, another time */

#define LOOKS(name, type, parameters, folder, path, arguments) \
    int name parameters { \
        struct verdict verdict = judge_at(STAT, folder, path); \
        if (verdict.answer == ERROR) return -1; \
        int result = REAL(name) arguments; \
        if (!result && verdict.answer == SIZE && S_ISREG(status->st_mode)) status->st_size += verdict.value; \
        if (!result && verdict.answer == TIME) status->st_mtim.tv_sec += verdict.value; \
        return result; \
    }
LOOKS(stat, struct stat, (const char *path, struct stat *status), AT_FDCWD, path, (path, status))
LOOKS(lstat, struct stat, (const char *path, struct stat *status), AT_FDCWD, path, (path, status))
LOOKS(stat64, struct stat64, (const char *path, struct stat64 *status), AT_FDCWD, path, (path, status))
LOOKS(lstat64, struct stat64, (const char *path, struct stat64 *status), AT_FDCWD, path, (path, status))
LOOKS(fstat, struct stat, (int file, struct stat *status), file, "", (file, status))
LOOKS(fstat64, struct stat64, (int file, struct stat64 *status), file, "", (file, status))
LOOKS(fstatat, struct stat, (int folder, const char *path, struct stat *status, int flags), folder, path,
      (folder, path, status, flags))
LOOKS(fstatat64, struct stat64, (int folder, const char *path, struct stat64 *status, int flags), folder, path,
      (folder, path, status, flags))

/* -- folders */

static _Thread_local DIR *doubled_in;
static _Thread_local struct dirent64 doubled;

DIR *opendir(const char *path) { FAIL_IF(OPEN, AT_FDCWD, path, NULL); return REAL(opendir)(path); }
DIR *fdopendir(int file) { FAIL_FD_IF(OPEN, file, NULL); return REAL(fdopendir)(file); }
static void *next_entry(DIR *folder, void *(*real)(DIR *)) {
    if (doubled_in == folder) {
        doubled_in = NULL;
        return &doubled;
    }
    struct dirent64 *entry = real(folder);
    if (!entry || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) return entry;
    switch (judge_at(LIST, dirfd(folder), "").answer) {
    case ERROR: return NULL;
    case OMIT: return real(folder);
    case DOUBLE:
        doubled_in = folder;
        memcpy(&doubled, entry, entry->d_reclen < sizeof doubled ? entry->d_reclen : sizeof doubled);
        return entry;
    default: return entry;
    }
}
struct dirent *readdir(DIR *folder) { return next_entry(folder, (void *(*)(DIR *))REAL(readdir)); }
struct dirent64 *readdir64(DIR *folder) { return next_entry(folder, (void *(*)(DIR *))REAL(readdir64)); }

/* -- files by descriptor */

#define MOVES(name, op, parameters, arguments) \
    ssize_t name parameters { \
        struct verdict verdict = judge_at(op, file, ""); \
        if (verdict.answer == ERROR) return -1; \
        if (verdict.answer == SHORT && count > 1) count /= 2; \
        return REAL(name) arguments; \
    }
MOVES(read, READ, (int file, void *data, size_t count), (file, data, count))
MOVES(pread, PREAD, (int file, void *data, size_t count, off_t at), (file, data, count, at))
MOVES(pread64, PREAD, (int file, void *data, size_t count, off64_t at), (file, data, count, at))
MOVES(write, WRITE, (int file, const void *data, size_t count), (file, data, count))
MOVES(pwrite, PWRITE, (int file, const void *data, size_t count, off_t at), (file, data, count, at))
MOVES(pwrite64, PWRITE, (int file, const void *data, size_t count, off64_t at), (file, data, count, at))

/* Nothing waits for a disk: the power stays on. */
static int looked_at(int file) { return fcntl(file, F_GETFD) < 0 ? -1 : 0; }
int fsync(int file) { FAIL_FD_IF(FSYNC, file, -1); return looked_at(file); }
int fdatasync(int file) { FAIL_FD_IF(FSYNC, file, -1); return looked_at(file); }
int flock(int file, int how) { FAIL_FD_IF(LOCK, file, -1); return REAL(flock)(file, how); }

/* -- processes, threads, memory */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *with) {
    struct verdict verdict = judge(THREAD, NULL);
    if (verdict.answer == ERROR) return (int)verdict.value;
    return REAL(pthread_create)(thread, attributes, start, with);
}
pid_t fork(void) { return judge(FORK, NULL).answer == ERROR ? -1 : REAL(fork)(); }
int execve(const char *path, char *const arguments[], char *const environment[]) {
    return judge(EXEC, NULL).answer == ERROR ? -1 : REAL(execve)(path, arguments, environment);
}
int execv(const char *path, char *const arguments[]) {
    return judge(EXEC, NULL).answer == ERROR ? -1 : REAL(execv)(path, arguments);
}

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
#define REFUSED(size) ((size) >= LARGE_BYTES && judge(MALLOC, NULL).answer == ERROR)
void *malloc(size_t size) { return REFUSED(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
    return REFUSED(count * size) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) { return REFUSED(size) ? NULL : __libc_realloc(old, size); }

#define MAPS(name, offset) \
    void *name(void *at, size_t size, int access, int flags, int file, offset from) { \
        if (flags & MAP_ANONYMOUS && size >= LARGE_BYTES && judge(MMAP, NULL).answer == ERROR) return MAP_FAILED; \
        return REAL(name)(at, size, access, flags, file, from); \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

/* -- clocks: those who wait until a time of a clock that was shifted wait by the kernel's */

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = REAL(clock_gettime)(clock, now);
    if (result || !ops_asked) return result;
    if (clock == CLOCK_REALTIME) {
        struct verdict verdict = judge(CLOCK, NULL);
        if (verdict.answer == JUMP) now->tv_sec += verdict.value;
    } else if (clock == CLOCK_MONOTONIC) {
        struct verdict verdict = judge(MONOTONIC, NULL);
        if (verdict.answer == JUMP) shifted_seconds = verdict.value;
        now->tv_sec += shifted_seconds;
    }
    return result;
}
static const struct timespec *by_kernel(const struct timespec *until, struct timespec *own) {
    struct timespec now;
    if (!shifted_seconds || !until) return until;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    if (until->tv_sec - now.tv_sec < shifted_seconds / 2) return until;
    *own = *until, own->tv_sec -= shifted_seconds;
    return own;
}
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    struct timespec own;
    return REAL(sem_clockwait)(semaphore, clock, clock == CLOCK_MONOTONIC ? by_kernel(until, &own) : until);
}
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    struct timespec own;
    int shifted = clock == CLOCK_MONOTONIC && flags & TIMER_ABSTIME;
    return REAL(clock_nanosleep)(clock, flags, shifted ? by_kernel(until, &own) : until, left);
}
