// Evaluates the records of one cell: times of each launch and communication, and their overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profilers/gpu_record.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::profilers {

// Names of our own kernels, as they stand in records.
inline constexpr std::string_view proxy_name = "echo_communication_proxy", gate_name = "echo_gate";

// The kind of a record, by its name.
enum class Role : std::int8_t { kernel, communication, other };
// `beside`: what the communication is made by in this cell; a kernel of that kind is the communication, a
// gate is neither, all else is the kernel that is measured.
[[nodiscard]] Role role_of(const GpuRecord&, slowdown::CommunicationKind beside);

// A run's launches, in words of the records: device and number.
struct CellRun {
  std::int32_t device = 0;
  std::int32_t launches = 0;            // of the kernel; 0 = the communication alone
  std::int32_t kernels_per_launch = 1;  // a split product is followed by its sum, a backward pass by a cast
  slowdown::CommunicationKind beside = slowdown::CommunicationKind::unknown;  // unknown = nothing
};

struct Sample {
  double seconds = 0.0;
  double beside = 0.0;  // share of that time with the other running, 0..1
};

// The first launches of a run start on an idle machine, and are not counted.
inline constexpr std::size_t launches_at_rest = 2;

struct CellSamples {
  std::vector<Sample> kernel, communication;  // in order of their start
  std::string kernel_name;                    // mangled; of the longest kernel of a launch
  LaunchShape kernel_shape;                   // its
  std::int32_t channels = 0, threads = 0;     // of the communication's kernel as it ran; 0 = it is none
};

// A launch lasts from the start of its first kernel to the end of its last. UserError, 1, where records were
// lost (not as many as launches imply).
[[nodiscard]] CellSamples read_cell(std::span<const GpuRecord>, const CellRun&);

// "_ZN3foo3barEv" -> "foo::bar()"; a name that is not mangled stays as it is.
[[nodiscard]] std::string demangled(const std::string& name);

}  // namespace echo::profilers
