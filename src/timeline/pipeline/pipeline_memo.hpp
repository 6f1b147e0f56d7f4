// Pipelines run before: points of a sweep that differ only in the end of the step run the same one. Look-up
// only; results never depend on its contents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bounded_memo.hpp"
#include "base/digest.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {

class PipelineMemo {
 public:
  // As compose_pipelines, which runs what is not known. Contract: as there; given orders live as long as the
  // memo, and what the arguments refer to stays as it is until the last find_path.
  void run(const PipelineShape&, const Schedule&, std::span<const PipelineCase>, const Hops&,
           PipelineScratch&, Trail&);
  // From here on find_path is for the scratch and the trail as they are: somebody else ran a pipeline.
  void forget_run() { last_ = nullptr; }
  // As timeline::find_path, for the last case of the last run.
  void find_path(const PipelineShape&, const Schedule&, PipelineScratch&, Trail&, const StageTimes&,
                 std::int32_t stage, PipelinePath& out);

  [[nodiscard]] MemoCount count() const { return count_; }

 private:
  struct Kept {
    Hash128 print{};
    std::size_t cases = 0;  // 0: nothing is kept
    std::array<PipelineTimes, most_cases> times;
    std::int32_t path_of = -1;  // the stage whose path is known
    PipelinePath path;
  };
  [[nodiscard]] Hash128 print_of(const PipelineShape&, const Schedule&, std::span<const PipelineCase>,
                                 const Hops&);

  static constexpr std::size_t places = 128;  // some 10 KiB each: a point and its neighbours
  std::vector<Kept> kept_;                    // [places] by hash; the newest takes the place
  Kept* last_ = nullptr;                      // of the last run
  bool has_run_ = false;                      // the scratch and the trail are of it
  std::array<PipelineCase, most_cases> cases_;
  std::size_t case_count_ = 0;
  Hops hops_;
  std::vector<std::byte> words_;  // scratch
  MemoCount count_;
};

}  // namespace echo::timeline
