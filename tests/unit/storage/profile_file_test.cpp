#include "storage/profile_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "ops/kernel_fields.hpp"
#include "storage/hdf5.hpp"
#include "storage/seal.hpp"
#include "storage/table_schema.hpp"
#include "tests/support/sample_profile.hpp"

namespace echo::storage {
namespace {

using testing::sample_profile;

// A path that is free before the test and after it.
class File {
 public:
  explicit File(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("echo_" + std::to_string(::getpid()) + "_" + name)) {
    std::filesystem::remove(path_);
  }
  ~File() { std::filesystem::remove(path_); }
  operator const std::filesystem::path&() const { return path_; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

 private:
  std::filesystem::path path_;
};

// What reading it complains about; empty = nothing.
std::string complaint(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_profile(path));
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2) << error.what();
    return error.what();
  }
  return "";
}

TEST(ProfileFile, GivesBackWhatWasWritten) {
  const File file("round.h5");
  const std::string digest = write_profile(file, sample_profile());
  const ProfileFile back = read_profile(file);
  EXPECT_EQ(back.profile, kernels::tidied(sample_profile()));
  EXPECT_EQ(back.digest, digest);
}

TEST(ProfileFile, AnEmptyOneIsOneToo) {
  const File file("empty.h5");
  static_cast<void>(write_profile(file, {}));
  EXPECT_EQ(read_profile(file).profile, kernels::Profile{});
}

TEST(ProfileFile, EqualContentHasEqualBytes) {
  const File one("one.h5"), two("two.h5");
  kernels::Profile other = sample_profile();
  std::reverse(other.rows.begin(), other.rows.end());
  const std::string digest = write_profile(one, sample_profile());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 would note the second
  EXPECT_EQ(write_profile(two, other), digest);
  EXPECT_EQ(one.bytes(), two.bytes());
}

TEST(ProfileFile, DescribesEveryColumn) {
  const File file("described.h5");
  static_cast<void>(write_profile(file, sample_profile()));
  const Hdf5File open(file, Hdf5File::Mode::read);
  for (const TableColumn& column : profile_schema().columns) {
    const std::string path = std::string("/") + column.name;
    for (const char* name : {"units", "long_name", "description", "role"})
      EXPECT_FALSE(open.text_attribute(path, name).empty()) << path << " " << name;
  }
  EXPECT_EQ(open.text_attribute("/gpu", "flag_meanings"), "a100-sxm h100-sxm");
}

TEST(ProfileSchema, HasAColumnForEveryMemberOfAKernelWithItsNames) {
  std::vector<std::string_view> kernel_columns;
  for (const TableColumn& column : profile_schema().columns) {
    if (std::string_view(column.role) != "kernel" || std::string_view(column.name) == "gpu") continue;
    kernel_columns.emplace_back(column.name);
    const ops::KernelField* field = ops::kernel_field(column.name);
    ASSERT_NE(field, nullptr) << column.name;
    EXPECT_TRUE(
        std::equal(field->names.begin(), field->names.end(), column.meanings.begin(), column.meanings.end()))
        << column.name;
  }
  std::vector<std::string_view> fields;
  for (const ops::KernelField& field : ops::kernel_fields()) fields.push_back(field.name);
  EXPECT_EQ(kernel_columns, fields);
}

TEST(ProfileFile, WhatIsNoProfileIsRefused) {
  const File file("foreign.h5");
  EXPECT_NE(complaint(file).find("there is no profile"), std::string::npos);
  file.write("gpu,kind\n");
  EXPECT_NE(complaint(file).find("is not a profile"), std::string::npos);
  seal(file);
  EXPECT_NE(complaint(file).find("not an HDF5"), std::string::npos) << complaint(file);
  {
    Hdf5File other(file, Hdf5File::Mode::create);
    other.set_attribute("/", "schema", "echo-sweep-results");
    other.close();
  }
  EXPECT_NE(complaint(file).find("is not a profile"), std::string::npos);
  seal(file);
  EXPECT_NE(complaint(file).find("something else"), std::string::npos);
}

