#include "base/units.hpp"

#include <gtest/gtest.h>

#include "base/counter_rng.hpp"
#include "base/csr.hpp"
#include "base/id.hpp"

namespace echo {
namespace {

TEST(Units, BytesOverRateIsTimeRoundedToThePicosecondOnce) {
  EXPECT_EQ(Bytes(1'000'000'000) / BytesPerSecond(1e9), SimTime(1'000'000'000'000));
  EXPECT_EQ(Bytes(1) / BytesPerSecond(3e12), SimTime(0));  // a third of a picosecond
  EXPECT_EQ(Bytes(2) / BytesPerSecond(3e12), SimTime(1));  // two thirds
  EXPECT_EQ(Flops(312e12) / FlopsPerSecond(312e12), SimTime(1'000'000'000'000));
}

TEST(Units, SecondsAndPicosecondsConvertBothWays) {
  for (const double s : {0.0, 1e-12, 4.2e-6, 1.5, 3600.0}) EXPECT_DOUBLE_EQ(to_seconds(from_seconds(s)), s);
}

template <class A, class B>
concept can_add = requires(A a, B b) {
  a + b;
};
static_assert(!can_add<Bytes, Flops>);
static_assert(!can_add<Bytes, std::int64_t>);
static_assert(!std::is_convertible_v<std::int32_t, Id<struct SomeTag>>);
static_assert(!std::is_convertible_v<Id<struct SomeTag>, std::int32_t>);

TEST(CounterRng, DrawsDependOnSeedKeyAndNumberAlone) {
  EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
  EXPECT_NE(draw(1, 2, 3), draw(1, 2, 4));
  EXPECT_NE(draw(1, 2, 3), draw(1, 3, 2));
  double sum = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double u = draw_unit(7, 0, i);
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Csr, RowsKeepTheirValues) {
  Csr<int> c;
  c.push(1), c.push(2), c.close_row(), c.close_row(), c.push(3), c.close_row();
  EXPECT_EQ(c.rows(), 3);
  EXPECT_EQ(c.row(0).size(), 2U);
  EXPECT_TRUE(c.row(1).empty());
  EXPECT_EQ(c.row(2)[0], 3);
}

}  // namespace
}  // namespace echo
