#pragma once
// renameat2(2), a GNU extension of stdio.h, which Swift reads without _GNU_SOURCE.
#include <fcntl.h>
extern int renameat2(int directory, const char *path, int other_directory, const char *other,
                     unsigned int flags);

/// Gives two files or directories each other's name, at once.
static inline int files_exchange(const char *path, const char *other) {
    const unsigned int rename_exchange = 1U << 1;
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, rename_exchange);
}
