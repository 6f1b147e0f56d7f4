#include "storage/profile_values.hpp"

#include <cmath>
#include <limits>

namespace echo::storage {
namespace {

using kernels::Measurement;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double known_or_missing(double value) { return value > 0.0 ? value : missing; }
double known_or_zero(double value) { return std::isnan(value) ? 0.0 : value; }

}  // namespace

std::optional<ProfileAccess> profile_access(std::string_view column) {
  using M = Measurement;
  if (column == "gpu")
    return ProfileAccess{[](const M& m) { return static_cast<double>(m.gpu); },
                         [](M& m, double v) { m.gpu = static_cast<std::int32_t>(v); }};
  if (column == "duration")
    return ProfileAccess{[](const M& m) { return m.seconds; }, [](M& m, double v) { m.seconds = v; }};
  if (column == "spread")
    return ProfileAccess{[](const M& m) { return known_or_missing(m.spread); },
                         [](M& m, double v) { m.spread = known_or_zero(v); }};
  if (column == "clock")
    return ProfileAccess{[](const M& m) { return known_or_missing(m.clock_mhz); },
                         [](M& m, double v) { m.clock_mhz = known_or_zero(v); }};
  if (column == "scope")
    return ProfileAccess{[](const M& m) { return static_cast<double>(m.scope); },
                         [](M& m, double v) { m.scope = static_cast<kernels::RowScope>(v); }};
  if (column == "sustained")
    return ProfileAccess{[](const M& m) { return m.sustained ? 1.0 : 0.0; },
                         [](M& m, double v) { m.sustained = v != 0.0; }};
  if (column == "origin")
    return ProfileAccess{[](const M& m) { return static_cast<double>(m.origin); },
                         [](M& m, double v) { m.origin = static_cast<std::int32_t>(v); }};
  return std::nullopt;
}

}  // namespace echo::storage
