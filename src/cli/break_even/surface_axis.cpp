#include "cli/break_even/surface_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "config/toml/did_you_mean.hpp"
#include "simulate/what_if.hpp"

namespace echo::cli {
namespace {

constexpr std::size_t most_points = 64;  // of one axis
constexpr std::array<std::string_view, 3> mean_times{"gpu_mtbf", "node_mtbf", "job_mtbf"};
constexpr int of_steps = 3, as_given = 15;  // digits
constexpr std::size_t usual_points = 7;     // with x1 in the middle

// A value in its parts: "x" of a factor, the number, and the unit behind it.
struct Value {
  std::string before, unit;
  double number = 0.0;
};

std::optional<Value> value_in(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  Value value;
  if (text.starts_with('x')) value.before = "x", text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, value.number);
  if (failed != std::errc() || !std::isfinite(value.number)) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  value.unit = std::string(unit);
  return value;
}

std::string text_of(const std::string& before, double number, const std::string& unit) {
  return fmt::format("{}{}{}{}", before, number, unit.empty() ? "" : " ", unit);
}

[[noreturn]] void refuse(const std::string& axis, const std::string& why) {
  throw UserError("the axis \"" + axis + "\" " + why,
                  "as in nic_rate=100Gb/s..800Gb/s:8, gpu.flops=x0.5,x1,x2 or gpus=64,128,256");
}

// The digits that the text shows are the number.
void add(double number, int digits, SurfaceAxis& axis) {
  const double shown = std::stod(fmt::format("{:.{}g}", number, digits));
  const AxisPoint point{text_of(axis.before, shown, axis.unit), shown};
  const auto is_same = [&](const AxisPoint& other) { return other.text == point.text; };
  if (std::ranges::none_of(axis.points, is_same)) axis.points.push_back(point);
}

// At equal ratios.
void add_range(double from, double to, std::size_t count, SurfaceAxis& axis) {
  const bool is_whole = axis.key == "space.gpus";
  for (std::size_t i = 0; i < count; ++i) {
    const double number = from * std::pow(to / from, static_cast<double>(i) / static_cast<double>(count - 1));
    const bool is_end = i == 0 || i + 1 == count;
    add(is_whole ? std::round(number) : number, is_end || is_whole ? as_given : of_steps, axis);
  }
}

// Takes the unit of the first value; the others have the same.
double number_in(const std::string& whole, std::string_view text, bool is_first, SurfaceAxis& axis) {
  const auto value = value_in(text);
  if (!value) refuse(whole, "has a value that is no number: \"" + std::string(text) + "\"");
  if (is_first) axis.before = value->before, axis.unit = value->unit;
  if (value->before != axis.before || value->unit != axis.unit)
    refuse(whole, "has values in different units");
  return value->number;
}

// "100Gb/s..800Gb/s:8"
void read_range(const std::string& whole, std::string_view text, std::size_t dots, SurfaceAxis& axis) {
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  const double from = number_in(whole, text.substr(0, dots), true, axis);
  const double to = number_in(whole, text.substr(dots + 2, colon - dots - 2), false, axis);
  std::size_t count = usual_points;
  if (colon < text.size()) {
    const char* const end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data() + colon + 1, end, count);
    if (failed != std::errc() || rest != end) refuse(whole, "has no number of values behind \":\"");
  }
  if (!(from > 0.0 && to > 0.0)) refuse(whole, "has no two numbers above 0 around \"..\"");
  if (count < 2 || count > most_points)
    refuse(whole, fmt::format("has {} values; a range has 2 to {}", count, most_points));
  add_range(from, to, count, axis);
}

void read_list(const std::string& whole, std::string_view text, SurfaceAxis& axis) {
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add(number_in(whole, text.substr(0, comma), is_first, axis), as_given, axis);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (axis.points.empty() || axis.points.size() > most_points)
    refuse(whole, fmt::format("has {} values; a list has 1 to {}", axis.points.size(), most_points));
}

// The key that --set takes for a name that stands alone: "nic_rate".
std::optional<std::string> key_of(const std::string& name) {
  if (name == "gpus") return "space.gpus";
  if (std::ranges::find(mean_times, name) != mean_times.end()) return "reliability." + name;
  if (name.find('.') != std::string::npos) return name;
  for (const auto kind : {simulate::HardwareKind::gpu, simulate::HardwareKind::cluster})
    if (const auto* field = simulate::find_hardware_field(kind, name))
      return (kind == simulate::HardwareKind::gpu ? "gpu." : "cluster.") + std::string(field->name);
  return std::nullopt;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const simulate::HardwareField& field : simulate::hardware_fields()) names.emplace_back(field.name);
  names.insert(names.end(), {"gpus", "price"});
  names.insert(names.end(), mean_times.begin(), mean_times.end());
  return names;
}

bool is_hardware(const std::string& key) {
  return std::ranges::any_of(std::to_array<std::string_view>({"gpu.", "gpus.", "cluster.", "clusters."}),
                             [&](std::string_view kind) { return key.starts_with(kind); });
}

}  // namespace

SurfaceAxis surface_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  SurfaceAxis axis;
  axis.asked = text.substr(0, equals);
  if (axis.asked == "price" || axis.asked.starts_with("price.")) {
    axis.kind = SurfaceAxis::Kind::price;
    axis.key = axis.asked == "price" ? "" : axis.asked.substr(axis.asked.find('.') + 1);
  } else if (const auto key = key_of(axis.asked)) {
    axis.key = *key;
  } else {
    throw UserError("there is no axis \"" + axis.asked + "\"",
                    config::suggest(axis.asked, known_names(), "axes") +
                        "; or a key of the sweep, as in target.tokens=1T,2T");
  }
  if (equals == std::string::npos) {
    if (axis.kind == SurfaceAxis::Kind::set && !is_hardware(axis.key)) refuse(text, "needs values");
    axis.before = "x";
    add_range(0.5, 2.0, usual_points, axis);
    return axis;
  }
  const std::string_view values = std::string_view(text).substr(equals + 1);
  const std::size_t dots = values.find("..");
  if (dots == std::string_view::npos)
    read_list(text, values, axis);
  else
    read_range(text, values, dots, axis);
  return axis;
}

std::string SurfaceAxis::text_at(double number) const { return text_of(before, number, unit); }

std::string set_of(const SurfaceAxis& axis, std::size_t point) {
  const std::string& text = axis.points.at(point).text;
  if (axis.kind == SurfaceAxis::Kind::set) return axis.key + "=" + text;
  return "economics.gpu_hour" + (axis.key.empty() ? "" : "." + axis.key) + "=" + text;
}

}  // namespace echo::cli
