// An axis of a break-even surface: a number of the hardware, a price or another key of the sweep, and the
// values it takes.
#pragma once

#include <string>
#include <vector>

namespace echo::cli {

struct AxisPoint {
  std::string text;     // as --set takes it: "800 Gb/s", "x1.5", "64"
  double number = 0.0;  // of the text, for the place of a boundary
};

struct SurfaceAxis {
  enum class Kind { set, price };
  Kind kind = Kind::set;
  std::string asked;  // "nic_rate", as the user names it
  std::string key;    // of Kind::set: "cluster.nic_rate"; of a price: the GPU or cluster, empty: all
  std::vector<AxisPoint> points;
  std::string before, unit;                                // of every point: "x" of a factor; "Gb/s"
  [[nodiscard]] std::string text_at(double number) const;  // "312 Gb/s", as a point between two
};

// "nic_rate", "cluster.nic_rate", "gpus.h100-sxm.flops", "gpus", "price", "price.h200-sxm", "gpu_mtbf", or
// any key that --set takes, with its values: "=100Gb/s..800Gb/s:8" (from, to and how many, at equal ratios),
// "=x0.5,x1,x2". Without values, hardware and prices go from half to twice what they are, in seven steps.
// UserError, 2, for what is none of these.
[[nodiscard]] SurfaceAxis surface_axis(const std::string& text);

// The --set of a point; of a price, the one that [economics] would take.
[[nodiscard]] std::string set_of(const SurfaceAxis&, std::size_t point);

}  // namespace echo::cli
