#include "nsight/kernel_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace echo::nsight {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '~';
}

// Namespaces without a name would look like template arguments, or like parameters.
std::string_view skipped_at(std::string_view text) {
  for (const std::string_view unnamed : {"(anonymous namespace)", "<unnamed>"})
    if (text.starts_with(unnamed)) return unnamed;
  return {};
}

}  // namespace

std::string short_name_of(std::string_view full_name) {
  std::string name;
  bool is_closed = false;  // the next character of a name starts a new one
  std::int32_t depth = 0;  // of template arguments
  for (std::size_t i = 0; i < full_name.size(); ++i) {
    const char c = full_name[i];
    const std::string_view unnamed = depth == 0 ? skipped_at(full_name.substr(i)) : std::string_view{};
    if (!unnamed.empty()) {
      i += unnamed.size() - 1;
      is_closed = true;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      depth = std::max(depth - 1, 0);
    } else if (depth == 0 && c == '(') {
      break;
    } else if (depth == 0 && is_word_character(c)) {
      if (is_closed) name.clear();
      is_closed = false;
      name += c;
    } else if (depth == 0) {
      is_closed = true;
    }
  }
  return name.empty() ? std::string(full_name) : name;
}

bool is_communication(std::string_view name) {
  constexpr std::array<std::string_view, 9> signs{"nccl",          "rccl",          "nvshmem",
                                                  "deep_ep",       "mscclpp",       "deepep",
                                                  "ep::internode", "ep::intranode", "cross_device_reduce"};
  const std::string text = lower(name);
  const auto stands_in = [&](std::string_view sign) { return text.find(sign) != text.npos; };
  return std::any_of(signs.begin(), signs.end(), stands_in) ||
         (stands_in("allreduce") && (stands_in("oneshot") || stands_in("twoshot")));
}

std::optional<ops::CollectiveKind> collective_of(std::string_view name) {
  using Kind = ops::CollectiveKind;
  constexpr std::array<std::pair<std::string_view, Kind>, 8> words{{{"allreduce", Kind::all_reduce},
                                                                    {"cross_device_reduce", Kind::all_reduce},
                                                                    {"allgather", Kind::all_gather},
                                                                    {"reducescatter", Kind::reduce_scatter},
                                                                    {"broadcast", Kind::broadcast},
                                                                    {"alltoall", Kind::all_to_all},
                                                                    {"sendrecv", Kind::send_recv},
                                                                    {"_reduce_", Kind::reduce}}};
  const std::string text = lower(name);
  for (const auto& [word, kind] : words)
    if (text.find(word) != text.npos) return kind;
  return std::nullopt;
}

}  // namespace echo::nsight
