#include "slowdown/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

namespace echo::slowdown {

namespace {

constexpr std::int32_t finest_sizes = 64;  // an octave

using Key = std::tuple<std::string_view, std::string_view, std::int32_t>;

Key key_of(const FamilyRate& family) { return {family.kernel, family.full_name, family.size}; }

}  // namespace

std::int32_t size_of(double seconds, std::int32_t sizes_per_octave) {
  const double octaves = std::log2(std::clamp(seconds * 1e6, 1e-6, 1e12));
  return static_cast<std::int32_t>(std::floor(octaves * sizes_per_octave));
}

bool is_sound(const Families& families) {
  const auto& rates = families.rates;
  if (families.sizes_per_octave < 1 || families.sizes_per_octave > finest_sizes || rates.empty() ||
      key_of(rates.front()) != Key{{}, {}, FamilyRate::any_size})
    return false;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!(rates[i].kept >= least_rate && rates[i].kept <= 1.0 / least_rate) || rates[i].rows < 0)
      return false;
    if (i > 0 && !(key_of(rates[i - 1]) < key_of(rates[i]))) return false;
  }
  return true;
}

double kept_by_family(const Families& families, const OverlapRow& row) {
  constexpr std::int32_t any = FamilyRate::any_size;
  const std::array<Key, 3> finest_first{
      Key{row.kernel, row.full_name, size_of(row.alone, families.sizes_per_octave)},
      {row.kernel, row.full_name, any},
      {row.kernel, {}, any}};
  for (const Key& key : finest_first) {
    const auto at = std::lower_bound(families.rates.begin(), families.rates.end(), key,
                                     [](const FamilyRate& a, const Key& b) { return key_of(a) < b; });
    if (at != families.rates.end() && key_of(*at) == key) return at->kept;
  }
  return families.rates.front().kept;
}

}  // namespace echo::slowdown
