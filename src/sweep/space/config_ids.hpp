// Ids of configs that differ from the one before in a few axes: only those pieces of the text are written
// again. The ids are config_id_of's, for configs in any order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/space/canonical_text.hpp"
#include "training/axis_values.hpp"

namespace echo::sweep {

class ConfigIds {
 public:
  explicit ConfigIds(const simulate::Catalog& catalog);  // keeps a reference
  // Contract: `config` is normalised, and `values` are its.
  [[nodiscard]] std::uint64_t of(const training::TrainingConfig& config, const training::AxisValues& values);

 private:
  // The texts of a piece that were met last.
  struct Known {
    std::int32_t value = 0, beside = 0;
    std::string text;
  };
  struct Piece {
    TextPiece reads;
    std::vector<Known> known;  // at most a few
    std::size_t oldest = 0;
  };
  const std::string& text_of(Piece&, const training::TrainingConfig&, const training::AxisValues&);
  void renew(std::size_t piece, const training::TrainingConfig&, const training::AxisValues&);

  const simulate::Catalog* catalog_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> begins_;                             // [pieces + 1] in the text
  std::array<std::vector<std::size_t>, axis_count> pieces_with_;  // [axis] that read it
  training::AxisValues values_{};
  bool is_first_ = true;
  std::string text_;
};

}  // namespace echo::sweep
