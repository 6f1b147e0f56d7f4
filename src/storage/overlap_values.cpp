#include "storage/overlap_values.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace echo::storage {
namespace {

using slowdown::Communication;
using slowdown::KernelMetrics;
using slowdown::OverlapRow;

template <auto member>
constexpr OverlapField row_field(std::string_view column) {
  return {column, [](const OverlapRow& row) { return static_cast<double>(row.*member); },
          [](OverlapRow& row, double value) {
            row.*member = static_cast<std::remove_reference_t<decltype(row.*member)>>(value);
          }};
}

template <auto member>
constexpr OverlapField metric_field(std::string_view column) {
  return {column, [](const OverlapRow& row) { return row.metrics.*member; },
          [](OverlapRow& row, double value) { row.metrics.*member = value; }};
}

template <auto member>
constexpr OverlapField communication_field(std::string_view column) {
  return {column, [](const OverlapRow& row) { return static_cast<double>(row.beside.*member); },
          [](OverlapRow& row, double value) {
            row.beside.*member = static_cast<std::remove_reference_t<decltype(row.beside.*member)>>(value);
          }};
}

// Does not compile when a row gets another member: give it a field below, and a column of its own.
[[maybe_unused]] void every_member(const OverlapRow& row) {
  [[maybe_unused]] const auto& [kernel, full_name, gpu, shape, metrics, beside, alone, overlapped, ratio,
                                spread, repeats, clock_mhz, origin] = row;
  [[maybe_unused]] const auto& [compute, memory, dram, achieved, maximum, l1, l2, tensor, fma, instructions,
                                registers, shared, blocks, threads] = row.metrics;
  [[maybe_unused]] const auto& [made_by, collective, algorithm, protocol, channels, block, payload, link,
                                draw, by_itself, together, share] = row.beside;
}

constexpr std::array<OverlapWord, 3> words{{
    {"gpu", [](const OverlapRow& row) -> const std::string& { return row.gpu; },
     [](OverlapRow& row, const std::string& word) { row.gpu = word; }, false},
    {"algorithm", [](const OverlapRow& row) -> const std::string& { return row.beside.algorithm; },
     [](OverlapRow& row, const std::string& word) { row.beside.algorithm = word; }, true},
    {"protocol", [](const OverlapRow& row) -> const std::string& { return row.beside.protocol; },
     [](OverlapRow& row, const std::string& word) { row.beside.protocol = word; }, true},
}};

}  // namespace

std::span<const OverlapField> overlap_fields() {
  using R = OverlapRow;
  using M = KernelMetrics;
  using C = Communication;
  static constexpr std::array fields{metric_field<&M::compute_throughput>("compute_throughput"),
                                     metric_field<&M::memory_throughput>("memory_throughput"),
                                     metric_field<&M::dram_throughput>("dram_throughput"),
                                     metric_field<&M::achieved_occupancy>("achieved_occupancy"),
                                     metric_field<&M::maximum_occupancy>("maximum_occupancy"),
                                     metric_field<&M::l1_hit_rate>("l1_hit_rate"),
                                     metric_field<&M::l2_hit_rate>("l2_hit_rate"),
                                     metric_field<&M::tensor_share>("tensor_share"),
                                     metric_field<&M::fma_share>("fma_share"),
                                     metric_field<&M::memory_share>("memory_share"),
                                     metric_field<&M::registers>("registers"),
                                     metric_field<&M::shared_memory>("shared_memory"),
                                     metric_field<&M::blocks>("blocks"),
                                     metric_field<&M::threads>("threads"),
                                     communication_field<&C::made_by>("communication"),
                                     communication_field<&C::collective>("collective"),
                                     communication_field<&C::channels>("channels"),
                                     communication_field<&C::threads>("communication_threads"),
                                     communication_field<&C::payload>("payload"),
                                     communication_field<&C::link_rate>("link_rate"),
                                     communication_field<&C::memory_rate>("memory_rate"),
                                     communication_field<&C::alone>("communication_alone"),
                                     communication_field<&C::overlapped>("communication_overlapped"),
                                     communication_field<&C::overlap_ratio>("communication_overlap_ratio"),
                                     row_field<&R::alone>("alone"),
                                     row_field<&R::overlapped>("overlapped"),
                                     row_field<&R::overlap_ratio>("overlap_ratio"),
                                     row_field<&R::spread>("spread"),
                                     row_field<&R::repeats>("repeats"),
                                     row_field<&R::clock_mhz>("clock"),
                                     row_field<&R::origin>("origin")};
  return fields;
}

const OverlapField* overlap_field(std::string_view column) {
  const auto fields = overlap_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const OverlapField& field) { return field.column == column; });
  return found == fields.end() ? nullptr : &*found;
}

const OverlapWord* overlap_word(std::string_view column) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const OverlapWord& word) { return word.column == column; });
  return found == words.end() ? nullptr : &*found;
}

}  // namespace echo::storage
