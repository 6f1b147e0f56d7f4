#include "config/measured/fabric_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace echo::config {
namespace {

constexpr std::size_t longest_text = 400;  // nobody describes a network at greater length

std::string lowered(std::string_view text) {
  std::string out(text.substr(0, longest_text));
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool has(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// By itself: the "ib" of "8x ib" but not that of "gbit".
bool has_word(const std::string& text, std::string_view word) {
  const auto letter = [&](std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  return false;
}

bool starts_word(const std::string& text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (at == 0 || std::isalpha(static_cast<unsigned char>(text[at - 1])) == 0) return true;
  return false;
}

Transport transport_of(const std::string& text) {
  if (has(text, "tcpxo") || has(text, "fastrak")) return Transport::tcpxo;
  if (has(text, "tcpx")) return Transport::tcpx;
  if (starts_word(text, "efa")) return Transport::efa;  // "efav3" too
  if (has(text, "slingshot")) return Transport::slingshot;
  if (has(text, "roce")) return Transport::roce;
  for (const char* word : {"ib", "infiniband", "hdr", "ndr", "edr", "xdr"})
    if (has_word(text, word)) return Transport::infiniband;
  return has(text, "ethernet") || has(text, "gbe") ? Transport::ethernet : Transport::unknown;
}

void skip_blanks(const std::string& text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
}

struct Number {
  double value = 0.0;
  std::size_t begin = 0, end = 0;
};

std::optional<Number> number_from(const std::string& text, std::size_t at) {
  while (at < text.size() && !is_digit(text[at])) ++at;
  if (at == text.size()) return std::nullopt;
  Number n{0.0, at, at};
  const auto [end, error] =
      std::from_chars(text.data() + at, text.data() + text.size(), n.value, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  n.end = static_cast<std::size_t>(end - text.data());
  return n;
}

// Gb/s where a unit of rate follows: "gb/s", "gbps", "gbit", "gbe", "g", "tb/s", "tbps".
std::optional<double> rate_of(const std::string& original, const std::string& text, const Number& n) {
  std::size_t at = n.end;
  skip_blanks(text, at);
  if (at >= text.size() || (text[at] != 'g' && text[at] != 't')) return std::nullopt;
  const double times = text[at] == 't' ? 1000.0 : 1.0;
  const std::string rest = text.substr(at + 1, 4);
  const bool bytes = rest.starts_with("b/s") && original[at + 1] == 'B';
  const bool known = rest.empty() || rest.starts_with("b/s") || rest.starts_with("bps") ||
                     rest.starts_with("bit") || rest.starts_with("be") ||
                     std::isalpha(static_cast<unsigned char>(rest.front())) == 0;
  if (bytes && has(text, "nvlink")) return std::nullopt;  // speaks of the node's inside
  return known ? std::optional(n.value * times * (bytes ? 8.0 : 1.0)) : std::nullopt;
}

// The rate of a generation that is named and not numbered.
double rate_of_generation(const std::string& text) {
  constexpr std::array<std::pair<const char*, double>, 12> generations{{{"hdr100", 100},
                                                                        {"ndr200", 200},
                                                                        {"edr", 100},
                                                                        {"hdr", 200},
                                                                        {"ndr", 400},
                                                                        {"xdr", 800},
                                                                        {"cx-6", 200},
                                                                        {"cx-7", 400},
                                                                        {"cx-8", 800},
                                                                        {"connectx-6", 200},
                                                                        {"connectx-7", 400},
                                                                        {"connectx-8", 800}}};
  for (const auto& [word, rate] : generations)
    if (has(text, word)) return rate;
  return 0.0;
}

}  // namespace

FabricWords read_fabric(std::string_view text) {
  const std::string original(text.substr(0, longest_text)), words = lowered(text);
  FabricWords out{.transport = transport_of(words)};
  for (std::size_t at = 0;;) {
    const auto n = number_from(words, at);
    if (!n) break;
    at = std::max(n->end, n->begin + 1);
    if (const auto rate = rate_of(original, words, *n)) {
      if (out.nic_gigabits > 0.0 || *rate < 10.0 || *rate > 1e6) continue;
      out.nic_gigabits = *rate;
    } else {
      std::size_t next = n->end;
      while (next < words.size() && words[next] == ' ') ++next;
      const bool counts = next < words.size() && (words[next] == 'x' || words[next] == '*') &&
                          n->value >= 1 && n->value <= 64;
      if (counts && out.nics == 0) out.nics = static_cast<std::int32_t>(n->value);
    }
  }
  if (out.nic_gigabits <= 0.0) out.nic_gigabits = rate_of_generation(words);
  // Too much for one NIC: the bandwidth of a whole node.
  if (out.nics == 0 && out.nic_gigabits > 1000.0)
    out.node_gigabits = out.nic_gigabits, out.nic_gigabits = 0.0;
  return out;
}

std::int32_t read_nccl_version(std::string_view text) {
  const std::string words(text.substr(0, longest_text));
  for (std::size_t at = words.find("2."); at != std::string::npos; at = words.find("2.", at + 1)) {
    if (at > 0 && (is_digit(words[at - 1]) || words[at - 1] == '.')) continue;
    std::int32_t part[2] = {0, 0};
    std::size_t next = at + 1;
    std::int32_t found = 0;
    while (found < 2 && next + 1 < words.size() && words[next] == '.' && is_digit(words[next + 1])) {
      const auto [end, error] =
          std::from_chars(words.data() + next + 1, words.data() + words.size(), part[found]);
      if (error != std::errc{} || part[found] > 99) return 0;
      next = static_cast<std::size_t>(end - words.data());
      ++found;
    }
    if (found > 0) return 20000 + part[0] * 100 + part[1];
  }
  return 0;
}

}  // namespace echo::config
