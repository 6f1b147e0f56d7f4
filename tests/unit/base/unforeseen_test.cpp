#include "base/unforeseen.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace echo {
namespace {

TEST(Unforeseen, IsTheMachinesRefusalOrABug) {
  EXPECT_EQ(unforeseen(std::bad_alloc()).exit_code(), 5);
  EXPECT_EQ(unforeseen(std::bad_array_new_length()).exit_code(), 5);
  for (const auto why : {std::errc::resource_unavailable_try_again, std::errc::not_enough_memory})
    EXPECT_EQ(unforeseen(std::system_error(std::make_error_code(why))).exit_code(), 5);
  EXPECT_EQ(unforeseen(std::system_error(std::make_error_code(std::errc::io_error))).exit_code(), 1);
  const UserError bug = unforeseen(std::logic_error("impossible"));
  EXPECT_EQ(bug.exit_code(), 1);
  EXPECT_STREQ(bug.problems().at(0).what.c_str(), "impossible");
}

}  // namespace
}  // namespace echo
