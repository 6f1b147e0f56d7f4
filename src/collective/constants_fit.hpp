// Network constants fitted to measured times of collectives.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collective/algorithm.hpp"
#include "collective/price_collectives.hpp"

namespace echo::collective {

struct MeasuredCollective {
  ops::CollectiveQuery query;
  machine::GroupLinks links;
  std::int32_t nccl_version = 0;
  double seconds = 0.0;
  double weight = 1.0;
  std::int32_t family =
      0;  // one log, collective and group shape: never split between fitting and held-out rows
};

struct FittedConstants {
  NetworkConstants constants;
  std::vector<double>
      error;                // per field, one standard error in the constant's unit; 0 if no row depends on it
  std::vector<bool> moved;  // per field: whether any row depends on it
};

// NCCL's choices in each row do not depend on the constants: computed once.
class PreparedRows {
 public:
  explicit PreparedRows(std::span<const MeasuredCollective> rows);
  [[nodiscard]] std::size_t size() const { return calls_.size(); }
  [[nodiscard]] double predicted(std::size_t row, const NetworkConstants&) const;  // seconds

 private:
  struct Prepared {
    Call call;
    Communicator communicator;
    ops::Protocol protocol{};
    const Algorithm* algorithm = nullptr;
  };
  std::vector<Prepared> calls_;
};

// Source of the first guess: figures of other hardware, or of the same GPUs on another fabric.
enum class Guess : std::int8_t { other_gpu, same_gpu };

// Width of a constant's prior around its guess, in log units. Inside a node the same GPUs behave the same.
[[nodiscard]] double prior_width(std::string_view field, Guess);

// `centre` is both the first guess and the centre of the priors. Deterministic.
[[nodiscard]] FittedConstants fit_constants(std::span<const MeasuredCollective> rows,
                                            const NetworkConstants& centre, Guess guess = Guess::other_gpu);

}  // namespace echo::collective
