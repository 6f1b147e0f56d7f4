#include "config/measured/measured_memory.hpp"

#include <gtest/gtest.h>

namespace echo::config {
namespace {

TEST(MeasuredMemory, KindsSayWhatAFigureIs) {
  const MeasuredMemory torch = measured_memory(40.0, "max torch max_memory_allocated over ranks");
  EXPECT_EQ(torch.figure, MemoryFigure::allocated);
  EXPECT_DOUBLE_EQ(torch.gib, 40.0);
  EXPECT_EQ(torch.kind, "allocated, fullest stage");
  const MeasuredMemory smi = measured_memory(40.0, "nvidia-smi GB, first/last (embedding) nodes");
  EXPECT_EQ(smi.figure, MemoryFigure::used);
  EXPECT_EQ(smi.of, MemoryOf::ends);
  EXPECT_DOUBLE_EQ(smi.gib, 40.0 * 1000 / 1024);
  EXPECT_EQ(measured_memory(1.0, "max over GPUs (reserved or active per torchtitan metrics)").figure,
            MemoryFigure::reserved);
}

TEST(MeasuredMemory, DecimalGigabytesBecomeBinaryOnes) {
  EXPECT_NEAR(measured_memory(80.0, "GB as printed").gib, 74.5058, 1e-4);
  EXPECT_DOUBLE_EQ(measured_memory(80.0, "GPU memory as printed (GB)").gib, 80.0);  // nanotron's GB are GiB
}

TEST(MeasuredMemory, WhatNothingIsSaidOfIsTheDevices) {
  EXPECT_EQ(measured_memory(1.0, "").figure, MemoryFigure::used);
}

}  // namespace
}  // namespace echo::config
