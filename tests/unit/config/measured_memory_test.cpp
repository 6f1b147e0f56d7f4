#include "config/measured/measured_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

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

TEST(MeasuredMemory, OutcomeIsStatedOrFollowsFromAMeasurement) {
  EXPECT_EQ(memory_outcome("out of memory", false), MemoryOutcome::out_of_memory);
  EXPECT_EQ(memory_outcome("ran", false), MemoryOutcome::ran);
  EXPECT_EQ(memory_outcome("nvidia-smi", true), MemoryOutcome::ran);
  EXPECT_EQ(memory_outcome("", false), MemoryOutcome::unknown);
}

TEST(MeasuredMemory, TheMeasuredStageIsTheFullestByItsFigureOrAnEnd) {
  std::vector<training::MemoryUse> stages(3);
  stages[0][training::MemoryPart::weights] = Bytes(10);
  stages[1][training::MemoryPart::weights] = Bytes(30);
  stages[2][training::MemoryPart::weights] = Bytes(20);
  stages[2][training::MemoryPart::comm_libraries] = Bytes(15);
  const auto stage = [&](MemoryFigure figure, MemoryOf of) {
    return &measured_stage(stages, {.figure = figure, .of = of}) - stages.data();
  };
  EXPECT_EQ(stage(MemoryFigure::allocated, MemoryOf::fullest), 1);
  EXPECT_EQ(stage(MemoryFigure::used, MemoryOf::fullest), 2);
  EXPECT_EQ(stage(MemoryFigure::allocated, MemoryOf::ends), 2);
}

}  // namespace
}  // namespace echo::config
