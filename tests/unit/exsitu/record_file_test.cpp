#include "exsitu/record_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace echo::exsitu {
namespace {

std::string a_path() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "exsitu_" + test->name();
}

std::vector<Record> records_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Record> all;
  for (Record next; file.read(reinterpret_cast<char*>(&next), sizeof next);) all.push_back(next);
  return all;
}

TEST(RecordFile, HoldsWhatManyThreadsPutOnceEach) {
  const std::string path = a_path();
  constexpr std::uint64_t each = 30000;  // several pieces
  {
    RecordFile file(path, std::int64_t{1} << 30, {});
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([&file, thread] {
        for (std::uint64_t i = 0; i < each; ++i)
          file.put(Record{.what = What::send, .thread = thread, .count = i});
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(file.dropped(), 0);
  }
  const std::vector<Record> all = records_in(path);
  ASSERT_EQ(all.size(), 4 * each + 1);
  EXPECT_EQ(std::memcmp(all.data(), "echotrc\n", 8), 0);
  std::uint64_t next[4] = {};
  for (std::size_t i = 1; i < all.size(); ++i) {
    ASSERT_EQ(all[i].serial, i);
    ASSERT_EQ(all[i].count, next[all[i].thread]++);
  }
  std::filesystem::remove(path);
}

TEST(RecordFile, CutsTextsIntoRecordsOneBehindTheOther) {
  const std::string path = a_path();
  const std::string text(100, 'x');
  {
    RecordFile file(path, 1 << 20, {});
    file.put_text(What::text_of_name, 5, text);
    file.put_text(What::text_of_name, 6, "");
  }
  const std::vector<Record> all = records_in(path);
  ASSERT_EQ(all.size(), 5);
  std::string read;
  for (std::size_t i = 1; i < 4; ++i) {
    const auto part = std::bit_cast<TextRecord>(all[i]);
    EXPECT_EQ(part.owner, 5);
    EXPECT_EQ(part.goes_on, i < 3 ? 1 : 0);
    read.append(part.text.data(), part.length);
  }
  EXPECT_EQ(read, text);
  std::filesystem::remove(path);
}

TEST(RecordFile, DropsAndCountsWhatIsTooMuch) {
  const std::string path = a_path();
  RecordFile file(path, 1 << 20, {});
  for (std::uint64_t i = 0; i < 20000; ++i) file.put(Record{.what = What::send});
  EXPECT_EQ(file.dropped(), 20000 - (16384 - 1));
  std::filesystem::remove(path);
}

TEST(RecordFile, WithoutAFileEverythingIsDropped) {
  RecordFile file("/no/such/folder/file", 1 << 20, {});
  EXPECT_EQ(file.put(Record{.what = What::send}), 0);
  EXPECT_EQ(file.dropped(), 1);
}

}  // namespace
}  // namespace echo::exsitu
