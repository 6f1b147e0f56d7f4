#include "trace_io/io/picoseconds.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace echo::trace_io {

std::optional<std::int64_t> thousandths_of(std::string_view text) {
  constexpr std::int64_t most = 9'000'000'000'000'000;
  const char* const last = text.data() + text.size();
  std::int64_t whole = 0;
  const auto [end, code] = std::from_chars(text.data(), last, whole);
  if (code == std::errc{} && (end == last || *end == '.') && std::abs(whole) <= most) {
    std::int64_t fraction = 0;
    std::int32_t digits = 0;
    const char* place = end;
    if (place != last)
      for (++place; place != last && *place >= '0' && *place <= '9'; ++place)
        if (digits < 3) fraction = fraction * 10 + (*place - '0'), ++digits;
    for (; digits < 3; ++digits) fraction *= 10;
    if (place == last) return whole * 1000 + (text.front() == '-' ? -fraction : fraction);
  }
  double real = 0.0;  // with an exponent
  const auto [stop, fault] = std::from_chars(text.data(), last, real);
  if (fault != std::errc{} || stop != last || !(std::fabs(real) <= static_cast<double>(most)))
    return std::nullopt;
  return std::llround(real * 1e3);
}

std::optional<SimTime> picoseconds_of_nanoseconds(std::string_view text) {
  const auto value = thousandths_of(text);
  return value ? std::optional(SimTime(*value)) : std::nullopt;
}

std::string nanoseconds_text(SimTime time) {
  const std::int64_t whole = time.count() / 1000, fraction = time.count() % 1000;
  std::string out = std::to_string(whole);
  if (fraction == 0) return out;
  out += fmt::format(".{:03}", fraction);
  while (out.back() == '0') out.pop_back();
  return out;
}

}  // namespace echo::trace_io
