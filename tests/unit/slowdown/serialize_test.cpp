#include "slowdown/serialize.hpp"

#include <gtest/gtest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <sstream>
#include <string>

namespace echo::slowdown {
namespace {

std::string archived(const Model& model) {
  std::ostringstream bytes;
  boost::archive::binary_oarchive(bytes, boost::archive::no_header) << model;
  return bytes.str();
}

Model restored(const std::string& bytes) {
  std::istringstream stream(bytes);
  Model model;
  boost::archive::binary_iarchive(stream, boost::archive::no_header) >> model;
  return model;
}

TEST(SlowdownArchive, RestoresEveryAlternative) {
  const Model contention = Contention{.sm_per_channel = 0.5,
                                      .memory_interference = 0.7,
                                      .sustained_memory = 0.8,
                                      .collective_floor = 0.05,
                                      .latency_under_load = 1.7};
  EXPECT_EQ(restored(archived(contention)), contention);
  EXPECT_EQ(restored(archived(NoSlowdown{})), Model(NoSlowdown{}));
}

TEST(SlowdownArchive, RefusesAnAlternativeItDoesNotKnow) {
  std::string bytes = archived(NoSlowdown{});
  const std::string place("\x01\x00\x00\x00", 4);  // little-endian variant index of NoSlowdown
  const auto at = bytes.rfind(place);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '\x63';
  EXPECT_THROW(restored(bytes), boost::archive::archive_exception);
}

}  // namespace
}  // namespace echo::slowdown
