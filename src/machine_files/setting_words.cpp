#include "machine_files/setting_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/place_in_text.hpp"

namespace echo::machine_files {
namespace {

// Where the character at this place, from 1, is; the end where there is none.
std::size_t offset_of(std::string_view text, const Place& place) {
  std::size_t at = 0;
  for (std::int32_t line = 1; line < place.line; ++line) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos) return text.size();
    at = newline + 1;
  }
  return std::min(text.size(), at + static_cast<std::size_t>(std::max(place.column - 1, 0)));
}

}  // namespace

std::vector<PlacedWord> words_of(const launch_flags::Setting& setting, std::string_view text) {
  std::vector<PlacedWord> words;
  std::size_t from = offset_of(text, setting.place);
  const std::string& value = setting.value;
  for (std::size_t i = 0; i < value.size();) {
    const std::size_t begin = value.find_first_not_of(' ', i);
    if (begin == std::string::npos) break;
    i = std::min(value.find(' ', begin), value.size());
    PlacedWord word{value.substr(begin, i - begin), setting.place};
    const std::size_t found = text.find(word.text, from);
    if (found != std::string_view::npos) {
      word.place = place_in_text(text, found, setting.place.file, word.text.size());
      from = found + word.text.size();
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::optional<double> number_of(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

const launch_flags::Setting* find(const launch_flags::Settings& settings, std::string_view key) {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [key](const launch_flags::Setting& one) { return one.key == key; });
  return found == settings.rend() ? nullptr : &*found;
}

}  // namespace echo::machine_files
