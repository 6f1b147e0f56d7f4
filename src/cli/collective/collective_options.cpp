#include "cli/collective/collective_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/units.hpp"

namespace echo::cli {
namespace {

std::string bare(std::string_view text) {  // lower case, letters and digits
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

double quantity(const std::string& text, config::UnitKind kind, std::string_view what) {
  config::UnitProblem problem;
  const auto value = config::parse_quantity(text, kind, what, problem);
  if (!value) throw UserError(problem.what, problem.remedy);
  return static_cast<double>(*value);
}

template <class Names>
std::optional<std::size_t> find_bare(const Names& names, const std::string& text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (bare(names[i]) == bare(text)) return i;
  return std::nullopt;
}

template <class Names>
UserError unknown(const Names& names, const std::string& text, const std::string& what) {
  const std::vector<std::string> known(names.begin(), names.end());
  return {"unknown " + what + " \"" + text + "\"", config::suggest(text, known, "known")};
}

std::int64_t size_of(const std::string& text) {
  const std::string word(config::trimmed(text));
  double number = 0.0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(word.data() + word.size() - end));
  const std::size_t power = std::string_view("KMGT").find(suffix.empty() ? 'B' : suffix.front());
  double bytes = number;
  if (failed != std::errc() || (suffix.size() > 1 && suffix != "KB"))
    bytes = quantity(word, config::UnitKind::bytes, "a size");
  else if (suffix.size() == 1 && power == std::string_view::npos && suffix != "B")
    throw UserError("\"" + word + "\" is not a size", "write 8, 64K, 1M, 8G, or \"64 MiB\"");
  else if (suffix.size() == 1 && suffix != "B")
    bytes = number * std::pow(1024.0, static_cast<double>(power + 1));
  if (!(bytes >= 1.0 && bytes < 1e15))
    throw UserError("\"" + word + "\" is not a size between 1 byte and 1 PB", "write 8, 64K, 1M or 8G");
  return std::llround(bytes);
}

textbook::Dimension dimension_of(const std::string& text) {
  const std::string form = "write it as Ring(8) 450 GB/s 100 ns";
  const auto open = text.find('('), close = text.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open)
    throw UserError("\"" + text + "\" is not a dimension", form);
  const std::string kind(config::trimmed(std::string_view(text).substr(0, open)));
  const auto found = find_bare(textbook::dimension_kind_names, kind);
  if (!found) throw unknown(textbook::dimension_kind_names, kind, "kind of dimension");
  textbook::Dimension d{.kind = static_cast<textbook::DimensionKind>(*found)};
  const std::string size = text.substr(open + 1, close - open - 1);
  const auto [end, failed] = std::from_chars(size.data(), size.data() + size.size(), d.size);
  if (failed != std::errc() || end != size.data() + size.size() || d.size < 2 || d.size > 65536)
    throw UserError("\"" + size + "\" is not a number of GPUs along a dimension", "use 2 to 65536");
  std::vector<std::string> words =
      split(std::string(config::trimmed(std::string_view(text).substr(close + 1))), ' ');
  std::erase(words, "");
  if (words.size() != 4)
    throw UserError("\"" + text + "\" needs a bandwidth and a latency after the size", form);
  d.bandwidth = BytesPerSecond(
      quantity(words[0] + " " + words[1], config::UnitKind::bytes_per_second, "the bandwidth"));
  d.latency = from_seconds(quantity(words[2] + " " + words[3], config::UnitKind::duration, "the latency"));
  return d;
}

}  // namespace

ops::CollectiveKind collective_named(const std::string& text) {
  const std::size_t host = static_cast<std::size_t>(ops::CollectiveKind::host_copy);
  const std::vector<std::string> names(
      ops::collective_kind_names.begin(),
      ops::collective_kind_names.begin() + static_cast<std::ptrdiff_t>(host));
  const auto found = find_bare(names, text);
  if (!found) throw unknown(names, text, "collective");
  return static_cast<ops::CollectiveKind>(*found);
}

std::vector<std::int64_t> sizes_of(const std::string& text) {
  std::vector<std::int64_t> sizes;
  if (text.find(':') == std::string::npos) {
    for (const std::string& one : split(text, ',')) sizes.push_back(size_of(one));
    return sizes;
  }
  const auto parts = split(text, ':');
  const std::int64_t first = size_of(parts[0]), last = size_of(parts[1]);
  const std::int64_t factor = parts.size() == 3 ? size_of(parts[2]) : 2;
  if (parts.size() > 3 || factor < 2 || last < first)
    throw UserError("\"" + text + "\" is not a range of sizes",
                    "write FIRST:LAST or FIRST:LAST:FACTOR, as in 8:8G");
  for (std::int64_t size = first; size <= last; size *= factor) sizes.push_back(size);
  return sizes;
}

std::vector<textbook::Dimension> dimensions_named(const std::string& text) {
  std::vector<textbook::Dimension> all;
  for (const std::string& one : split(text, ','))
    all.push_back(dimension_of(std::string(config::trimmed(one))));
  if (all.size() > 1) all.back().reach = textbook::Reach::scale_out;
  return all;
}

simulate::Contention contention_named(const std::string& text) {
  const auto word = find_bare(simulate::contention_names, text);
  if (!word) throw unknown(simulate::contention_names, text, "value of --contention");
  return static_cast<simulate::Contention>(*word);
}

void set_axis(training::TrainingConfig& config, training::Axis axis, const std::string& text,
              const std::string& option) {
  const training::AxisInfo& info = training::info_of(axis);
  const training::AxisMember& member = training::member_of(axis);
  if (info.kind == training::AxisKind::word) {
    const auto word = find_bare(member.words, text);
    if (!word) throw unknown(member.words, text, "value of " + option);
    member.set(config, static_cast<std::int32_t>(*word));
    return;
  }
  if (info.kind == training::AxisKind::ratio) {
    double ratio = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), ratio);
    if (failed != std::errc() || end != text.data() + text.size() || !(ratio > 0) ||
        ratio * 1000 > info.highest)
      throw UserError(option + " takes a number above 0 and up to " + std::to_string(info.highest / 1000) +
                          ", not \"" + text + "\"",
                      "leave it out for the cluster's own");
    member.set(config, static_cast<std::int32_t>(std::lround(ratio * 1000)));
    return;
  }
  std::int32_t number = -1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < 0 || number > info.highest)
    throw UserError(
        option + " takes a whole number up to " + std::to_string(info.highest) + ", not \"" + text + "\"",
        "0 leaves it to the library");
  member.set(config, number);
}

}  // namespace echo::cli
