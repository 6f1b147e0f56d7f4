#include "learn/evaluate/folds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::learn {

namespace {

std::string octave(double size, double per_octave) {
  return size > 0.0 ? std::to_string(std::lround(std::log2(size) * per_octave)) : "-";
}

std::string shape_of(const slowdown::OverlapRow& row) {
  if (!row.shape) return row.kernel + "\n" + row.full_name + "\n" + octave(row.alone * 1e9, 2.0);
  const ops::KernelKey& key = *row.shape;
  std::string text = ops::name_of(key.kind);
  text +=
      " " + std::to_string(static_cast<int>(key.precision)) + std::to_string(static_cast<int>(key.layout));
  for (const std::int32_t size : {key.m, key.n, key.k, key.batch}) text += " " + octave(size, 1.0);
  return text;
}

}  // namespace

std::vector<std::int32_t> groups_of(std::span<const slowdown::OverlapRow> rows, Grouping grouping) {
  std::vector<std::int32_t> group;
  group.reserve(rows.size());
  std::map<std::string, std::int32_t> numbers;
  for (const slowdown::OverlapRow& row : rows) {
    if (grouping == Grouping::row) {
      group.push_back(static_cast<std::int32_t>(group.size()));
      continue;
    }
    const std::string name = grouping == Grouping::kernel ? row.kernel : shape_of(row);
    group.push_back(numbers.emplace(name, static_cast<std::int32_t>(numbers.size())).first->second);
  }
  return group;
}

std::int32_t count_of(std::span<const std::int32_t> group) {
  return group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
}

std::vector<std::int32_t> fold_of(std::span<const std::int32_t> group, std::int32_t folds,
                                  std::uint64_t seed) {
  const std::int32_t groups = count_of(group);
  ECHO_EXPECT(folds >= 2 && folds <= groups);
  struct Size {
    std::int32_t rows = 0;
    std::uint64_t lot = 0;
    std::int32_t group = 0;
  };
  std::vector<Size> sizes(static_cast<std::size_t>(groups));
  for (std::int32_t g = 0; g < groups; ++g)
    sizes[g] = {0, draw(seed, 0x666f6c6473ULL, static_cast<std::uint64_t>(g)), g};
  for (const std::int32_t g : group) ++sizes[g].rows;
  std::sort(sizes.begin(), sizes.end(), [](const Size& a, const Size& b) {
    return std::tuple(-a.rows, a.lot, a.group) < std::tuple(-b.rows, b.lot, b.group);
  });
  std::vector<std::int32_t> rows_in(static_cast<std::size_t>(folds), 0);
  std::vector<std::int32_t> fold_of_group(static_cast<std::size_t>(groups), 0);
  for (const Size& size : sizes) {
    const auto emptiest = std::min_element(rows_in.begin(), rows_in.end());
    *emptiest += size.rows;
    fold_of_group[size.group] = static_cast<std::int32_t>(emptiest - rows_in.begin());
  }
  std::vector<std::int32_t> fold;
  fold.reserve(group.size());
  for (const std::int32_t g : group) fold.push_back(fold_of_group[g]);
  return fold;
}

}  // namespace echo::learn
