#ifdef ECHO_HAS_CUPTI
#include "exsitu/activity_record.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace echo::exsitu {
namespace {

template <class Activity>
std::optional<NamedRecord> record(const Activity& activity) {
  return record_of(reinterpret_cast<const CUpti_Activity&>(activity));
}

TEST(ActivityRecord, AKernelKeepsItsTimesPlaceAndShape) {
  CUpti_ActivityKernel10 k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.start = 1000, k.end = 4500, k.deviceId = 1, k.streamId = 7, k.correlationId = 99, k.graphId = 3;
  k.gridX = 100, k.gridY = 3, k.gridZ = 2, k.blockX = 128, k.blockY = 2, k.blockZ = 1;
  k.name = "gemm";
  const auto kept = record(k);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->name, "gemm");
  const GpuRecord& r = kept->record;
  EXPECT_EQ(r.what, What::kernel);
  EXPECT_EQ(r.end - r.start, 3500);
  EXPECT_EQ(r.stream_id, 7);
  EXPECT_EQ(r.correlation, 99);
  EXPECT_EQ(r.amount, 600);
  EXPECT_EQ(r.threads, 256);
  EXPECT_EQ(r.graph, 3);
  k.name = nullptr;
  EXPECT_EQ(record(k)->name, "");
}

TEST(ActivityRecord, CopiesAndFillsKeepTheirBytes) {
  CUpti_ActivityMemcpy6 c{};
  c.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  c.bytes = 1 << 20, c.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  EXPECT_EQ(record(c)->record.amount, 1 << 20);
  EXPECT_EQ(record(c)->record.kind, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  CUpti_ActivityMemset4 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  m.bytes = 77;
  EXPECT_EQ(record(m)->record.what, What::fill);
  EXPECT_EQ(record(m)->record.amount, 77);
}

TEST(ActivityRecord, AStreamsWaitIsToldFromTheHosts) {
  CUpti_ActivitySynchronization2 s{};
  s.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  s.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  s.cudaEventId = 5, s.cudaEventSyncId = 1234, s.streamId = 9;
  EXPECT_EQ(record(s)->record.what, What::stream_waits);
  EXPECT_EQ(record(s)->record.event, 5);
  EXPECT_EQ(record(s)->record.amount, 1234);
  s.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  EXPECT_EQ(record(s)->record.what, What::host_waits);
}

TEST(ActivityRecord, OfMarkersOnlyRangesAreKept) {
  CUpti_ActivityMarker2 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MARKER;
  m.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
  m.name = "forward", m.id = 4, m.timestamp = 55;
  EXPECT_EQ(record(m)->record.what, What::marker_begins);
  EXPECT_EQ(record(m)->name, "forward");
  m.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
  EXPECT_EQ(record(m)->record.what, What::marker_ends);
  EXPECT_EQ(record(m)->name, "");  // CUPTI gives none there
  m.flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS;
  EXPECT_FALSE(record(m));
}

TEST(ActivityRecord, OnlyOurExternalCorrelationsAreKept) {
  CUpti_ActivityExternalCorrelation e{};
  e.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  e.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  e.externalId = 31, e.correlationId = 8;
  EXPECT_EQ(record(e)->record.start, 31);
  EXPECT_EQ(record(e)->record.correlation, 8);
  e.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  EXPECT_FALSE(record(e));
}

TEST(ActivityRecord, KindsOfNoInterestAreLeftOut) {
  CUpti_ActivityKernel10 any{};
  for (int kind = 0; kind < 100; ++kind) {
    any.kind = static_cast<CUpti_ActivityKind>(kind);
    const auto kept = record(any);
    EXPECT_TRUE(!kept || static_cast<int>(kept->record.what) >= 64) << kind;
  }
  any.kind = CUPTI_ACTIVITY_KIND_PCIE;
  EXPECT_FALSE(record(any));
}

TEST(NameTable, NumbersNamesOnceAndBoundsThem) {
  NameTable names(2);
  EXPECT_EQ(names.of("a").number, 1);
  EXPECT_TRUE(names.of("b").is_new);
  EXPECT_EQ(names.of("a").number, 1);
  EXPECT_FALSE(names.of("a").is_new);
  EXPECT_EQ(names.of("c").number, 0);
  EXPECT_EQ(names.of("").number, 0);
}

TEST(Enqueues, LaunchesCopiesAndEventsButNotQuestions) {
  for (const char* name :
       {"cudaLaunchKernel_v7000", "cuLaunchKernelEx_ptsz", "cudaMemcpyAsync_v3020", "cuMemsetD32Async",
        "cudaGraphLaunch_v10000", "cudaEventRecordWithFlags_v11010", "cuStreamWaitEvent"})
    EXPECT_TRUE(enqueues(name)) << name;
  for (const char* name :
       {"cudaMalloc_v3020", "cudaEventQuery_v3020", "cuStreamBeginCapture", "cudaGraphAddMemcpyNode_v10000",
        "cudaGetLastError_v3020", "", "cudaStreamSynchronize_v3020"})
    EXPECT_FALSE(enqueues(name)) << name;
}

}  // namespace
}  // namespace echo::exsitu

#endif
