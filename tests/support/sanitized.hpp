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

// Why a test is left out under sanitizers.
inline constexpr auto statistics = "a question of statistics, which the release build answers";

// How many of `all` random trials are made: sanitizers see in a tenth of them what they see in all.
template <class Count>
constexpr Count trials(Count all) {
  return is_sanitized ? (all + 9) / 10 : all;
}

}  // namespace echo::support
