// What measurements say about any kernel: how its measured time stands to the modelled one. The essay is in
// database.cpp.
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

// What is known of one kernel on one GPU kind. A measured time in the file's own units never leaves the
// database: only its ratio to the model under the same conditions does.
struct Evidence {
  ops::Grade grade = ops::Grade::modelled;  // measured, interpolated or modelled
  double ratio = 1.0;                       // measured over modelled
  double error = 0.0;                       // relative, one standard deviation; 0 where modelled
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

// Immutable; a view of bytes that somebody else keeps alive, so that the workers of a node can share them.
class Database {
 public:
  Database() = default;  // knows nothing
  // `image`: of make_image(), aligned to 8 bytes; outlives the database.
  explicit Database(std::span<const std::byte> image);

  // `gpu` is the preset's name.
  [[nodiscard]] Evidence find(std::string_view gpu, const ops::KernelKey&) const;
  [[nodiscard]] bool is_empty() const { return image_.empty(); }
  [[nodiscard]] std::span<const std::byte> image() const { return image_; }
  friend bool operator==(const Database&, const Database&);

 private:
  std::span<const std::byte> image_;
};

// The database of a profile, priced with what the sweep knows; one image for one content. Measurements of
// GPUs or precisions that `gpus` and `constants` (found by GpuSpec::kernels) lack are left out.
[[nodiscard]] std::string make_image(const Profile&, std::span<const machine::GpuSpec> gpus,
                                     std::span<const KernelConstants> constants);

}  // namespace echo::kernels
