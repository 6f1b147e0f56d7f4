#include "kernels/database/database.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/counter_rng.hpp"
#include "kernels/database/database_image.hpp"
#include "kernels/database/price_known.hpp"
#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::a100, testing::gemm, testing::h100, testing::plausible_constants;

KernelConstants constants_named(const char* name) {
  KernelConstants constants = plausible_constants();
  constants.name = name;
  return constants;
}

const std::vector<machine::GpuSpec> gpus{a100(), h100()};
const std::vector<KernelConstants> constants{constants_named("a100-sxm"), constants_named("h100-sxm")};

Measurement measured(const ops::KernelKey& key, double seconds) { return {.key = key, .seconds = seconds}; }

// A database and the bytes it looks at.
struct Known {
  explicit Known(std::vector<Measurement> rows, std::vector<std::string> names = {"h100-sxm"})
      : image(make_image({std::move(names), {{}}, std::move(rows)}, gpus, constants)),
        database(std::as_bytes(std::span(image))) {}
  std::string image;
  Database database;
};

double benchmark_seconds(const ops::KernelKey& key) {
  return to_seconds(price_kernel(key, h100(), constants[1], Clocks::benchmark).alone);
}

const ops::KernelKey norm{.kind = ops::KernelKind::norm_forward, .m = 4096, .n = 8192};

TEST(Database, KnowsNothingWhereNothingWasMeasured) {
  EXPECT_EQ(Database().find("h100-sxm", norm), Evidence{});
  EXPECT_EQ(Known({}).database.find("h100-sxm", norm), Evidence{});
  EXPECT_TRUE(Known({}).database.is_empty());
}

TEST(Database, AMemoryBoundKernelTakesExactlyItsMeasuredTime) {
  const Known known({measured(norm, 123.456789e-6)});
  const ops::KernelPrice price = price_known(norm, h100(), constants[1], known.database);
  EXPECT_EQ(price.alone, SimTime(123'456'789));
  EXPECT_EQ(price.grade, ops::Grade::measured);
  EXPECT_EQ(price.error, static_cast<double>(0.01F));
}

TEST(Database, AProductOfAMicroBenchmarkKeepsTheFactorOfTrainingClocks) {
  const auto key = gemm(2048, 2048, 2048);
  const double bench = benchmark_seconds(key);
  const SimTime training = price_kernel(key, h100(), constants[1]).alone;
  ASSERT_GT(to_seconds(training), 1.05 * bench);
  const Known known({measured(key, 1.1 * bench)});
  EXPECT_NEAR(to_seconds(price_known(key, h100(), constants[1], known.database).alone),
              1.1 * to_seconds(training), 1e-11);
}

TEST(Database, AProductAtSustainedClocksTakesItsMeasuredTime) {
  const auto key = gemm(8192, 8192, 8192);
  Measurement row = measured(key, 2e-3);
  row.sustained = true;
  const Known known({row});
  EXPECT_EQ(price_known(key, h100(), constants[1], known.database).alone, from_seconds(2e-3));
}

TEST(Database, RepeatsCountAsTheirMedianAndSayHowFarApartTheyAre) {
  const double one = benchmark_seconds(norm);
  const Known known({measured(norm, 1.3 * one), measured(norm, one), measured(norm, 1.1 * one)});
  const Evidence found = known.database.find("h100-sxm", norm);
  EXPECT_NEAR(found.ratio, 1.1, 1e-6);
  EXPECT_NEAR(found.error, 0.15 / 1.1, 1e-6);
  const Known two({measured(norm, one), measured(norm, 1.2 * one)});
  EXPECT_NEAR(two.database.find("h100-sxm", norm).ratio, 1.1, 1e-6);
}

TEST(Database, ASpreadOfItsOwnIsTheErrorOfAMeasurement) {
  Measurement row = measured(norm, 1e-4);
  row.spread = 0.07;
  EXPECT_NEAR(Known({row}).database.find("h100-sxm", norm).error, 0.07, 1e-6);
}

