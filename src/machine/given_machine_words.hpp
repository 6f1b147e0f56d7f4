// The words of machines given by their dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo::machine {

// The links of GPUs that differ in one coordinate. ring: a cable to each of two neighbours. fully_connected:
// a cable to every other GPU. switched: one port. line: an open ring.
enum class DimensionKind : std::int8_t { ring, fully_connected, switched, line };
inline constexpr std::array<std::string_view, 4> dimension_kind_names{"Ring", "FullyConnected", "Switch",
                                                                      "Line"};

// How a collective is done within one dimension. fastest: by the fastest that serves the call. ring:
// neighbour to neighbour, one way round; all-to-alls store and forward. direct: to all others at once, or to
// a window of them. Source of the algorithms: astra-sim/system/astraccl of astra-sim.
enum class DimensionAlgorithm : std::int8_t { fastest, ring, direct, halving_doubling, double_binary_tree };
inline constexpr std::array<std::string_view, 5> dimension_algorithm_names{
    "fastest", "ring", "direct", "halving_doubling", "double_binary_tree"};

// The collectives that a machine chooses an algorithm for.
enum class ChosenCollective : std::int8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
inline constexpr std::array<std::string_view, 4> chosen_collective_names{"all_reduce", "all_gather",
                                                                         "reduce_scatter", "all_to_all"};

// The order in which the chunks of a collective take the dimensions. ascending: all from the GPU outwards.
// themis: the least loaded first, in chunks of one size; themis_sized: in chunks that level the loads
// (Rashidi et al., ISCA 2022).
enum class ChunkOrder : std::int8_t { ascending, themis, themis_sized };
inline constexpr std::array<std::string_view, 3> chunk_order_names{"ascending", "themis", "themis_sized"};

// Messages of one rank at the same time: each at the full rate of its link, as in ASTRA-sim's
// congestion-unaware back end, or one behind the other and whole before a switch passes them on, as in the
// congestion-aware one.
enum class LinkSharing : std::int8_t { unaware, aware };
inline constexpr std::array<std::string_view, 2> link_sharing_names{"unaware", "aware"};

}  // namespace echo::machine
