// The factors on shipped constants that may differ at one site, each with a meaning and with its prior
// deviation from 1 before any measurement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/measured/measured_steps.hpp"

namespace echo::config {

enum class SiteQuantity : std::int8_t {
  products,   // speed of matrix products and attention inside a training step: clocks, power, cooling
  memory,     // bandwidth of the GPU's memory
  scale_up,   // share of the scale-up links' rate that collectives reach
  scale_out,  // share of the NICs' rate that they reach
  latency,    // of collectives, all steps of it
  host,       // the CPU's time to issue a kernel
  fixed       // the host's time that each step waits for: data, logging, timers
};

struct SiteQuantityFacts {
  std::string_view name;      // "products"
  std::string_view section;   // of the preset it belongs to: "kernels", ...
  std::string_view meaning;   // as text, for reports
  double prior_sigma = 0.0;   // of the factor's logarithm
  std::string_view evidence;  // where the prior's width is from
};
[[nodiscard]] const SiteQuantityFacts& facts_of(SiteQuantity);

// One factor: on the rates of products, memory and links, on the times of latency, host and fixed.
struct SiteConstant {
  SiteQuantity quantity{};
  std::string preset;        // of the section of its quantity
  double prior_sigma = 0.0;  // of the factor's logarithm
  friend bool operator==(const SiteConstant&, const SiteConstant&) = default;
};

// Those of the presets that the rows' configs use, by quantity, then by name. The products of a GPU that is
// priced with a relative's constants are known less well.
[[nodiscard]] std::vector<SiteConstant> site_constants_of(const MeasuredSteps&);

// Contract: factor > 0, the preset is there. Links reach no more than their rate.
void apply(const SiteConstant&, double factor, simulate::Catalog&, simulate::Calibration&);

// The constant that the factor changes most visibly, as text: "0.757 of a micro-benchmark's rate".
[[nodiscard]] std::string shown(const SiteConstant&, const simulate::Catalog&, const simulate::Calibration&);

}  // namespace echo::config