TEST(Database, NeighboursAreWeighedByTheirDistance) {
  const auto low = gemm(4096, 4096, 4096), high = gemm(8192, 4096, 4096), between = gemm(5120, 4096, 4096);
  const Known known(
      {measured(low, 1.0 * benchmark_seconds(low)), measured(high, 1.2 * benchmark_seconds(high))});
  const Evidence found = known.database.find("h100-sxm", between);
  EXPECT_EQ(found.grade, ops::Grade::interpolated);
  // A quarter of an octave from the one, three quarters from the other.
  const double near = 1 / (0.0625 + 0.04), far = 1 / (0.5625 + 0.04);
  const double ratio = (near * 1.0 + far * 1.2) / (near + far);
  EXPECT_NEAR(found.ratio, ratio, 1e-6);
  const double scatter =
      (near * std::pow(1.0 / ratio - 1, 2) + far * std::pow(1.2 / ratio - 1, 2)) / (near + far);
  EXPECT_NEAR(found.error, std::sqrt(scatter + std::pow(0.05 + 0.05 * 0.25, 2)), 1e-6);
}

TEST(Database, TheErrorGrowsWithTheDistance) {
  const auto here = gemm(4096, 4096, 4096);
  const Known known({measured(here, benchmark_seconds(here))});
  double last = 0.0;
  for (const std::int32_t m : {4096, 4100, 5000, 6000, 8000, 11000}) {
    const Evidence found = known.database.find("h100-sxm", gemm(m, 4096, 4096));
    EXPECT_GT(found.error, last) << m;
    last = found.error;
  }
  EXPECT_EQ(known.database.find("h100-sxm", gemm(16384, 4096, 4096)), Evidence{}) << "two octaves away";
}

TEST(Database, OnlyTheShapeMayDiffer) {
  const auto key = gemm(4096, 4096, 4096);
  const Known known({measured(key, 1e-3)});
  const auto grade = [&](auto change) {
    ops::KernelKey other = gemm(4608, 4096, 4096);
    change(other);
    return known.database.find("h100-sxm", other).grade;
  };
  using ops::Grade;
  EXPECT_EQ(grade([](auto&) {}), Grade::interpolated);
  EXPECT_EQ(grade([](auto& k) { k.precision = machine::Precision::fp16; }), Grade::modelled);
  EXPECT_EQ(grade([](auto& k) { k.layout = ops::GemmLayout::nt; }), Grade::modelled);
  EXPECT_EQ(grade([](auto& k) { k.library = ops::KernelLibrary::sglang; }), Grade::modelled);
  EXPECT_EQ(grade([](auto& k) { k.fp32_accumulate = true; }), Grade::modelled);
  EXPECT_EQ(grade([](auto& k) { k.kind = ops::KernelKind::elementwise; }), Grade::modelled);
  EXPECT_EQ(known.database.find("a100-sxm", key).grade, Grade::modelled);
}

// A table of an inference library holds what its server does around the kernel; the ratio leaves that out.
TEST(Database, WhatServingAddsIsNotTheKernels) {
  ops::KernelKey key{
      .kind = ops::KernelKind::attention_forward, .causal = true, .m = 2048, .n = 2048, .k = 128};
  key.batch = 32, key.groups = 8;
  const double served = to_seconds(price_row(key, RowScope::serving, h100(), constants[1]).alone);
  ASSERT_GT(served, benchmark_seconds(key));
  Measurement row = measured(key, 1.1 * served);
  row.scope = RowScope::serving;
  EXPECT_NEAR(Known({row}).database.find("h100-sxm", key).ratio, 1.1, 1e-6);
}

TEST(Database, ExpertsThatTakeOtherSharesAreOtherShapes) {
  ops::KernelKey key{.kind = ops::KernelKind::expert_ffn, .gated = true, .m = 4096, .n = 768, .k = 2048};
  key.batch = 16, key.groups = 8;
  key.routing = {.experts = 128, .rows = 4096, .reached = 2600};
  const Known known({measured(key, 1e-3)});
  const auto grade = [&](auto change) {
    ops::KernelKey other = key;
    change(other.routing);
    return known.database.find("h100-sxm", other).grade;
  };
  using ops::Grade;
  EXPECT_EQ(grade([](auto&) {}), Grade::measured);
  EXPECT_EQ(grade([](auto& r) { r.rows = 5000; }), Grade::interpolated);
  EXPECT_EQ(grade([](auto& r) { r.rows = 20000; }), Grade::modelled);
  EXPECT_EQ(grade([](auto& r) { r.unevenness = 100; }), Grade::modelled);
}

