#include "parallel/dispatch/shard.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace echo::parallel {

static std::int32_t number_in(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

Shard parse_shard(std::string_view text) {
  if (text.empty()) return {};
  const auto slash = text.find('/');
  const Shard shard{number_in(text.substr(0, slash)),
                    slash == std::string_view::npos ? 0 : number_in(text.substr(slash + 1))};
  if (shard.number < 1 || shard.count < shard.number)
    throw UserError("\"" + std::string(text) + "\" is not a shard",
                    "write its number and the number of shards, as in 2/8; numbers start at 1", 2);
  return shard;
}

std::string text_of(const Shard& shard) {
  return shard.is_whole() ? "" : std::to_string(shard.number) + "/" + std::to_string(shard.count);
}

IdSet ids_of(const Shard& shard, sweep::PointIndex size) {
  std::vector<sweep::IdRange> ranges;
  if (shard.is_whole()) return IdSet({{0, size}});
  const sweep::PointIndex round = shard_block * shard.count;
  for (sweep::PointIndex first = shard_block * (shard.number - 1); first < size; first += round)
    ranges.push_back({first, std::min(first + shard_block, size)});
  return IdSet(std::move(ranges));
}

std::filesystem::path file_of(const Shard& shard, const std::filesystem::path& whole) {
  if (shard.is_whole()) return whole;
  auto name = whole.stem();
  name += ".shard-" + std::to_string(shard.number) + "-of-" + std::to_string(shard.count);
  name += whole.extension();
  return whole.parent_path() / name;
}

}  // namespace echo::parallel
