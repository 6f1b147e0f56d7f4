// Database of measurements: the ratio of measured to modelled time of any kernel. Explained in database.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/constants.hpp"
#include "kernels/database/measurement.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Evidence for one kernel on one GPU kind. The database never returns a measured time, only its ratio to the
// model under the same conditions.
struct Evidence {
  ops::Grade grade = ops::Grade::modelled;  // measured, interpolated or modelled
  double ratio = 1.0;                       // measured over modelled
  double error = 0.0;                       // relative, one standard deviation; 0 where modelled
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

// Immutable view of bytes owned by the caller, so that the workers of a node can share them.
class Database {
 public:
  Database() = default;  // empty
  // `image`: from make_image(), aligned to 8 bytes; must outlive the database.
  explicit Database(std::span<const std::byte> image);

  // `gpu` is the preset's name.
  [[nodiscard]] Evidence find(std::string_view gpu, const ops::KernelKey&) const;
  [[nodiscard]] bool is_empty() const { return image_.empty(); }
  [[nodiscard]] std::span<const std::byte> image() const { return image_; }
  friend bool operator==(const Database&, const Database&);

 private:
  std::span<const std::byte> image_;
};

// Image of the database of a profile, relative to the prices of `gpus` and `constants`; equal content gives
// equal images. Measurements of GPUs or precisions that `gpus` and `constants` (found by GpuSpec::kernels)
// lack are left out.
[[nodiscard]] std::string make_image(const Profile&, std::span<const machine::GpuSpec> gpus,
                                     std::span<const KernelConstants> constants);

}  // namespace echo::kernels
