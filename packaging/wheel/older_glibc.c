// Lets the programs of the wheel run with a glibc that is older than the one they are compiled with:
// functions that the older one does not have. packaging/wheel/glibc_stubs.py makes the linker take
// old versions of all others.
#define _GNU_SOURCE
#include <errno.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// glibc 2.32: false is always right, as a shared_ptr then counts with atomic operations.
char __libc_single_threaded = 0;

// glibc 2.30.
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// Moves `deadline` from `clock` to the clock that glibc 2.28 waits with.
static struct timespec ToRealtime(clockid_t clock, const struct timespec* deadline) {
  struct timespec now, realtime;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &realtime);
  realtime.tv_sec += deadline->tv_sec - now.tv_sec;
  realtime.tv_nsec += deadline->tv_nsec - now.tv_nsec;
  if (realtime.tv_nsec < 0) {
    realtime.tv_nsec += 1000000000;
    --realtime.tv_sec;
  } else if (realtime.tv_nsec >= 1000000000) {
    realtime.tv_nsec -= 1000000000;
    ++realtime.tv_sec;
  }
  if (realtime.tv_sec < 0) realtime.tv_sec = realtime.tv_nsec = 0;
  return realtime;
}

// glibc 2.30. If the system's time is set during the wait, callers wait longer or shorter by that
// much; all of ours test their condition in a loop.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* deadline) {
  const struct timespec realtime = ToRealtime(clock, deadline);
  return pthread_cond_timedwait(condition, mutex, &realtime);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const struct timespec* deadline) {
  const struct timespec realtime = ToRealtime(clock, deadline);
  return pthread_mutex_timedlock(mutex, &realtime);
}

// glibc 2.33 made functions of what were macros around these.
int __xstat(int version, const char* path, struct stat* result);
int __lxstat(int version, const char* path, struct stat* result);
int __fxstat(int version, int file, struct stat* result);
int __fxstatat(int version, int folder, const char* path, struct stat* result, int flags);
enum { kStatVersion = 1 };  // _STAT_VER_LINUX on 64-bit systems.
int stat(const char* path, struct stat* result) { return __xstat(kStatVersion, path, result); }
int lstat(const char* path, struct stat* result) { return __lxstat(kStatVersion, path, result); }
int fstat(int file, struct stat* result) { return __fxstat(kStatVersion, file, result); }
int fstatat(int folder, const char* path, struct stat* result, int flags) {
  return __fxstatat(kStatVersion, folder, path, result, flags);
}

int stat64(const char* path, struct stat64* result) {
  return __xstat(kStatVersion, path, (struct stat*)result);
}
int lstat64(const char* path, struct stat64* result) {
  return __lxstat(kStatVersion, path, (struct stat*)result);
}
int fstat64(int file, struct stat64* result) {
  return __fxstat(kStatVersion, file, (struct stat*)result);
}

// glibc 2.32.
const char* sigabbrev_np(int signal) {
  static const char* const kNames[] = {
      NULL,   "HUP",  "INT",  "QUIT", "ILL",  "TRAP", "ABRT", "BUS",    "FPE",  "KILL", "USR1",
      "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
      "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS"};
  return signal > 0 && signal < (int)(sizeof kNames / sizeof *kNames) ? kNames[signal] : NULL;
}

// glibc 2.30.
ssize_t getdents64(int file, void* buffer, size_t size) {
  return syscall(SYS_getdents64, file, buffer, size);
}

// glibc 2.36.
uint32_t arc4random(void) {
  uint32_t value;
  size_t filled = 0;
  while (filled < sizeof value) {
    const ssize_t got = getrandom((char*)&value + filled, sizeof value - filled, 0);
    if (got < 0 && errno != EINTR) abort();
    if (got > 0) filled += (size_t)got;
  }
  return value;
}

#ifdef CBOARD_PROGRAM
// Before glibc 2.34, the startup code of a program ran its constructors; since then glibc does, and
// the startup code that a newer compiler links leaves them to it. The linker's --wrap=main calls
// this function in place of main.
typedef void Constructor(int argc, char** argv, char** environment);
extern Constructor* __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor* __init_array_end[] __attribute__((visibility("hidden")));
int __real_main(int argc, char** argv, char** environment);
int __wrap_main(int argc, char** argv, char** environment) {
  char* minor;
  const long major = strtol(gnu_get_libc_version(), &minor, 10);
  if (major == 2 && strtol(minor + 1, NULL, 10) < 34) {
    for (Constructor** each = __init_array_start; each != __init_array_end; ++each) {
      (*each)(argc, argv, environment);
    }
  }
  return __real_main(argc, argv, environment);
}
#endif