void expect_refused(const std::string& why, void (*spoil)(Hdf5File&)) {
  const File file("spoilt.h5");
  static_cast<void>(write_profile(file, sample_profile()));
  {
    Hdf5File open(file, Hdf5File::Mode::update);
    spoil(open);
    open.close();
  }
  seal(file);
  const std::string said = complaint(file);
  EXPECT_NE(said.find(why), std::string::npos) << said;
}

TEST(ProfileFile, ADamagedOneIsRefused) {
  expect_refused("does not match its digest", [](Hdf5File& f) {
    f.set_attribute("/layout", "flag_meanings", "tn nt nn");  // codes that now mean something else
  });
  expect_refused("its version is 2.0", [](Hdf5File& f) { f.set_attribute("/", "schema_version", "2.0"); });
  expect_refused("does not match its digest", [](Hdf5File& f) {
    const double seconds = 1e-3;
    f.write_rows("/duration", 2, 1, &seconds);
  });
  expect_refused("does not match its digest",
                 [](Hdf5File& f) { f.set_attribute("/gpu", "flag_meanings", "b200-sxm h100-sxm"); });
  expect_refused("code without a name", [](Hdf5File& f) {
    const std::int8_t code = 77;
    f.write_rows("/kind", 1, 1, &code);
  });
  expect_refused("code without a name", [](Hdf5File& f) {
    const std::int8_t code = -1;
    f.write_rows("/gpu", 1, 1, &code);
  });
  expect_refused("past the end of origins", [](Hdf5File& f) {
    const std::int32_t origin = 2;
    f.write_rows("/origin", 1, 1, &origin);
  });
  expect_refused("schema_version", [](Hdf5File& f) { f.set_attribute("/", "schema_version", 3.0); });
}

// Rows that only a digest made for them lets through.
TEST(ProfileFile, ARowThatNothingCouldMeasureIsRefused) {
  const auto refused = [](auto spoil) {
    kernels::Profile profile = sample_profile();
    spoil(profile.rows[1]);
    const File file("impossible.h5");
    static_cast<void>(write_profile(file, profile));
    return complaint(file);
  };
  using kernels::Measurement;
  EXPECT_NE(refused([](Measurement& m) { m.seconds = 0.0; }).find("duration"), std::string::npos);
  EXPECT_NE(refused([](Measurement& m) { m.seconds = -1.0; }).find("duration"), std::string::npos);
  EXPECT_NE(refused([](Measurement& m) { m.key.m = 0; }).find("must be 1 or more"), std::string::npos);
  EXPECT_NE(refused([](Measurement& m) { m.key.m = m.key.n = m.key.k = 2'000'000'000; }).find("so large"),
            std::string::npos);
  EXPECT_NE(refused([](Measurement& m) { m.spread = 100.0; }).find("spread"), std::string::npos);
}

TEST(ProfileFile, CutOffAnywhereItIsRefused) {
  const File file("cut.h5");
  static_cast<void>(write_profile(file, sample_profile()));
  const std::string whole = file.bytes();
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    file.write(whole.substr(0, length));
    EXPECT_NE(complaint(file), "") << length;
  }
}

// Bytes changed at random: what was written, or a complaint.
TEST(ProfileFile, ChangedBytesAreNoticed) {
  const File file("changed.h5");
  static_cast<void>(write_profile(file, sample_profile()));
  const std::string whole = file.bytes();
  const kernels::Profile expected = kernels::tidied(sample_profile());
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::string changed = whole;
    for (std::uint64_t flips = 0; flips <= i % 3; ++flips)
      changed[mix(1000 * i + flips) % changed.size()] = static_cast<char>(mix(1000 * i + flips + 500));
    file.write(changed);
    try {
      EXPECT_EQ(read_profile(file).profile, expected) << i;
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 2);
    }
  }
}

}  // namespace
}  // namespace echo::storage
