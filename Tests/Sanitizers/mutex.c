// Reports to the thread sanitizer the locking and unlocking of Swift's Mutex that it cannot see.
//
// The first attempt to lock is compiled into the program, and the sanitizer sees it. If threads contend for the
// lock, the rest happens in libswiftSynchronization.so and in the kernel (futex), and the sanitizer reports a race
// on the data that the lock protects. A program that is linked with this calls these functions, which call the
// library's. Unprotected data still counts as a race.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

// Everything before the last release at an address happened before everything after an acquire there.
extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

typedef SWIFT void Lock(uint32_t thread, SELF);
typedef SWIFT bool TryLock(SELF);
typedef SWIFT void Unlock(SELF);

// The functions that the program calls, under Swift's names.
Lock lockAndReport __asm__(LOCK);
TryLock tryLockAndReport __asm__(TRY_LOCK);
Unlock reportAndUnlock __asm__(UNLOCK);

static Lock *lock;
static TryLock *tryLock;
static Unlock *unlock;

__attribute__((constructor)) static void findOriginals(void) {
    lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
    tryLock = (TryLock *)dlsym(RTLD_NEXT, TRY_LOCK);
    unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lockAndReport(uint32_t thread, SELF) {
    lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool tryLockAndReport(SELF) {
    bool isLocked = tryLock(mutex);
    if (isLocked) __tsan_acquire(mutex);
    return isLocked;
}

SWIFT void reportAndUnlock(SELF) {
    __tsan_release(mutex);
    unlock(mutex);
}
