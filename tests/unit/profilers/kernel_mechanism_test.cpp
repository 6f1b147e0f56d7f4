#include "profilers/kernels/kernel_mechanism.hpp"

#include <gtest/gtest.h>

#include "profilers/device/memory_kernels.hpp"
#include "profilers/kernels/profile_grid.hpp"
#include "profilers/overlap/rotation.hpp"
#include "profilers/overlap/stream_tiles.hpp"

namespace echo::profilers {
namespace {

using machine::Precision;
using ops::KernelKey;
using ops::KernelKind;

std::vector<KernelKey> keys_of_every_kind() {
  std::vector<KernelKey> keys;
  for (std::int32_t kind = 0; kind < ops::kernel_kind_count; ++kind)
    for (const Precision precision : {Precision::bf16, Precision::fp32})
      for (const bool gated : {false, true})
        for (const std::int32_t n : {1, 2, 4, 28, 30, 38, 46, 54, 4096})
          keys.push_back({.kind = static_cast<KernelKind>(kind),
                          .precision = precision,
                          .gated = gated,
                          .m = 384,
                          .n = n,
                          .k = 128,
                          .batch = 3});
  return keys;
}

TEST(StreamRecipe, MovesTheBytesOfTheOp) {
  std::int32_t with_recipe = 0;
  for (const KernelKey& key : keys_of_every_kind()) {
    std::int64_t bytes = 0;
    for (const StreamRecipe& recipe : stream_recipes(key)) bytes += recipe.bytes();
    if (bytes == 0) continue;
    ++with_recipe;
    EXPECT_EQ(stream_elements(key) * bytes, ops::traffic_of(key).value) << ops::name_of(key.kind);
  }
  EXPECT_GT(with_recipe, 40);
}

TEST(StreamRecipe, HasAKernelThatIsBuilt) {
  std::vector<KernelKey> keys = keys_of_every_kind();
  for (const KernelKey& key : octave_grid()) keys.push_back(key);
  for (const KernelKey& key : keys)
    for (const StreamRecipe& recipe : stream_recipes(key))
      EXPECT_TRUE(has_stream_kernel(recipe)) << ops::name_of(key.kind) << " " << key.n;
}

TEST(StreamRecipe, OfACastMovesEveryCopyThatSharesAScale) {
  const auto cast = [](std::int32_t copies, std::int32_t block) {
    return KernelKey{.kind = KernelKind::quantize,
                     .precision = Precision::fp8,
                     .m = 64,
                     .n = 4096,
                     .k = block,
                     .groups = copies};
  };
  for (const std::int32_t copies : {1, 2}) {
    const KernelKey key = cast(copies, 1);
    ASSERT_EQ(stream_recipes(key).size(), 1u);
    EXPECT_EQ(stream_elements(key) * stream_recipes(key)[0].bytes(), ops::traffic_of(key).value);
  }
  EXPECT_TRUE(stream_recipes(cast(1, 128)).empty());
  EXPECT_TRUE(stream_recipes(cast(3, 1)).empty());
}

TEST(Mechanism, RunsGroupsOfProductsThatTheQueueHolds) {
  const auto group = [](std::int32_t count) {
    return KernelKey{.kind = KernelKind::gemm, .grouped = true, .m = 64, .n = 64, .k = 64, .batch = count};
  };
  EXPECT_EQ(mechanism_of(group(most_grouped)), Mechanism::gemm);
  EXPECT_EQ(mechanism_of(group(most_grouped + 1)), Mechanism::none);
}

TEST(StreamRecipe, OfAnUpdateHasAPassForClippingAndOneForUnscaling) {
  const auto passes = [](std::int32_t bytes) {
    return stream_recipes({.kind = KernelKind::optimizer, .m = 8, .n = bytes}).size();
  };
  EXPECT_EQ(passes(30), 1u);
  EXPECT_EQ(passes(38), 2u);
  EXPECT_EQ(passes(46), 3u);
  EXPECT_EQ(passes(54), 0u);
}

TEST(RowKernel, MovesTheBytesOfTheOp) {
  for (const KernelKind kind : {KernelKind::norm_forward, KernelKind::norm_backward,
                                KernelKind::softmax_forward, KernelKind::softmax_backward}) {
    const KernelKey key{.kind = kind, .m = 100, .n = 4096, .batch = 2};
    ASSERT_TRUE(is_row_kernel(key));
    const bool has_second = kind == KernelKind::norm_backward || kind == KernelKind::softmax_backward;
    EXPECT_EQ((has_second ? 3 : 2) * 2 * 100 * 4096 * 2, ops::traffic_of(key).value);
  }
}

TEST(Mechanism, IsNoneExactlyWhereThereIsAReason) {
  for (const KernelKey& key : keys_of_every_kind())
    EXPECT_EQ(mechanism_of(key) == Mechanism::none, why_not_run(key) != nullptr) << ops::name_of(key.kind);
}

TEST(Mechanism, LeavesOutWhatNoKernelHereImitates) {
  EXPECT_NE(why_not_run({.kind = KernelKind::permute, .m = 10, .n = 10}), nullptr);
  EXPECT_NE(why_not_run({.kind = KernelKind::norm_forward, .style = ops::KernelStyle::eager, .m = 8, .n = 8}),
            nullptr);
  EXPECT_NE(why_not_run({.kind = KernelKind::gemm, .precision = Precision::mxfp8, .m = 8, .n = 8, .k = 8}),
            nullptr);
  EXPECT_NE(why_not_run({.kind = KernelKind::gemm, .m = 0, .n = 8, .k = 8}), nullptr);
}

TEST(StreamTiles, TouchEveryVectorOnce) {
  for (const std::int32_t width : StreamRecipe::widths)
    for (const std::int64_t elements : {1, 4096, 4097, 40000}) {
      std::vector<int> touched(static_cast<std::size_t>(stream_array_bytes(elements, width) / vector_bytes),
                               0);
      for (std::int64_t tile = 0; tile < stream_tiles(elements); ++tile)
        for (std::int32_t round = 0; round < width; ++round)
          for (std::int32_t thread = 0; thread < stream_threads; ++thread)
            ++touched.at(static_cast<std::size_t>(stream_vector(tile, width, round, thread)));
      EXPECT_EQ(touched, std::vector<int>(touched.size(), 1))
          << width << " bytes, " << elements << " elements";
      EXPECT_GE(stream_array_bytes(elements, width), elements * width);
    }
}

TEST(Rotation, KeepsArraysApartAndLargerThanL2) {
  const std::vector<std::int64_t> sizes{1000, 1, 5000};
  const std::int64_t l2 = 100000, turns = turns_for(6001, l2);
  const Rotation arrays = rotation(sizes, turns);
  EXPECT_GE(arrays.bytes(), 3 * l2);
  std::int64_t end = 0;
  for (std::int64_t launch = 0; launch < turns; ++launch)
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_GE(arrays.offset(i, launch), end);
      EXPECT_EQ(arrays.offset(i, launch) % 256, 0);
      EXPECT_EQ(arrays.offset(i, launch), arrays.offset(i, launch + turns));
      end = arrays.offset(i, launch) + sizes[i];
    }
  EXPECT_LE(end, arrays.bytes());
}

TEST(Rotation, NeedsOneTurnForArraysLargerThanL2) { EXPECT_EQ(turns_for(1 << 30, 50 << 20), 1); }

}  // namespace
}  // namespace echo::profilers
