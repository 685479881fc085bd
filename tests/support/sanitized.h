#pragma once
// True under the address sanitizer, which takes several times the memory and the time.

namespace envdoctor {

#if defined(__has_feature)  // clang
constexpr bool sanitized = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)  // g++
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace envdoctor
