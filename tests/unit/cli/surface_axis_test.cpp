#include "cli/break_even/surface_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace echo::cli {
namespace {

std::vector<std::string> texts_of(const SurfaceAxis& axis) {
  std::vector<std::string> texts;
  for (const AxisPoint& point : axis.points) texts.push_back(point.text);
  return texts;
}

TEST(SurfaceAxis, AFieldAloneStandsForAllOfItsKind) {
  EXPECT_EQ(surface_axis("nic_rate").key, "cluster.nic_rate");
  EXPECT_EQ(surface_axis("hbm_bandwidth").key, "gpu.hbm_bandwidth");
  EXPECT_EQ(surface_axis("memory_bandwidth").key, "gpu.hbm_bandwidth");  // as preset files call it
  EXPECT_EQ(surface_axis("gpus.h100-sxm.flops").key, "gpus.h100-sxm.flops");
  EXPECT_EQ(surface_axis("gpus=64").key, "space.gpus");
  EXPECT_EQ(set_of(surface_axis("nic_rate=400Gb/s,800Gb/s"), 1), "cluster.nic_rate=800 Gb/s");
}

TEST(SurfaceAxis, WithoutValuesItGoesFromHalfToTwiceThroughThePresent) {
  const SurfaceAxis axis = surface_axis("gpu.flops");
  EXPECT_EQ(texts_of(axis),
            (std::vector<std::string>{"x0.5", "x0.63", "x0.794", "x1", "x1.26", "x1.59", "x2"}));
}

TEST(SurfaceAxis, ARangeHasEqualRatiosAndItsOwnEnds) {
  const SurfaceAxis axis = surface_axis("nic_rate=100 Gb/s..800Gb/s:4");
  EXPECT_EQ(texts_of(axis), (std::vector<std::string>{"100 Gb/s", "200 Gb/s", "400 Gb/s", "800 Gb/s"}));
  for (std::size_t i = 0; i + 1 < axis.points.size(); ++i)
    EXPECT_DOUBLE_EQ(axis.points[i + 1].number / axis.points[i].number, 2.0);
  EXPECT_EQ(texts_of(surface_axis("gpus=8..64:4")), (std::vector<std::string>{"8", "16", "32", "64"}));
  EXPECT_EQ(texts_of(surface_axis("gpus=7..9:7")),
            (std::vector<std::string>{"7", "8", "9"}));  // whole, once each
}

TEST(SurfaceAxis, NumbersAreWhatTheirTextsSay) {
  for (const AxisPoint& point : surface_axis("price=1.07USD..9.13USD:11").points)
    EXPECT_EQ(std::stod(point.text), point.number) << point.text;
  EXPECT_EQ(surface_axis("price=1USD..4USD:3").text_at(2.5), "2.5 USD");
}

TEST(SurfaceAxis, PricesAreOfAllOrOfOne) {
  EXPECT_EQ(surface_axis("price").kind, SurfaceAxis::Kind::price);
  EXPECT_EQ(surface_axis("price").key, "");
  EXPECT_EQ(surface_axis("price.h200-sxm=2..4").key, "h200-sxm");
  EXPECT_EQ(surface_axis("price.h200-sxm=2..4").points.size(), 7U);
}

TEST(SurfaceAxis, MistakesAreRefused) {
  for (const char* text :
       {"nic_rat", "gpus", "target.tokens", "nic_rate=", "nic_rate=abc", "nic_rate=1..",
        "nic_rate=0Gb/s..2Gb/s", "nic_rate=1Gb/s..2GB/s", "nic_rate=1Gb/s,2GB/s", "nic_rate=x1,2",
        "nic_rate=1Gb/s..2Gb/s:1", "nic_rate=1Gb/s..2Gb/s:99", "nic_rate=1Gb/s..2Gb/s:two", "", "=1"})
    EXPECT_THROW((void)surface_axis(text), UserError) << text;
}

}  // namespace
}  // namespace echo::cli
