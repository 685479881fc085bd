#include "host/system_names.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace envdoctor {
namespace {

#define ENVDOCTOR_NAMED(name) {name, #name},
constexpr std::pair<int, const char*> errors[] = {
// clang-format off
#define ENVDOCTOR_ERRORS(each) \
  each(EPERM) each(ENOENT) each(ESRCH) each(EINTR) each(EIO) each(ENXIO) each(E2BIG) each(ENOEXEC) \
  each(EBADF) \
  each(ECHILD) each(EAGAIN) each(ENOMEM) each(EACCES) each(EFAULT) each(ENOTBLK) each(EBUSY) each(EEXIST) each(EXDEV) \
  each(ENODEV) each(ENOTDIR) each(EISDIR) each(EINVAL) each(ENFILE) each(EMFILE) each(ENOTTY) each(ETXTBSY) each(EFBIG) \
  each(ENOSPC) each(ESPIPE) each(EROFS) each(EMLINK) each(EPIPE) each(EDOM) each(ERANGE) each(EDEADLK) \
  each(ENAMETOOLONG) each(ENOLCK) each(ENOSYS) each(ENOTEMPTY) each(ELOOP) each(ENODATA) each(ETIME) each(ENOLINK) \
  each(ECOMM) each(EPROTO) each(EBADMSG) each(EOVERFLOW) each(EUSERS) each(EOPNOTSUPP) each(ENETDOWN) \
  each(ENETUNREACH) each(ECONNABORTED) each(ECONNRESET) each(ENOBUFS) each(ENOTCONN) each(ESHUTDOWN) each(ETIMEDOUT) \
  each(ECONNREFUSED) each(EHOSTDOWN) each(EHOSTUNREACH) each(EALREADY) each(EINPROGRESS) each(ESTALE) each(EUCLEAN) \
  each(EREMOTEIO) each(EDQUOT) each(ENOMEDIUM) each(EMEDIUMTYPE) each(ECANCELED) each(ENOKEY) each(EKEYEXPIRED) \
  each(EKEYREVOKED) each(EKEYREJECTED) each(ERFKILL) each(EHWPOISON)
    // clang-format on
    ENVDOCTOR_ERRORS(ENVDOCTOR_NAMED)};

constexpr std::pair<int, const char*> signals[] = {
// clang-format off
#define ENVDOCTOR_SIGNALS(each) \
  each(SIGHUP) each(SIGINT) each(SIGQUIT) each(SIGILL) each(SIGTRAP) each(SIGABRT) each(SIGBUS) each(SIGFPE) \
  each(SIGKILL) each(SIGUSR1) each(SIGSEGV) each(SIGUSR2) each(SIGPIPE) each(SIGALRM) each(SIGTERM) each(SIGSTKFLT) \
  each(SIGCHLD) each(SIGCONT) each(SIGSTOP) each(SIGTSTP) each(SIGTTIN) each(SIGTTOU) each(SIGURG) each(SIGXCPU) \
  each(SIGXFSZ) each(SIGVTALRM) each(SIGPROF) each(SIGWINCH) each(SIGPOLL) each(SIGPWR) each(SIGSYS)
    // clang-format on
    ENVDOCTOR_SIGNALS(ENVDOCTOR_NAMED)};

template <class Names>
std::string name_in(const Names& names, int number, const char* otherwise) {
  for (const auto& [value, name] : names) {
    if (value == number) return name;
  }
  return fmt::format("{} {}", otherwise, number);
}

}  // namespace

std::string error_name(int number) { return name_in(errors, number, "errno"); }

std::string signal_name(int number) { return name_in(signals, number, "signal"); }

}  // namespace envdoctor
