#include "tests/fuzz/mutations.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/counter_rng.hpp"

namespace echo::fuzz {

namespace {

constexpr std::array<std::string_view, 34> bad_words{"0",
                                                     "-1",
                                                     "1",
                                                     "2147483647",
                                                     "2147483648",
                                                     "-2147483649",
                                                     "4294967296",
                                                     "9223372036854775807",
                                                     "-9223372036854775808",
                                                     "18446744073709551616",
                                                     "1000000000000",
                                                     "1e308",
                                                     "1e-320",
                                                     "1e999",
                                                     "NaN",
                                                     "Infinity",
                                                     "0.1",
                                                     "null",
                                                     "true",
                                                     "\"\"",
                                                     "[]",
                                                     "{}",
                                                     "\"\\u0000\"",
                                                     "\"\\ud800\"",
                                                     "\xff\xfe",
                                                     "\xe2\x80\xae",
                                                     "\x1b[31m",
                                                     "\r\n",
                                                     ",",
                                                     "\"",
                                                     "[[[[[[[[[[",
                                                     "a.a.a.a.a.a.a.a.a.a",
                                                     "..",
                                                     "../../../../etc/passwd"};

class Mutation {
 public:
  Mutation(const std::vector<std::string>& seeds, std::uint64_t number) : seeds_(seeds), number_(number) {}

  std::string whole() {
    std::string text = any_seed();
    const std::uint64_t changes = 1 + below(8);
    for (std::uint64_t i = 0; i < changes; ++i) change(text);
    text.resize(std::min(text.size(), most_bytes));
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : draw(number_, 1, next_++) % end; }
  const std::string& any_seed() { return seeds_[below(seeds_.size())]; }
  std::size_t place_in(const std::string& text) { return below(text.size() + 1); }
  // Short most of the time.
  std::size_t length_in(const std::string& text, std::size_t from) {
    const std::size_t left = text.size() - from;
    return below(std::min<std::size_t>(left, below(4) == 0 ? left : 16) + 1);
  }

  void change(std::string& text) {
    const std::size_t at = place_in(text);
    switch (below(12)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.erase(at, length_in(text, at));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, bad_words[below(bad_words.size())]);
        break;
      case 5:
        replace_word(text, at);
        break;
      case 6:
        text.insert(place_in(text), text.substr(at, length_in(text, at)));
        break;
      case 7:
        repeat(text, at);
        break;
      case 8:
        swap_lines(text);
        break;
      case 9: {
        const std::string& other = any_seed();
        const std::size_t from = place_in(other);
        text.insert(at, other, from, length_in(other, from));
        break;
      }
      case 10:
        nest(text, at);
        break;
      default:
        for (std::uint64_t i = below(16) + 1; i > 0; --i)
          text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), static_cast<char>(below(256)));
    }
  }

  // What stands at `at` up to the next separator, or the number, or the string.
  void replace_word(std::string& text, std::size_t at) {
    constexpr std::string_view separators = " \t\r\n,;:=()[]{}\"'";
    const std::size_t first = std::min(text.find_first_not_of(separators, at), text.size());
    const std::size_t last = std::min(text.find_first_of(separators, first), text.size());
    text.replace(first, last - first, bad_words[below(bad_words.size())]);
  }
  void repeat(std::string& text, std::size_t at) {
    const std::string piece = text.substr(at, length_in(text, at));
    std::string all;
    for (std::uint64_t i = below(below(20) == 0 ? 2000 : 10); i > 0 && all.size() < most_bytes; --i)
      all += piece;
    text.insert(at, all);
  }
  void swap_lines(std::string& text) {
    const auto line = [&] {
      const std::size_t end = text.find('\n', place_in(text));
      return end == text.npos ? std::size_t{0} : end + 1;
    };
    const std::size_t first = line(), second = line();
    if (first >= second) return;
    std::rotate(text.begin() + static_cast<std::ptrdiff_t>(first),
                text.begin() + static_cast<std::ptrdiff_t>(second),
                text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find('\n', second), text.size())));
  }
  void nest(std::string& text, std::size_t at) {
    constexpr std::array<std::string_view, 6> opens{"[", "{\"a\":", "(", "-", "a.", "{a="};
    const std::string_view open = opens[below(opens.size())];
    std::string all;
    for (std::uint64_t i = below(below(20) == 0 ? 20'000 : 20); i > 0; --i) all += open;
    text.insert(at, all);
  }

  const std::vector<std::string>& seeds_;
  std::uint64_t number_, next_ = 0;
};

}  // namespace

std::string mutated(const std::vector<std::string>& seeds, std::uint64_t number) {
  return Mutation(seeds, number).whole();
}

}  // namespace echo::fuzz