TEST(Database, WhatAKindDoesNotReadDoesNotMatter) {
  ops::KernelKey styled = gemm(4096, 4096, 4096);
  styled.style = ops::KernelStyle::eager;
  const Known known({measured(gemm(4096, 4096, 4096), 1e-3)});
  EXPECT_EQ(known.database.find("h100-sxm", styled).grade, ops::Grade::measured);
}

TEST(Database, LeavesOutWhatCannotBePriced) {
  ops::KernelKey fp8 = gemm(4096, 4096, 4096);
  fp8.precision = machine::Precision::fp8;
  EXPECT_TRUE(Known({measured(fp8, 1e-3)}, {"a100-sxm"}).database.is_empty());
  EXPECT_TRUE(Known({measured(norm, 1e-3)}, {"no-such-gpu"}).database.is_empty());
  ops::KernelKey huge = norm;
  huge.m = huge.n = huge.batch = 2'000'000'000;
  EXPECT_TRUE(Known({measured(huge, 1e-3)}).database.is_empty());
}

TEST(Database, TheOrderOfRowsDoesNotMatter) {
  std::vector<Measurement> rows;
  for (std::int32_t i = 0; i < 40; ++i)
    rows.push_back(measured(gemm(256 + 97 * (i % 37), 512, 1024), 1e-5 + 1e-7 * i));
  const Known one(rows);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(one.image, Known(rows).image);
  EXPECT_EQ(one.database, Known(rows).database);
}

// The tree against every shape looked at.
TEST(Database, FindsTheNeighboursThatASearchOfAllFinds) {
  std::vector<Measurement> rows;
  const auto size = [](std::uint64_t draw, std::int32_t octaves) {
    return static_cast<std::int32_t>(64.0 * std::exp2(static_cast<double>(draw % 1000) / 1000.0 * octaves));
  };
  for (std::uint64_t i = 0; i < 800; ++i) {
    ops::KernelKey key = gemm(size(mix(3 * i), 8), size(mix(3 * i + 1), 6), size(mix(3 * i + 2), 5));
    rows.push_back(measured(
        key, (0.8 + 0.4 * static_cast<double>(mix(i + 77) % 1000) / 1000.0) * benchmark_seconds(key)));
  }
  const Known known(rows);
  const auto view = view_of(known.database.image());
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto key = gemm(size(mix(7 * i + 1), 8), size(mix(7 * i + 2), 6), size(mix(7 * i + 3), 5));
    const ShapePoint from = shape_point(key);
    std::vector<std::pair<float, std::uint32_t>> all;
    for (const Node& node : view.nodes) {
      float square = 0.0F;
      for (std::size_t axis = 0; axis < shape_axes; ++axis)
        square += (from[axis] - node.at[axis]) * (from[axis] - node.at[axis]);
      if (square <= 2.25F) all.emplace_back(square, node.shape);
    }
    std::sort(all.begin(), all.end());
    all.resize(std::min<std::size_t>(all.size(), 8));
    const Evidence found = known.database.find("h100-sxm", key);
    if (all.empty() || found.grade == ops::Grade::measured) continue;
    double sum = 0.0, weights = 0.0;
    for (const auto& [square, shape] : all) {
      sum += view.shapes[shape].ratio / (square + 0.04);
      weights += 1.0 / (square + 0.04);
    }
    EXPECT_NEAR(found.ratio, sum / weights, 1e-9) << i;
  }
}

TEST(PriceKnown, AShapeNotMeasuredHasTheModelsPrice) {
  const Known known({measured(norm, 1e-3)});
  const auto key = gemm(512, 512, 512);
  EXPECT_EQ(price_known(key, h100(), constants[1], known.database), price_kernel(key, h100(), constants[1]));
}

TEST(PriceKnown, ASlowerKernelDrawsLessBandwidth) {
  const double one = benchmark_seconds(norm);
  const Known known({measured(norm, 2.0 * one)});
  EXPECT_NEAR(price_known(norm, h100(), constants[1], known.database).memory_share,
              price_kernel(norm, h100(), constants[1]).memory_share / 2.0, 1e-6);
}

}  // namespace
}  // namespace echo::kernels
