#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/what_if.hpp"

namespace echo::simulate {
namespace {

struct World {
  Catalog catalog;
  Calibration calibration;
  std::size_t gpu;
};

World world() {
  const config::CatalogInputs inputs = config::read_catalog();
  return {inputs.catalog, inputs.calibration,
          static_cast<std::size_t>(find_named(inputs.catalog.gpus, "h100-sxm"))};
}

const kernels::KernelConstants& constants_of(const World& w, std::size_t gpu) {
  return w.calibration
      .kernels[static_cast<std::size_t>(find_named(w.calibration.kernels, w.catalog.gpus[gpu].kernels))];
}

TEST(WhatIf, EveryFieldOfEveryPresetTakesItsOwnValueBack) {
  for (const HardwareField& field : hardware_fields()) {
    World w = world();
    const Catalog before = w.catalog;
    const Calibration known = w.calibration;
    const std::size_t presets =
        field.kind == HardwareKind::gpu ? w.catalog.gpus.size() : w.catalog.clusters.size();
    for (std::size_t preset = 0; preset < presets; ++preset) {
      const double value = field.get(w.catalog, preset);
      if (value <= 0.0) continue;
      change_hardware(field, preset, value, w.catalog, w.calibration);
      machine::WhatIf& mark = field.kind == HardwareKind::gpu ? w.catalog.gpus[preset].what_if
                                                              : w.catalog.clusters[preset].what_if;
      EXPECT_EQ(mark, machine::WhatIf::same_speed) << field.name;
      mark = machine::WhatIf::none;
    }
    EXPECT_EQ(w.catalog, before) << field.name;
    EXPECT_EQ(w.calibration, known) << field.name;
  }
}

TEST(WhatIf, EveryFieldHoldsWhatItIsGivenAndKnowsWhetherItIsASpeed) {
  for (const HardwareField& field : hardware_fields()) {
    World w = world();
    const std::size_t preset =
        field.kind == HardwareKind::gpu
            ? w.gpu
            : static_cast<std::size_t>(find_named(w.catalog.clusters, "dgx-h100-ndr400"));
    const double value = field.get(w.catalog, preset);
    change_hardware(field, preset, 1.5 * value, w.catalog, w.calibration);
    EXPECT_NEAR(field.get(w.catalog, preset), 1.5 * value, 1e-9 * value) << field.name;
    const machine::WhatIf mark =
        field.kind == HardwareKind::gpu ? w.catalog.gpus[preset].what_if : w.catalog.clusters[preset].what_if;
    EXPECT_EQ(mark, field.is_speed ? machine::WhatIf::other_speed : machine::WhatIf::same_speed)
        << field.name;
    EXPECT_EQ(find_hardware_field(field.kind, field.name), &field);
    for (const std::string_view name : field.synonyms) {
      if (!name.empty()) {
        EXPECT_EQ(find_hardware_field(field.kind, name), &field);
      }
    }
  }
}

TEST(WhatIf, AKindThatSharesConstantsKeepsThem) {
  World w = world();
  const auto vboost = static_cast<std::size_t>(find_named(w.catalog.gpus, "h100-sxm-vboost"));
  const kernels::KernelConstants before = constants_of(w, vboost);
  const auto* hbm = find_hardware_field(HardwareKind::gpu, "hbm_bandwidth");
  const double half = constants_of(w, w.gpu).memory_half, rate = hbm->get(w.catalog, w.gpu);
  change_hardware(*hbm, w.gpu, 2.0 * rate, w.catalog, w.calibration);
  EXPECT_EQ(constants_of(w, vboost), before);
  EXPECT_EQ(constants_of(w, w.gpu).memory_half, 2.0 * half);  // a kernel starts no faster
  // Once more, from the changed rate: one copy, and the start still takes as long.
  change_hardware(*hbm, w.gpu, 4.0 * rate, w.catalog, w.calibration);
  EXPECT_EQ(constants_of(w, w.gpu).memory_half, 4.0 * half);
  EXPECT_EQ(w.catalog.gpus[w.gpu].kernels, "h100-sxm, what if");
}

TEST(WhatIf, TheRateOfL2StaysWhereTensorCoresAreFaster) {
  World w = world();
  const auto* flops = find_hardware_field(HardwareKind::gpu, "flops");
  const auto rate = [&] {
    return constants_of(w, w.gpu).gemm_l2 * w.catalog.gpus[w.gpu].peak_of(machine::Precision::bf16).value;
  };
  const double l2 = rate(), fp8 = w.catalog.gpus[w.gpu].peak_of(machine::Precision::fp8).value;
  change_hardware(*flops, w.gpu, 2.0 * flops->get(w.catalog, w.gpu), w.catalog, w.calibration);
  EXPECT_DOUBLE_EQ(rate(), l2);
  EXPECT_DOUBLE_EQ(w.catalog.gpus[w.gpu].peak_of(machine::Precision::fp8).value, 2.0 * fp8);
}

}  // namespace
}  // namespace echo::simulate
