#include "packets/flits/flit_topology.hpp"

#include <charconv>

namespace echo::packets {

std::optional<std::vector<std::int32_t>> numbers_in(std::string_view name,
                                                    std::initializer_list<std::string_view> words) {
  std::vector<std::int32_t> numbers;
  for (const std::string_view word : words) {
    if (name.substr(0, word.size()) != word) return {};
    name.remove_prefix(word.size());
    std::int32_t number = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), number);
    if (result.ec != std::errc{} || number < 1 || number > 1024) return {};
    numbers.push_back(number);
    name.remove_prefix(static_cast<std::size_t>(result.ptr - name.data()));
  }
  if (!name.empty()) return {};
  return numbers;
}

}  // namespace echo::packets
