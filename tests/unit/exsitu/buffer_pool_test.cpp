#ifdef ECHO_HAS_CUPTI
#include "exsitu/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace echo::exsitu {
namespace {

TEST(BufferPool, GivesOutNoMoreThanItHas) {
  BufferPool pool(3, 4096);
  std::set<std::uint8_t*> out;
  for (int i = 0; i < 3; ++i) {
    std::uint8_t* buffer = pool.take();
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 8, 0);
    std::memset(buffer, 1, pool.bytes_each());
    out.insert(buffer);
  }
  EXPECT_EQ(out.size(), 3);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(*out.begin());
  EXPECT_EQ(pool.take(), *out.begin());
  pool.give_back(nullptr);
  EXPECT_EQ(pool.take(), nullptr);
  for (std::uint8_t* buffer : out) pool.give_back(buffer);
}

TEST(BufferPool, OfNoneGivesNone) { EXPECT_EQ(BufferPool(0, 4096).take(), nullptr); }

}  // namespace
}  // namespace echo::exsitu

#endif
