#include "profilers/overlap/metric_text.hpp"

#include <fmt/core.h>

#include <charconv>
#include <limits>

namespace echo::profilers {

namespace {

constexpr std::string_view metrics_word = "metrics ", failure_word = "failure ", done_word = "done";

// Removes the next word of the line and returns it.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

template <class Number>
bool read_number(std::string_view word, Number& out) {
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), out);
  return problem == std::errc{} && end == word.data() + word.size();
}

bool read_metrics(std::string_view line, CollectedMetrics& out) {
  std::int32_t kernel = 0;
  MetricValues values{};
  if (!read_number(take_word(line), kernel) || kernel < 0) return false;
  for (double& value : values)
    if (!read_number(take_word(line), value)) return false;
  if (!line.empty()) return false;
  out.of_kernel[kernel] = values;
  return true;
}

}  // namespace

std::string metric_line(std::int32_t kernel, const MetricValues& values) {
  std::string line = fmt::format("{}{}", metrics_word, kernel);
  for (const double value : values) line += fmt::format(" {}", value);
  return line + "\n";
}

std::string failure_line(std::string_view why) {
  std::string line = fmt::format("{}{}", failure_word, why);
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line + "\n";
}

std::string done_line() { return std::string(done_word) + "\n"; }

CollectedMetrics read_metric_text(std::string_view text, std::string_view ended) {
  CollectedMetrics out{.of_kernel = {}, .failure = std::string(ended)};
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return out;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with(metrics_word)) {
      line.remove_prefix(metrics_word.size());
      read_metrics(line, out);
    } else if (line.starts_with(failure_word)) {
      out.failure = line.substr(failure_word.size());
    } else if (line == done_word) {
      out.failure.clear();
    }
  }
}

}  // namespace echo::profilers
