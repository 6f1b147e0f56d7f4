#include "sweep/space/config_ids.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/at.hpp"
#include "base/digest.hpp"

namespace echo::sweep {

using training::AxisValues;
using training::TrainingConfig;

namespace {

constexpr std::size_t most_known = 16;  // texts of a piece

}  // namespace

ConfigIds::ConfigIds(const simulate::Catalog& catalog) : catalog_(&catalog) {
  for (const TextPiece& reads : text_pieces()) {
    pieces_with_[at(reads.axis)].push_back(pieces_.size());
    if (reads.beside != reads.axis) pieces_with_[at(reads.beside)].push_back(pieces_.size());
    pieces_.emplace_back().reads = reads;
  }
  begins_.assign(pieces_.size() + 1, 0);
}

const std::string& ConfigIds::text_of(Piece& piece, const TrainingConfig& config, const AxisValues& values) {
  const std::int32_t value = values[at(piece.reads.axis)], beside = values[at(piece.reads.beside)];
  for (const Known& known : piece.known)
    if (known.value == value && known.beside == beside) return known.text;
  Known met{.value = value, .beside = beside, .text = {}};
  append_piece(piece.reads.axis, config, *catalog_, met.text);
  if (piece.known.size() < most_known) return piece.known.emplace_back(std::move(met)).text;
  Known& place = piece.known[piece.oldest++ % most_known];
  place = std::move(met);
  return place.text;
}

void ConfigIds::renew(std::size_t piece, const TrainingConfig& config, const AxisValues& values) {
  const std::string& with = text_of(pieces_[piece], config, values);
  const std::uint32_t begin = begins_[piece], length = begins_[piece + 1] - begin;
  text_.replace(begin, length, with);
  const std::uint32_t longer = static_cast<std::uint32_t>(with.size()) - length;  // modulo 2^32
  if (longer == 0) return;
  for (std::size_t i = piece + 1; i < begins_.size(); ++i) begins_[i] += longer;
}

std::uint64_t ConfigIds::of(const TrainingConfig& config, const AxisValues& values) {
  if (is_first_) {
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) renew(piece, config, values);
    is_first_ = false;
  } else {
    constexpr std::size_t stride = 8;  // compared at once
    for (std::size_t begin = 0; begin < values.size(); begin += stride) {
      const std::size_t count = std::min(stride, values.size() - begin);
      if (std::memcmp(&values[begin], &values_[begin], count * sizeof values[0]) == 0) continue;
      for (std::size_t axis = begin; axis < begin + count; ++axis)
        if (values[axis] != values_[axis])
          for (const std::size_t piece : pieces_with_[axis]) renew(piece, config, values);
    }
  }
  values_ = values;
  return hash64(std::as_bytes(std::span(text_)));
}

}  // namespace echo::sweep
