// Preloaded: simulates NVIDIA's kernel module at /dev/nvidiactl, so that the vendor's real libraries take the paths
// that they take on a host whose module has another version or refuses. No other call is supported.
//   NVIDIA_MODULE_VERSION=535.104.05  the check of versions answers this version
//   NVIDIA_MODULE_ERRNO=13            opening the node fails so
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// nv-ioctl.h and nv-ioctl-numbers.h of NVIDIA's open kernel modules: nv_ioctl_rm_api_version_t.
struct version_check {
  unsigned command, reply;
  char version[64];
};
enum { check_version = 210, reply_recognized = 1 };

static int node = -1;

// A program may also open what a descriptor of its own names.
static int is_node(const char* path) {
  char target[32] = "";
  if (path && strncmp(path, "/proc/self/fd/", 14) == 0 && readlink(path, target, sizeof target - 1) > 0) path = target;
  return path && strcmp(path, "/dev/nvidiactl") == 0;
}

static int open_node(void) {
  const char* error = getenv("NVIDIA_MODULE_ERRNO");
  if (error) {
    errno = atoi(error);
    return -1;
  }
  return node = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
}

#define OPENS(name)                                                                                \
  int name(const char* path, int flags, ...) {                                                     \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    const int mode = va_arg(more, int);                                                            \
    va_end(more);                                                                                  \
    return is_node(path) && !(flags & O_PATH) ? open_node() : openat(AT_FDCWD, path, flags, mode); \
  }
OPENS(open)
OPENS(open64)

int ioctl(int descriptor, unsigned long request, ...) {
  va_list more;
  va_start(more, request);
  void* argument = va_arg(more, void*);
  va_end(more);
  const char* version = getenv("NVIDIA_MODULE_VERSION");
  if (descriptor == node && version && (request & 0xff) == check_version) {
    struct version_check* check = argument;
    if (strcmp(check->version, version) == 0) {
      check->reply = reply_recognized;
      return 0;
    }
    check->reply = 0;
    strncpy(check->version, version, sizeof check->version - 1);
    errno = EINVAL;
    return -1;
  }
  if (descriptor == node && node >= 0) {
    errno = EIO;
    return -1;
  }
  int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  return next(descriptor, request, argument);
}
