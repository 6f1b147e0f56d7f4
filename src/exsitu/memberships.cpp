#include "exsitu/memberships.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "exsitu/settings.hpp"

namespace echo::exsitu {

static std::optional<std::int32_t> take_number(std::string_view& text) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

static bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

static constexpr std::int64_t most_ranks = std::int64_t{1} << 20;

// "4", "0-7", "1-9/4"
static bool take_run(std::string_view& text, std::vector<std::int32_t>& out) {
  const auto first = take_number(text);
  if (!first) return false;
  std::int64_t last = *first, step = 1;
  if (take(text, '-')) {
    const auto to = take_number(text);
    if (!to || *to < *first) return false;
    last = *to;
    if (take(text, '/')) {
      const auto by = take_number(text);
      if (!by || *by == 0) return false;
      step = *by;
    }
  }
  if ((last - *first) / step + 1 + static_cast<std::int64_t>(out.size()) > most_ranks) return false;
  for (std::int64_t rank = *first; rank <= last; rank += step) out.push_back(static_cast<std::int32_t>(rank));
  return true;
}

std::optional<std::vector<std::int32_t>> ranks_of(std::string_view text) {
  std::vector<std::int32_t> ranks;
  do {
    if (!take_run(text, ranks)) return std::nullopt;
  } while (take(text, ','));
  if (!text.empty()) return std::nullopt;
  std::vector<std::int32_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  return ranks;
}

std::string text_of(std::span<const std::int32_t> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;  // of a run of equal steps
    const std::int64_t step = end < ranks.size() ? std::int64_t{ranks[end]} - ranks[i] : 0;
    while (step > 0 && end < ranks.size() && std::int64_t{ranks[end]} - ranks[end - 1] == step) ++end;
    if (end - i < 3) end = i + 1;
    if (!text.empty()) text += ',';
    text += std::to_string(ranks[i]);
    if (end - i >= 3)
      text += '-' + std::to_string(ranks[end - 1]) + (step > 1 ? '/' + std::to_string(step) : "");
    i = end;
  }
  return text;
}

std::string hexadecimal(std::span<const char> id) {
  std::string text;
  for (const char c : id.first(std::min<std::size_t>(id.size(), 32))) {
    text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    text += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::optional<Membership> membership_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  Membership m{.name = std::string(line.substr(0, tab))};
  line.remove_prefix(tab + 1);
  const std::size_t second = line.find('\t');
  if (second != std::string_view::npos) m.unique_id = line.substr(second + 1);
  auto ranks = ranks_of(line.substr(0, second));
  if (!ranks) return std::nullopt;
  m.ranks = std::move(*ranks);
  return m;
}

void Memberships::read_text(std::string_view text) {
  unfinished_ += text;
  std::size_t start = 0;
  for (std::size_t end; (end = unfinished_.find('\n', start)) != std::string::npos; start = end + 1) {
    const std::string_view line = std::string_view(unfinished_).substr(start, end - start);
    if (line.empty()) continue;
    if (auto m = membership_of(line))
      all_.push_back(std::move(*m));
    else
      complain("ECHO_NCCL_GROUPS: no \"name<tab>ranks\": \"" + std::string(line.substr(0, 80)) +
               "\"; ignored");
  }
  unfinished_.erase(0, start);
}

void Memberships::read_more(const std::string& path) {
  if (path.empty()) return;
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(offset_)) return;
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  offset_ += static_cast<std::int64_t>(text.size());
  read_text(text);
}

static bool fits(const Membership& m, const Wanted& wanted) {
  const auto size = static_cast<std::int32_t>(m.ranks.size());
  if (wanted.size >= 0 && size != wanted.size) return false;
  if (wanted.own_rank >= 0) {
    const auto own = std::find(m.ranks.begin(), m.ranks.end(), wanted.own_rank);
    if (own == m.ranks.end()) return false;
    if (wanted.own_place >= 0 && own - m.ranks.begin() != wanted.own_place) return false;
  }
  if (wanted.among.empty()) return true;
  std::vector<std::int32_t> parent(wanted.among.begin(), wanted.among.end());
  std::sort(parent.begin(), parent.end());
  return std::all_of(m.ranks.begin(), m.ranks.end(), [&](std::int32_t rank) {
    return std::binary_search(parent.begin(), parent.end(), rank);
  });
}

// "tensor 5" is also what PyTorch calls 5.
static bool is_called(const Membership& m, std::string_view name) {
  return m.name == name || (m.name.size() > name.size() && m.name.ends_with(name) &&
                            m.name[m.name.size() - name.size() - 1] == ' ');
}

const Membership* Memberships::find(const Wanted& wanted) const {
  const auto newest = [&](auto&& has) -> const Membership* {
    const auto found = std::find_if(all_.rbegin(), all_.rend(),
                                    [&](const Membership& m) { return has(m) && fits(m, wanted); });
    return found == all_.rend() ? nullptr : &*found;
  };
  for (const std::string& id : wanted.unique_ids)
    if (const Membership* m = newest([&](const Membership& one) { return one.unique_id == id; })) return m;
  if (!wanted.name.empty())
    if (const Membership* m = newest([&](const Membership& one) { return is_called(one, wanted.name); }))
      return m;
  return newest([](const Membership& one) { return one.unique_id.empty(); });
}

}  // namespace echo::exsitu
