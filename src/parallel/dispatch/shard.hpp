// One of several jobs that share a design space: points are distributed round robin in small blocks, so that
// every shard gets a part of every region, cheap or expensive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "parallel/dispatch/id_set.hpp"

namespace echo::parallel {

struct Shard {
  std::int32_t number = 1, count = 1;  // number counts from 1
  [[nodiscard]] bool is_whole() const { return count == 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

inline constexpr sweep::PointIndex shard_block = 64;  // points

[[nodiscard]] Shard parse_shard(std::string_view text);  // "2/8"; UserError 2; "" = the whole
[[nodiscard]] std::string text_of(const Shard&);         // "2/8"; "" = the whole
[[nodiscard]] IdSet ids_of(const Shard&, sweep::PointIndex size);
// results.h5 -> results.shard-2-of-8.h5; the same name for the whole.
[[nodiscard]] std::filesystem::path file_of(const Shard&, const std::filesystem::path& whole);

}  // namespace echo::parallel
