// Which layers mix experts, as Megatron-LM writes it in --moe-layer-freq: a whole number N means layers 0, N,
// 2N,
// ...; else a Python expression of lists, such as "([0]*3+[1]*58)", with one 1 or 0 for each layer.
#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "launch_flags/facts.hpp"

namespace echo::launch_flags {

using training::ModelSpec;

namespace {

constexpr std::size_t most_layers = 65536;

// list := term ("+" term)*;  term := factor ("*" number)*;  factor := "(" list ")" | "[" digit ("," digit)*
// "]"
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  std::optional<std::vector<bool>> whole() {
    auto list = sum(0);
    if (!list || at_ != text_.size()) return std::nullopt;
    return list;
  }

 private:
  using List = std::optional<std::vector<bool>>;

  [[nodiscard]] bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return true;
  }
  std::optional<std::size_t> number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= most_layers; ++at_)
      value = value * 10 + static_cast<std::size_t>(text_[at_] - '0');
    if (at_ == begin || value > most_layers) return std::nullopt;
    return value;
  }
  List sum(int depth) {
    List total = product(depth);
    while (total && take('+')) {
      const List more = product(depth);
      if (!more || total->size() + more->size() > most_layers) return std::nullopt;
      total->insert(total->end(), more->begin(), more->end());
    }
    return total;
  }
  List product(int depth) {
    List list = factor(depth);
    while (list && take('*')) {
      const auto times = number();
      if (!times || list->size() * *times > most_layers) return std::nullopt;
      std::vector<bool> repeated;
      for (std::size_t i = 0; i < *times; ++i) repeated.insert(repeated.end(), list->begin(), list->end());
      list = std::move(repeated);
    }
    return list;
  }
  List factor(int depth) {
    constexpr int deepest = 16;
    if (depth > deepest) return std::nullopt;
    if (take('(')) {
      List list = sum(depth + 1);
      return list && take(')') ? list : std::nullopt;
    }
    if (!take('[')) return std::nullopt;
    std::vector<bool> list;
    do {
      const auto value = number();
      if (!value || *value > 1) return std::nullopt;
      list.push_back(*value == 1);
    } while (take(','));
    return take(']') ? List(list) : std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool mixes(std::int32_t layer, std::int32_t first, std::int32_t interval) {
  return layer >= first && (layer + 1) % interval == 0;
}

// The first dense layers and the interval of which `list` is made, in the model.
bool fit(const std::vector<bool>& list, ModelSpec& model) {
  std::int32_t one = 0;
  while (one < std::ssize(list) && !list[static_cast<std::size_t>(one)]) ++one;
  std::int32_t next = one + 1;
  while (next < std::ssize(list) && !list[static_cast<std::size_t>(next)]) ++next;
  const std::int32_t interval = next < std::ssize(list) ? next - one : 1;
  // The first layer with experts may follow from the interval alone.
  const std::int32_t first = one + 1 == interval ? 0 : one;
  for (std::int32_t i = 0; i < std::ssize(list); ++i)
    if (mixes(i, first, interval) != list[static_cast<std::size_t>(i)]) return false;
  model.first_dense_layers = first;
  model.moe_interval = interval;
  return true;
}

}  // namespace

std::string moe_layers_text(const ModelSpec& model) {
  const std::int32_t first = model.first_dense_layers, interval = model.moe_interval;
  if (first == 0 && interval == 1) return "1";
  if (interval == 1) return fmt::format("([0]*{}+[1]*{})", first, model.layers - first);
  std::string list;
  for (std::int32_t i = 0; i < model.layers; ++i)
    list += fmt::format("{}{}", i > 0 ? "," : "", mixes(i, first, interval) ? 1 : 0);
  return "[" + list + "]";
}

bool read_moe_layers(const std::string& text, ModelSpec& model) {
  if (text.find_first_not_of("0123456789") == std::string::npos && !text.empty() && text.size() < 6) {
    const std::int32_t every = std::stoi(text);
    if (every < 1) return false;
    std::vector<bool> list;
    for (std::int32_t i = 0; i < model.layers && i < static_cast<std::int32_t>(most_layers); ++i)
      list.push_back(i % every == 0);
    return fit(list, model);
  }
  const auto list = ListReader(text).whole();
  return list && std::ssize(*list) == model.layers && fit(*list, model);
}

}  // namespace echo::launch_flags
