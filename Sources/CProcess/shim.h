#pragma once
// SCHED_BATCH, which the C library's sched.h has only for _GNU_SOURCE.
#include <linux/sched.h>
// prctl(2) takes a variable number of arguments, and Swift cannot call such functions.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int process_set_dumpable(int is_dumpable) {
    return prctl(PR_SET_DUMPABLE, (unsigned long)is_dumpable, 0UL, 0UL, 0UL);
}

static inline int process_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

static inline int process_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

// A descriptor of a process, which is readable once it has ended.
static inline int process_open(int process_id) { return (int)syscall(SYS_pidfd_open, process_id, 0U); }
