#pragma once
// True under the address sanitizer, which takes several times the memory and the time.

namespace envdoctor {

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace envdoctor
