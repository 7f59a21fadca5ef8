/* Kills the process at the n-th point where it changes a file under one folder: before a write, sync, truncation,
   rename or removal, or in the middle of a write. Loaded with LD_PRELOAD by tests/catalog/kills.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, SYNC, TRUNCATE, RENAME, REMOVE, KINDS };
static char folder[PATH_MAX];
static long kill_at = -1, seen[KINDS];
static int torn;
static volatile long points;

void arm(const char *under, long at, int in_the_middle) {
    strncpy(folder, under, sizeof folder - 1);
    torn = in_the_middle;
    points = 0;
    kill_at = at;
    memset(seen, 0, sizeof seen);
}

long counted(int kind) { return kind < 0 ? points : seen[kind]; }

static int ours(const char *path) { return folder[0] && path && strncmp(path, folder, strlen(folder)) == 0; }

static int ours_by_number(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return ours(path);
}

/* Whether this is the point to die at. */
static int here(int kind) {
    if (kill_at < 0) return 0;
    __sync_fetch_and_add(&seen[kind], 1);
    return __sync_add_and_fetch(&points, 1) == kill_at;
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    if (ours_by_number(file) && here(WRITE)) { if (torn) real(file, data, size / 2); die(); }
    return real(file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    if (ours_by_number(file) && here(WRITE)) { if (torn) real(file, data, size / 2, at); die(); }
    return real(file, data, size, at);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    if (ours_by_number(file) && here(WRITE)) { if (torn) real(file, data, size / 2, at); die(); }
    return real(file, data, size, at);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (ours_by_number(file) && here(WRITE)) die();
    return real(file, parts, count);
}
int fsync(int file) {
    REAL(int, fsync, int);
    if (ours_by_number(file) && here(SYNC)) die();
    return real(file);
}
int fdatasync(int file) {
    REAL(int, fdatasync, int);
    if (ours_by_number(file) && here(SYNC)) die();
    return real(file);
}
int ftruncate(int file, off_t size) {
    REAL(int, ftruncate, int, off_t);
    if (ours_by_number(file) && here(TRUNCATE)) die();
    return real(file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    if (ours_by_number(file) && here(TRUNCATE)) die();
    return real(file, size);
}
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    if ((ours(from) || ours(to)) && here(RENAME)) die();
    return real(from, to);
}
int unlink(const char *path) {
    REAL(int, unlink, const char *);
    if (ours(path) && here(REMOVE)) die();
    return real(path);
}
int remove(const char *path) {
    REAL(int, remove, const char *);
    if (ours(path) && here(REMOVE)) die();
    return real(path);
}
