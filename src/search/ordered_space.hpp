// The space of a sweep in the order in which the search fixes axes, and its points in the order of the file.
//
// A set of points is a stretch of the ordered combinations that agree on their first `depth` dimensions. The
// axes of `per` come first, then those that reach all of a step, then those around its products, then
// recomputation and the sums of gradients, then all else beside the passes, what memory reads first. Tiers
// are the depths at which something more can be said of a set; the last is that of single combinations.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bounds/open_axes.hpp"
#include "simulate/catalog.hpp"
#include "sweep/space/raw_space.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

// Ordered combinations [begin, end) of one sub-space that agree on the first dimensions, up to a tier's
// depth.
struct Stretch {
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

class OrderedSpace {
 public:
  // Throws UserError as RawSpace does. Keeps a reference to `catalog`.
  OrderedSpace(const sweep::SweepSpec& spec, const simulate::Catalog& catalog);

  [[nodiscard]] const sweep::RawSpace& ordered() const { return ordered_; }
  [[nodiscard]] const sweep::RawSpace& filed() const { return filed_; }  // in the order of the file
  [[nodiscard]] const std::vector<sweep::Axis>& per() const { return per_; }

  // Depths, ascending; the last is the number of dimensions.
  [[nodiscard]] const std::vector<std::size_t>& tiers(std::size_t group) const {
    return groups_[group].tiers;
  }
  [[nodiscard]] std::int64_t width(std::size_t group, std::size_t tier) const {
    return ordered_.below(group, groups_[group].tiers[tier]);
  }
  // Axes that differ among the points of a set of this tier.
  [[nodiscard]] const bounds::OpenAxes& open(std::size_t group, std::size_t tier) const {
    return groups_[group].open[tier];
  }
  // The number, in the order of the file, of an ordered combination; that of the first of a set is the least
  // of the set: its other digits are zero.
  [[nodiscard]] std::int64_t filed_of(std::size_t group, std::int64_t raw) const;

 private:
  struct Group {
    std::vector<std::size_t> filed_dimension;  // [ordered dimension]
    std::vector<std::size_t> tiers;
    std::vector<bounds::OpenAxes> open;  // [tier]
  };
  std::vector<sweep::Axis> per_;
  sweep::RawSpace filed_, ordered_;
  std::vector<Group> groups_;
};

// How many combinations of stretches the rules keep. Not shared by threads.
class KeptCount {
 public:
  explicit KeptCount(const sweep::RawSpace&);
  [[nodiscard]] std::int64_t whole();
  // Contract: the stretch begins and ends at borders of sets of the first `depth` dimensions.
  [[nodiscard]] std::int64_t of(const Stretch&, std::size_t depth);

 private:
  struct Group;
  const sweep::RawSpace& space_;
  std::vector<std::shared_ptr<Group>> groups_;
};

}  // namespace echo::search
