// The text whose hash is the id of a config: "name=value;" for every axis in canonical order. Settings at
// their plain value are left out where a later version might add such settings, so that ids survive the
// addition.
#pragma once

#include <span>
#include <string>

#include "simulate/catalog.hpp"
#include "sweep/axis.hpp"
#include "training/config.hpp"

namespace echo::sweep {

// One piece of the text. It depends on the values of `axis` and, where it is another one, of `beside`.
struct TextPiece {
  Axis axis{}, beside{};
};
[[nodiscard]] std::span<const TextPiece> text_pieces();  // in their order

// Appends one piece; nothing where its setting is left out. Contract: `config` is normalised.
void append_piece(Axis axis, const training::TrainingConfig& config, const simulate::Catalog& catalog,
                  std::string& text);

// All pieces. Contract: `config` is normalised.
[[nodiscard]] std::string canonical_text(const training::TrainingConfig& config,
                                         const simulate::Catalog& catalog);

}  // namespace echo::sweep
