// Blocks composed before: neighbouring points run many equal blocks. Look-up only; results never depend on
// its contents.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulate/simulated_step.hpp"

namespace echo::simulate {

// off: nothing that overlaps slows; apart: kernels and collectives slow each other, collectives do not;
// on: all that do.
enum class Slowdown : std::int8_t { off, apart, on };

// One block as composed. Without slowdown its paths are not known.
struct ComposedBlock {
  Cost cost;
  timeline::BlockTimes times;
  timeline::BlockPaths paths;
  bool collectives_meet = false;
};

[[nodiscard]] ComposedBlock compose_one(const workload::OpGraph&, const Prices&, Slowdown,
                                        timeline::BlockScratchData& scratch);

// For one catalog and one calibration, and for prices of one PriceMemo: a block is known by the numbers that
// its kernels and collectives have there.
class BlockMemo {
 public:
  // Looks up the blocks of the step; before of().
  void look_up(const StepInput&);
  // Contract: block < work.block_count of the step that was looked up, whose input this is. Valid until the
  // next look_up().
  [[nodiscard]] const ComposedBlock& of(const StepInput&, BlockId block, Slowdown,
                                        timeline::BlockScratchData& scratch);

  [[nodiscard]] std::int64_t hits() const { return hits_; }
  [[nodiscard]] std::int64_t misses() const { return misses_; }

 private:
  // What tells a block from others: see key_of.
  using Key = std::vector<std::int32_t>;
  struct Hash {
    std::size_t operator()(const Key&) const;
  };
  struct Entry {
    std::array<ComposedBlock, 3> by_slowdown;
    std::array<bool, 3> is_known{};
  };
  void key_of(const StepInput&, const workload::OpGraph&, Key& out) const;

  static constexpr std::size_t most_blocks = 2048;  // 12 MiB; then it starts again
  std::unordered_map<Key, Entry, Hash> kept_;
  std::vector<Entry*> step_;  // [work.block_count]
  Key key_;                   // scratch
  std::int64_t hits_ = 0, misses_ = 0;
};

}  // namespace echo::simulate
