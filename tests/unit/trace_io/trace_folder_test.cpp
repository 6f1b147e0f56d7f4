#include "trace_io/model/trace_folder.hpp"

#include <gtest/gtest.h>

namespace echo::trace_io {
namespace {

TEST(TraceFolder, FilesAreNamedAfterTheirRank) {
  EXPECT_EQ(rank_in_name("a/rank-7.json.gz"), 7);
  EXPECT_EQ(rank_in_name("trace_rank12.json"), 12);
  EXPECT_EQ(rank_in_name("Rank_0.pt.trace.json"), 0);
  EXPECT_EQ(rank_in_name("rank-3/trace.json"), -1);
  EXPECT_EQ(rank_in_name("frank.json"), -1);
  EXPECT_EQ(rank_in_name("rank-99999999999.json"), -1);
}

}  // namespace
}  // namespace echo::trace_io
