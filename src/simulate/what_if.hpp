// Hardware as it might be: the numbers of a GPU or a cluster that a what-if may change, and what else in the
// catalog and the calibration follows from each.
//
// What follows. The rates of kernels and of collectives are stored as shares of the data sheet's, so that
// they follow by themselves: NCCL's search for channels sees the new links too. Constants that are really
// times or rates of something that the what-if leaves alone are kept as those, in a copy of the constants of
// the GPU kind:
//   faster HBM      the start of a kernel takes as long as before (Little's law: the bytes in flight that
//                   fill HBM grow with its bandwidth), and L2 stays as fast as it is
//   faster tensor   only these are: softmax, the filling of a product's pipeline, the operands that a small
//   cores           tile loads and the bandwidth of L2 take as long as before. All precisions change alike
// Neglected: the power limit, which both would meet sooner; a change of the number of SMs or of the clocks.
// The power of a GPU with another speed is unknown, and with it the energy of its steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"

namespace echo::simulate {

enum class HardwareKind : std::int8_t { gpu, cluster };
enum class Measure : std::int8_t { bytes, bytes_per_second, flops_per_second, seconds };

struct HardwareField {
  std::string_view name;                     // "nic_rate"
  std::array<std::string_view, 2> synonyms;  // of preset files and of expressions; empty: none
  HardwareKind kind;
  Measure measure;
  bool is_speed;        // kernels or collectives are timed by it
  bool is_of_a_fabric;  // a fabric that is given link by link has it in its file
  // The value of the preset of this index, in bytes, seconds and what is per second; 0 = not known.
  double (*get)(const Catalog&, std::size_t preset);
  // Gives it the value. Precondition: value > 0, and get() > 0 where other numbers follow.
  void (*set)(Catalog&, Calibration&, std::size_t preset, double value);
};

[[nodiscard]] std::span<const HardwareField> hardware_fields();
// By name or synonym; null where there is none.
[[nodiscard]] const HardwareField* find_hardware_field(HardwareKind, std::string_view name);
// Changes one field, and marks the preset as a what-if even where the value is the present one.
void change_hardware(const HardwareField&, std::size_t preset, double value, Catalog&, Calibration&);

}  // namespace echo::simulate
