#include "training/version_number.hpp"

#include <array>
#include <charconv>

namespace echo::training {

std::optional<std::int32_t> version_number(const std::string& text) {
  std::array<std::int32_t, 3> part{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto [next, failed] = std::from_chars(at, end, part[i]);
    if (failed != std::errc() || part[i] < 0 || part[i] > 99) return std::nullopt;
    at = next;
    if (i + 1 < part.size() && (at == end || *at++ != '.')) return std::nullopt;
  }
  if (at != end || part[0] != 2) return std::nullopt;
  if (part[1] < 9) return part[0] * 1000 + part[1] * 100 + part[2];  // NCCL_VERSION in nccl.h
  return part[0] * 10000 + part[1] * 100 + part[2];
}

}  // namespace echo::training
