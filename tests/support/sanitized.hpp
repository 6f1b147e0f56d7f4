// Built with AddressSanitizer, as g++ and clang say it. Unoptimised and sanitized, some tests take fifty
// times as long.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ECHO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ECHO_SANITIZED 1
#endif
#endif

namespace echo::support {

#if defined(ECHO_SANITIZED)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace echo::support
