#include "text/show_quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace echo::text {

std::string show_time(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const double size = std::abs(seconds);
  if (size >= 1.0 || size == 0.0) return fmt::format("{:.3f} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string show_duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string show_days(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.1f} d", seconds / 86400.0) : "-";
}

std::string show_energy(double joules) {
  if (!std::isfinite(joules)) return "-";
  const double kwh = joules / 3.6e6;
  if (kwh >= 1e6) return fmt::format("{:.2f} GWh", kwh / 1e6);
  return kwh >= 1e3 ? fmt::format("{:.1f} MWh", kwh / 1e3) : fmt::format("{:.2f} kWh", kwh);
}

std::string show_mass(double kilograms) {
  if (!std::isfinite(kilograms)) return "-";
  return kilograms >= 1e3 ? fmt::format("{:.1f} t", kilograms / 1e3) : fmt::format("{:.0f} kg", kilograms);
}

std::string show_amount(double amount) {
  if (!std::isfinite(amount)) return "-";
  return std::abs(amount) >= 100.0 ? show_count(std::llround(amount)) : fmt::format("{:.2f}", amount);
}

std::string show_gib(double bytes) {
  return std::isfinite(bytes) ? fmt::format("{:.1f} GiB", bytes / 1073741824.0) : "-";
}

std::string show_share(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f} %", fraction * 100.0) : "-";
}

std::string show_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), " ");
  }
  return digits;
}

std::string show_bar(double share, int width) {
  if (!std::isfinite(share)) return "";
  const auto length = std::llround(std::clamp(share, 0.0, 1.0) * width);
  return std::string(static_cast<std::size_t>(length), '#');
}

}  // namespace echo::text
