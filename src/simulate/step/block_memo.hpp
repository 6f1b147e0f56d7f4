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
};

[[nodiscard]] ComposedBlock compose_one(const workload::OpGraph&, const Prices&, Slowdown,
                                        timeline::BlockScratchData& scratch);

// For one catalog and one calibration, and for prices of one PriceMemo: a block is known by the numbers that
// its kernels and collectives have there.
class BlockMemo {
 public:
  // Looks up the blocks of the step; before of(). Those of a body that the step before had, too, are at hand.
  void look_up(const StepInput&);
  // Contract of the three: the input that was looked up, and a block of it. Valid until the next look_up.
  // Without slowdown, or with that of collectives and kernels alone.
  [[nodiscard]] const timeline::BlockTimes& times_of(const StepInput&, BlockId, Slowdown,
                                                     timeline::BlockScratchData& scratch);
  // With slowdown.
  [[nodiscard]] const ComposedBlock& of(const StepInput&, BlockId, Slowdown,
                                        timeline::BlockScratchData& scratch);
  // Whether collectives slow each other in some block of the step, or a kernel by more than one of them does.
  [[nodiscard]] bool collectives_contend(const StepInput&, timeline::BlockScratchData& scratch);

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
    bool is_known = false;      // all but whole_apart
    bool is_contended = false;  // else it is the same apart
    timeline::BlockTimes unslowed, apart;
    ComposedBlock on;
    bool has_whole_apart = false;  // where it is asked for
    std::unique_ptr<ComposedBlock> whole_apart;
  };
  // A hash of all that distinguishes a block from others: among 10^9 blocks, two share theirs with a chance
  // of some 10^-21.
  [[nodiscard]] Hash128 print_of(const StepInput&, const workload::OpGraph&);

  [[nodiscard]] Entry& entry_of(const Hash128&);
  void forget_others();
  [[nodiscard]] Entry& timed(const StepInput&, BlockId, timeline::BlockScratchData& scratch);
  // The block and the next one, which begin with that many same ops.
  void time_both(const StepInput&, BlockId, std::int32_t alike, timeline::BlockScratchData& scratch);

  // Blocks asked for since `recent_` was last empty, and others; when it is full, it becomes the others.
  static constexpr std::size_t most_recent = 1152;  // 3 MiB, as are the others
  using Kept = std::unordered_map<Hash128, Entry, Hash>;
  Kept recent_, others_;
  std::vector<Kept::node_type> forgotten_;  // whose memory is used again
  std::vector<Entry*> step_;                // [work.block_count]
  std::int64_t body_ = 0;                   // BodyNumber of the step
  std::vector<std::int32_t> words_;         // scratch
  MemoCount count_;
};

}  // namespace echo::simulate
