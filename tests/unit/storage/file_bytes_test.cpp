// What HDF5 is given of a damaged file, and what becomes of what it writes on a full disk.
#include "storage/file_bytes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "storage/hdf5.hpp"
#include "storage/profile_file.hpp"
#include "tests/support/limited_files.hpp"
#include "tests/support/sample_profile.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::storage {
namespace {

constexpr std::uint64_t rows = 5000;

std::vector<double> values(std::uint64_t column) {
  std::vector<double> drawn(rows);
  for (std::uint64_t i = 0; i < rows; ++i) drawn[i] = draw_unit(1, column, i);
  return drawn;
}

void write_sample(const std::filesystem::path& path) {
  Hdf5File file(path, Hdf5File::Mode::create_with_sums);
  for (std::uint64_t column = 0; column < 4; ++column) {
    const std::string name = "/c" + std::to_string(column);
    file.make_dataset({name, ElementType::f8, {rows}, {1000}});
    file.write_rows(name, 0, rows, values(column).data());
    file.set_attribute(name, "units", "s");
  }
  file.make_text("/text", "größe");
  file.close();
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// What opening it complains about; empty = nothing.
std::string complaint(const std::filesystem::path& path, Hdf5File::Mode mode = Hdf5File::Mode::read) {
  try {
    const Hdf5File file(path, mode);
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
    return error.what();
  }
  return "";
}

// CRC-32 bit by bit, as ISO 3309 defines it.
std::uint32_t slow_sum(std::string_view text) {
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : text) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (0xedb88320U & (0U - (sum & 1U)));
  }
  return ~sum;
}

TEST(BlockSums, AreCrc32) {
  for (const std::string text : {"", "123456789", "a block of a file"})
    EXPECT_EQ(block_sum(std::as_bytes(std::span(text))), slow_sum(text));
  EXPECT_EQ(slow_sum("123456789"), 0xcbf43926U);
}

TEST(FileBytes, RefusesEveryFlippedBitBeforeHdf5SeesIt) {
  const TempFile file("flipped.h5");
  write_sample(file.path);
  const std::string sound = bytes_of(file.path);
  ASSERT_EQ(complaint(file.path), "");
  std::uint64_t place = 0;
  for (std::uint64_t i = 0; place < sound.size();
       ++i, place += i < 100 || place + 200 > sound.size() ? 1 : 997) {
    std::string bytes = sound;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << draw(2, i, 0) % 8));
    write_bytes(file.path, bytes);
    ASSERT_NE(complaint(file.path).find("is damaged: "), std::string::npos) << place;
    ASSERT_NE(complaint(file.path, Hdf5File::Mode::update).find(place < 9 ? "" : "damaged"),
              std::string::npos)
        << place;
  }
}

TEST(FileBytes, RefusesAFileThatIsCutOffOrLonger) {
  const TempFile file("cut.h5");
  write_sample(file.path);
  const std::string sound = bytes_of(file.path);
  for (std::size_t length = 0; length < sound.size(); length += 1 + length / 7) {
    write_bytes(file.path, sound.substr(0, length));
    ASSERT_NE(complaint(file.path), "") << length;
  }
  write_bytes(file.path, sound + "x");
  EXPECT_NE(complaint(file.path), "");
  write_bytes(file.path, sound.substr(0, 4096) + sound.substr(8192));
  EXPECT_NE(complaint(file.path).find("was written with " + std::to_string(sound.size())), std::string::npos);
}

TEST(FileBytes, GivesWhatIsWholeOfADamagedFile) {
  const TempFile file("inspected.h5");
  write_sample(file.path);
  std::string bytes = bytes_of(file.path);
  const std::size_t place = bytes.size() / 2;
  bytes[place] = static_cast<char>(bytes[place] ^ 1);
  write_bytes(file.path, bytes);
  const Hdf5File open(file.path, Hdf5File::Mode::inspect);
  const std::uint64_t first = place / block_bytes * block_bytes;
  EXPECT_EQ(open.damaged(), (std::vector<ByteRange>{{first, first + block_bytes - 1}}));
  int lost = 0;
  for (std::uint64_t column = 0; column < 4; ++column)
    for (std::uint64_t row = 0; row < rows; row += 1000) {
      std::vector<double> read(1000);
      try {
        open.read_rows("/c" + std::to_string(column), row, 1000, read.data());
        const auto all = values(column);
        EXPECT_TRUE(std::equal(read.begin(), read.end(), all.begin() + static_cast<std::ptrdiff_t>(row)));
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("bytes " + std::to_string(first)), std::string::npos);
        ++lost;
      }
    }
  EXPECT_GE(lost, 1);
  EXPECT_LE(lost, 2);
}

TEST(FileBytes, EqualContentHasEqualBytes) {
  const TempFile one("one.h5"), two("two.h5");
  write_sample(one.path);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 would note the second
  write_sample(two.path);
  EXPECT_EQ(bytes_of(one.path), bytes_of(two.path));
}

TEST(FileBytes, AFileThatIsNotClosedIsRefused) {
  const TempFile file("unclosed.h5");
  {
    Hdf5File open(file.path, Hdf5File::Mode::create_with_sums);
    open.make_text("/text", "x");
  }
  EXPECT_NE(complaint(file.path).find("no checksums at its end"), std::string::npos);
}

TEST(FileBytes, AFullDiskIsAnErrorWhereverItIsFull) {
  const TempFile file("full.h5");
  write_sample(file.path);
  const std::uint64_t whole = std::filesystem::file_size(file.path);
  for (std::uint64_t room = 0; room < whole; room += 1021) {
    const std::string outcome = testing::outcome_with_files_of(room, [&] { write_sample(file.path); });
    ASSERT_EQ(outcome.substr(0, 7), "exit 5:") << room << ": " << outcome;
  }
  EXPECT_EQ(testing::outcome_with_files_of(2 * whole, [&] { write_sample(file.path); }), "exit 0");
}

TEST(FileBytes, AFullDiskIsAnErrorOfAProfileToo) {
  const TempFile file("full_profile.h5");
  (void)write_profile(file.path, testing::sample_profile());
  const std::uint64_t whole = std::filesystem::file_size(file.path);
  std::filesystem::remove(file.path);
  for (std::uint64_t room = 0; room < whole; room += 1021) {
    const std::string outcome = testing::outcome_with_files_of(
        room, [&] { (void)write_profile(file.path, testing::sample_profile()); });
    ASSERT_EQ(outcome.substr(0, 7), "exit 5:") << room << ": " << outcome;
    ASSERT_FALSE(std::filesystem::exists(file.path) || std::filesystem::exists(file.path.string() + ".tmp"))
        << room;
  }
}

}  // namespace
}  // namespace echo::storage
