/* Preloaded into a process: records its operations on the files of one folder, in order, with content.
 *
 * A record: one letter, the file's inode, an offset, two lengths, two texts.
 *   C name     a file was made          W offset content   it was written to     T offset   cut or grown to that length
 *   S          it was synced            D name             that folder was synced ("" is the outermost)
 *   R old new  renamed                  U name             removed                 M name     a folder was made
 * Environment: RECORD_FOLDER (its real path), RECORD_TO (where the records go). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*plain_write)(int, const void *, size_t);
static int (*plain_open)(const char *, int, ...);
static int log_fd = -1;

static const char *inside(const char *path) {
    const char *folder = getenv("RECORD_FOLDER");
    size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(path, folder, length) || (path[length] != '/' && path[length])) return NULL;
    return path[length] ? path + length + 1 : path + length;
}

static const char *name_of(int fd, char *buffer, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, buffer, size - 1);
    if (length < 0) return NULL;
    buffer[length] = 0;
    return inside(buffer);
}

/* Return the path within the recorded folder, or NULL; it may be relative to an open folder. */
static const char *at(int fd, const char *path, char *buffer, size_t size) {
    if (*path == '/' || fd == AT_FDCWD) return inside(path);
    const char *folder = name_of(fd, buffer, size);
    if (!folder) return NULL;
    if (*folder) strncat(buffer, "/", size - strlen(buffer) - 1);
    else strcat(buffer, "/"), folder = buffer + strlen(buffer);
    strncat(buffer, path, size - strlen(buffer) - 1);
    return folder;
}

static void put(const void *what, size_t length) {
    const char *at = what;
    while (length) {
        ssize_t done = plain_write(log_fd, at, length);
        if (done <= 0) abort();
        at += done, length -= done;
    }
}

static void record(char kind, uint64_t inode, int64_t offset, const void *one, uint32_t size, const char *two) {
    pthread_mutex_lock(&turn);
    if (!plain_write) plain_write = dlsym(RTLD_NEXT, "write");
    if (!plain_open) plain_open = dlsym(RTLD_NEXT, "open");
    if (log_fd < 0) log_fd = plain_open(getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    uint32_t sizes[2] = {size, two ? (uint32_t)strlen(two) : 0};
    put(&kind, 1), put(&inode, 8), put(&offset, 8), put(sizes, 8), put(one, size), put(two, sizes[1]);
    pthread_mutex_unlock(&turn);
}

static uint64_t inode_of(int fd, int64_t *size) {
    struct stat found;
    if (fstat(fd, &found)) return 0;
    if (size) *size = found.st_size;
    return found.st_ino;
}

static int opened(int fd, int flags, int was_there) {
    char buffer[4096];
    const char *name = fd < 0 ? NULL : name_of(fd, buffer, sizeof buffer);
    if (name && *name && (flags & O_CREAT) && !was_there)
        record('C', inode_of(fd, NULL), 0, name, strlen(name), NULL);
    else if (name && *name && (flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY)
        record('T', inode_of(fd, NULL), 0, NULL, 0, NULL);
    return fd;
}

#define OPEN(symbol) \
    int symbol(const char *path, int flags, ...) { \
        REAL(int, symbol, const char *, int, ...); \
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
        int there = !access(path, F_OK); \
        return opened(real(path, flags, mode), flags, there); \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(symbol) \
    int symbol(int at, const char *path, int flags, ...) { \
        REAL(int, symbol, int, const char *, int, ...); \
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
        int there = !faccessat(at, path, F_OK, 0); \
        return opened(real(at, path, flags, mode), flags, there); \
    }
OPENAT(openat)
OPENAT(openat64)

static void written(int fd, int64_t offset, const void *content, ssize_t done) {
    char buffer[4096];
    const char *name = done > 0 ? name_of(fd, buffer, sizeof buffer) : NULL;
    if (name && *name) record('W', inode_of(fd, NULL), offset, content, done, NULL);
}

ssize_t write(int fd, const void *content, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    ssize_t done = real(fd, content, size);
    written(fd, lseek(fd, 0, SEEK_CUR) - done, content, done);
    return done;
}
#define PWRITE(symbol) \
    ssize_t symbol(int fd, const void *content, size_t size, off_t offset) { \
        REAL(ssize_t, symbol, int, const void *, size_t, off_t); \
        ssize_t done = real(fd, content, size, offset); \
        written(fd, offset, content, done); \
        return done; \
    }
PWRITE(pwrite)
PWRITE(pwrite64)
#define TRUNCATE(symbol) \
    int symbol(int fd, off_t size) { \
        REAL(int, symbol, int, off_t); \
        char buffer[4096]; \
        int status = real(fd, size); \
        const char *name = status ? NULL : name_of(fd, buffer, sizeof buffer); \
        if (name && *name) record('T', inode_of(fd, NULL), size, NULL, 0, NULL); \
        return status; \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)
#define SYNC(symbol) \
    int symbol(int fd) { \
        REAL(int, symbol, int); \
        char buffer[4096]; \
        int status = real(fd); \
        struct stat found; \
        const char *name = status || fstat(fd, &found) ? NULL : name_of(fd, buffer, sizeof buffer); \
        if (name && S_ISDIR(found.st_mode)) record('D', found.st_ino, 0, name, strlen(name), NULL); \
        else if (name) record('S', found.st_ino, 0, NULL, 0, NULL); \
        return status; \
    }
SYNC(fsync)
SYNC(fdatasync)

static int named(int status, char kind, const char *name, const char *second) {
    if (!status && name) record(kind, 0, 0, name, strlen(name), second);
    return status;
}
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return named(real(from, to), 'R', inside(from), inside(to));
}
int renameat(int a, const char *from, int b, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    char one[4096], two[4096];
    return named(real(a, from, b, to), 'R', at(a, from, one, sizeof one), at(b, to, two, sizeof two));
}
int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return named(real(path), 'U', inside(path), NULL);
}
int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    char buffer[4096];
    return named(real(folder, path, flags), 'U', at(folder, path, buffer, sizeof buffer), NULL);
}
int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return named(real(path, mode), 'M', inside(path), NULL);
}
