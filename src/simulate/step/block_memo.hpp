// Blocks composed before: neighbouring points run many equal blocks. Look-up only; results never depend on
// its contents.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/bounded_memo.hpp"
#include "base/digest.hpp"
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
  // next call. Without slowdown only times, and of the cost what they say.
  [[nodiscard]] const ComposedBlock& of(const StepInput&, BlockId block, Slowdown,
                                        timeline::BlockScratchData& scratch);

  [[nodiscard]] MemoCount count() const { return count_; }

 private:
  struct Hash {
    std::size_t operator()(const Hash128& print) const {
      std::size_t low = 0;
      std::memcpy(&low, print.data() + sizeof low, sizeof low);
      return low;
    }
  };
  struct Entry {
    bool is_known = false;  // the first two
    timeline::BlockTimes unslowed;
    ComposedBlock apart;
    std::unique_ptr<ComposedBlock> on;  // few blocks need it
  };
  // A hash of all that distinguishes a block from others: among 10^9 blocks, two share theirs with a chance
  // of some 10^-21.
  [[nodiscard]] Hash128 print_of(const StepInput&, const workload::OpGraph&);

  [[nodiscard]] Entry& entry_of(const Hash128&);

  // Blocks asked for since `recent_` was last empty, and others; when it is full, it becomes the others.
  static constexpr std::size_t most_recent = 3072;  // 8 MiB
  using Kept = std::unordered_map<Hash128, Entry, Hash>;
  Kept recent_, others_;
  std::vector<Entry*> step_;         // [work.block_count]
  std::vector<std::int32_t> words_;  // scratch
  ComposedBlock unslowed_;           // the last one
  MemoCount count_;
};

}  // namespace echo::simulate
