#include "trace_io/model/stream_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace echo::trace_io {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

trace::RankTrace rank_of(const std::vector<trace::Node>& nodes) {
  trace::RankTrace out;
  out.nodes = nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) out.needs.close_row(), out.follows.close_row();
  return out;
}

TEST(StreamOrder, ChainsNodesOfAStream) {
  const auto order =
      stream_order(rank_of({{.stream = 0}, {.stream = 1}, {.stream = 0}, {.stream = -1}, {.stream = 0}}));
  EXPECT_THAT(order.row(1), IsEmpty());
  EXPECT_THAT(order.row(2), ElementsAre(0));
  EXPECT_THAT(order.row(3), IsEmpty());
  EXPECT_THAT(order.row(4), ElementsAre(2));
}

// A send and a receive of one ncclGroup run side by side: a chain between them would be a deadlock with a
// peer that has them the other way round.
TEST(StreamOrder, DoesNotChainWhatGoesOutAsOne) {
  const auto order =
      stream_order(rank_of({{.launch = -1}, {.launch = 7}, {.launch = 7}, {.launch = 8}, {.launch = 8}}));
  EXPECT_THAT(order.row(1), ElementsAre(0));
  EXPECT_THAT(order.row(2), ElementsAre(0));
  EXPECT_THAT(order.row(3), ElementsAre(1, 2));
  EXPECT_THAT(order.row(4), ElementsAre(1, 2));
}

TEST(StreamOrder, HoldsEveryStreamAtAWait) {
  const auto order = stream_order(rank_of({{.stream = 0},
                                           {.kind = trace::NodeKind::wait, .stream = 0},
                                           {.stream = 0},
                                           {.stream = 3},
                                           {.stream = 3},
                                           {.stream = -1}}));
  EXPECT_THAT(order.row(1), IsEmpty());  // it waits for what it needs, not for its stream
  EXPECT_THAT(order.row(2), ElementsAre(0, 1));
  EXPECT_THAT(order.row(3), ElementsAre(1));
  EXPECT_THAT(order.row(4), ElementsAre(3));
  EXPECT_THAT(order.row(5), ElementsAre(1));
}

}  // namespace
}  // namespace echo::trace_io
