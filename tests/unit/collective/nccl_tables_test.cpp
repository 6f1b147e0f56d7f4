#include "collective/nccl_tables.hpp"

#include <gtest/gtest.h>

namespace echo::collective {
namespace {

TEST(NcclTables, VersionsFindTheirFamily) {
  EXPECT_EQ(nccl_tables(2804).first_version, 20000);  // 2.8.4, printed the old way
  EXPECT_EQ(nccl_tables(21003).first_version, 20000);
  EXPECT_EQ(nccl_tables(21212).first_version, 21200);
  EXPECT_EQ(nccl_tables(21803).first_version, 21800);
  EXPECT_EQ(nccl_tables(22005).first_version, 21900);
  EXPECT_EQ(nccl_tables(22105).first_version, 22100);
  EXPECT_EQ(nccl_tables(22602).first_version, 22400);
  EXPECT_EQ(nccl_tables(22902).first_version, 22900);
  EXPECT_EQ(nccl_tables(99999).first_version, 23000);
}

TEST(NcclTables, KeepWhatTheReleasesChanged) {
  EXPECT_EQ(nccl_tables(21003).hop[2][1][2], 9.6);  // ring, network, Simple
  EXPECT_EQ(nccl_tables(21205).hop[2][1][2], 28);
  EXPECT_EQ(nccl_tables(22105).hop[2][1][2], 14);
  EXPECT_EQ(nccl_tables(22105).hop[0][0][2], 28);  // tree, NVLink, Simple
  EXPECT_EQ(nccl_tables(22304).hop[0][0][2], 4);
  EXPECT_EQ(nccl_tables(22703).tree[3][0], 2 * 38.7);
  EXPECT_EQ(nccl_tables(22809).tree[3][0], 70);
  EXPECT_EQ(nccl_tables(21003).nvls, NvlsRule::none);
  EXPECT_EQ(nccl_tables(22105).pat_share, 0.0);  // 2.23 brought PAT, 2.24 thought less of it
  EXPECT_EQ(nccl_tables(22304).pat_share, 0.85);
  EXPECT_EQ(nccl_tables(22403).pat_share, 0.75);
  EXPECT_EQ(nccl_tables(21803).hop[2][2][2], 10.7);  // CollNet direct, network
  EXPECT_EQ(nccl_tables(21903).hop[2][2][2], 31);
}

TEST(NcclTables, TreeCorrectionDipsInTheMiddle) {
  EXPECT_EQ(tree_correction(0, 64, 23), 1.0);
  EXPECT_EQ(tree_correction(0, 512 << 10, 23), 0.4);
  EXPECT_EQ(tree_correction(2, 1 << 20, 23), 0.5);
  EXPECT_EQ(tree_correction(2, std::int64_t{1} << 34, 23), 1.0);
  EXPECT_EQ(tree_correction(1, 1, 23), 1.0);
}

}  // namespace
}  // namespace echo::collective
