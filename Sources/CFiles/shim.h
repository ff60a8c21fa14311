#pragma once
// renameat2(2), a GNU extension of stdio.h, which Swift reads without _GNU_SOURCE, and statfs(2), which its Glibc lacks.
#include <fcntl.h>
#include <stdint.h>
#include <sys/vfs.h>
extern int renameat2(int directory, const char *path, int other_directory, const char *other,
                     unsigned int flags);

/// Gives two files or directories each other's name, at once.
static inline int files_exchange(const char *path, const char *other) {
    const unsigned int rename_exchange = 1U << 1;
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, rename_exchange);
}

/// Returns the number of a path's file system, as in statfs(2); 0 if it is unknown.
static inline uint32_t files_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (uint32_t)status.f_type : 0;
}
