// One worker's part of a search: looks into sets, and simulates points. A pure function of the task.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bounds/memory_bound.hpp"
#include "bounds/step_bound.hpp"
#include "search/aims.hpp"
#include "search/ordered_space.hpp"
#include "search/task.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/packet_memory.hpp"
#include "simulate/step/workspace.hpp"
#include "sweep/space/point_configs.hpp"
#include "sweep/space/raw_cursor.hpp"
#include "sweep/space/repeats.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

class Evaluator {
 public:
  // Keeps references. `answers`: where packets are simulated.
  Evaluator(const OrderedSpace&, const sweep::SweepSpec&, const simulate::Catalog&,
            const simulate::Calibration&, simulate::PacketMemory answers = {});

  // The sets of the next tier within the node, each with its bounds or its end; or the node itself, where no
  // member fits the memory. The point, simulated, where it is a single combination.
  [[nodiscard]] Outcome run(const Node&);
  // The whole space in parts of a few hundred sets of the first tier.
  [[nodiscard]] std::vector<Node> whole();

  // What a certificate says of the set or point that begins at `begin`: as it was found.
  [[nodiscard]] Node look_at(std::int32_t group, std::int32_t tier, std::int64_t begin);
  // Whether no member of the set fits.
  [[nodiscard]] bool nothing_fits(const Node&);
  // Members of a set, the rules' survivors, spread over it: at most `most`.
  [[nodiscard]] std::vector<std::int64_t> some_members(const Node&, std::uint64_t seed, std::int64_t most);
  // A single combination as a point: its costs, where it may be ranked.
  [[nodiscard]] Outcome simulate_at(std::int32_t group, std::int64_t raw);

 private:
  Node set_at(std::int32_t group, std::int32_t tier, Stretch);
  Node point_at(std::int32_t group, std::int64_t raw);
  void bound_set(Node&);
  void start_again();
  std::optional<training::TrainingConfig> supported_member(const Node&, const bounds::OpenAxes&);
  std::vector<std::int64_t> slice_of(const training::TrainingConfig&) const;
  bool is_last(const Node& node) const {
    return static_cast<std::size_t>(node.tier + 1) ==
           space_.tiers(static_cast<std::size_t>(node.group)).size();
  }

  const OrderedSpace& space_;
  const sweep::SweepSpec& spec_;
  const simulate::Catalog& catalog_;
  const simulate::Calibration& known_;
  Aims aims_;
  double enough_;  // chance to fit that a ranking asks for
  simulate::PacketMemory answers_;
  simulate::Workspace ws_;
  bounds::StepBounds steps_;
  bounds::MemoryBounds memory_;
  KeptCount kept_;
  sweep::RawCursor cursor_, members_, filed_;
  sweep::RepeatTest repeats_;
};

}  // namespace echo::search
