#include "base/id.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/at.hpp"
#include "base/csr.hpp"
#include "base/ids.hpp"

namespace echo {

TEST(Id, IsNoneUntilItHasAnIndex) {
  EXPECT_TRUE(OpId().is_none());
  EXPECT_EQ(OpId(), OpId::none());
  EXPECT_FALSE(OpId(0).is_none());
  EXPECT_LT(OpId::none(), OpId(0));
}

TEST(Id, IsAPlaceInATable) {
  const std::vector<int> table{7, 8, 9};
  EXPECT_EQ(table[at(BlockId(2))], 9);
  Csr<int> rows;
  rows.close_row();
  rows.push(5);
  rows.close_row();
  EXPECT_EQ(rows.row(BlockId(1)).front(), 5);
}

TEST(Ids, ListsThePlacesInOrder) {
  std::vector<StageId> found;
  for (const StageId stage : ids<StageId>(3)) found.push_back(stage);
  EXPECT_EQ(found, (std::vector{StageId(0), StageId(1), StageId(2)}));
  for (const StageId stage : ids<StageId>(0)) FAIL() << stage.index();
}

TEST(WorkId, IsAKernelOrACollectiveBehindTheLastKernel) {
  constexpr std::int32_t kernels = 4;
  static_assert(work_of(KernelId(3)) == WorkId(3));
  static_assert(work_of(CollectiveId(1), kernels) == WorkId(5));
  static_assert(work_of(CollectiveId::none(), kernels).is_none());
  static_assert(is_kernel(WorkId(3), kernels) && !is_kernel(WorkId(4), kernels));
  static_assert(kernel_of(work_of(KernelId(3))) == KernelId(3));
  static_assert(collective_of(work_of(CollectiveId(1), kernels), kernels) == CollectiveId(1));
}

}  // namespace echo
