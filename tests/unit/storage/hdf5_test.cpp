#include "storage/hdf5.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "storage/seal.hpp"

namespace echo::storage {
namespace {

std::filesystem::path fresh_file(const std::string& name) {
  const auto path =
      std::filesystem::temp_directory_path() / ("echo_" + std::to_string(::getpid()) + "_" + name);
  std::filesystem::remove(path);
  return path;
}

int exit_code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.exit_code();
  }
  return 0;
}

TEST(Hdf5File, GivesBackWhatWasWritten) {
  const auto path = fresh_file("round_trip.h5");
  const std::vector<double> wide{1, 2, 3, 4, 5, 6};
  {
    Hdf5File file(path, Hdf5File::Mode::create_with_sums);
    file.make_group("/inner");
    file.make_dataset({"/inner/wide", ElementType::f8, {3, 2}, {2, 2}});
    file.write_rows("/inner/wide", 0, 2, wide.data());
    file.write_rows("/inner/wide", 2, 1, wide.data() + 4);
    file.make_text("/inner/text", "größe = \"8\"\n");
    file.make_texts("/inner/words", std::vector<std::string>{"forward", "", "bubble"});
    file.set_attribute("/inner/wide", "units", "s");
    file.set_attribute("/", "empty", "");
    file.set_attribute("/", "count", std::int64_t{1} << 40);
    file.set_attribute("/inner/wide", "flag_values", std::vector<std::int8_t>{0, 1, 2});
    file.close();
  }
  const Hdf5File file(path, Hdf5File::Mode::read);
  std::vector<double> read(4);
  file.read_rows("/inner/wide", 1, 2, read.data());
  EXPECT_EQ(read, (std::vector<double>{3, 4, 5, 6}));
  EXPECT_EQ(file.shape("/inner/wide"), (Shape{3, 2}));
  EXPECT_EQ(file.type("/inner/wide"), ElementType::f8);
  EXPECT_EQ(file.text("/inner/text"), "größe = \"8\"\n");
  EXPECT_EQ(file.texts("/inner/words"), (std::vector<std::string>{"forward", "", "bubble"}));
  EXPECT_EQ(file.text_attribute("/inner/wide", "units"), "s");
  EXPECT_EQ(file.text_attribute("/", "empty"), "");
  EXPECT_EQ(file.text_attributes("/inner/wide"), (std::map<std::string, std::string>{{"units", "s"}}));
  EXPECT_EQ(file.integer_attribute("/", "count"), std::int64_t{1} << 40);
  EXPECT_EQ(file.codes_attribute("/inner/wide", "flag_values"), (std::vector<std::int8_t>{0, 1, 2}));
  EXPECT_EQ(file.datasets("/inner"),
            (std::vector<std::string>{"/inner/wide", "/inner/text", "/inner/words"}));
  EXPECT_TRUE(file.has("/inner/wide"));
  EXPECT_FALSE(file.has("/outer/wide"));
  std::filesystem::remove(path);
}

TEST(Hdf5File, ReadsWhatWasWrittenLast) {
  const auto path = fresh_file("twice.h5");
  Hdf5File file(path, Hdf5File::Mode::create);
  file.make_dataset({"/x", ElementType::i4, {4}, {2}});
  for (const std::vector<std::int32_t>& written : {std::vector{1, 2, 3, 4}, std::vector{5, 6, 7, 8}}) {
    file.write_rows("/x", 0, 4, written.data());
    std::vector<std::int32_t> read(4);
    for (int time = 0; time < 2; ++time) {
      file.read_rows("/x", 0, 4, read.data());
      EXPECT_EQ(read, written);
    }
  }
  std::filesystem::remove(path);
}

// Every element of a crafted file refers to one long text.
TEST(Hdf5File, RefusesTextsThatAreLongerThanTheFileTogether) {
  const auto path = fresh_file("shared.h5");
  constexpr std::size_t length = 100'003, count = 1000, reference = 16;
  std::vector<std::string> texts(count, "b");
  texts.front() = std::string(length, 'a');
  {
    Hdf5File file(path, Hdf5File::Mode::create);
    file.make_texts("/texts", texts);
    file.close();
  }
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  seal(path);
  EXPECT_EQ(Hdf5File(path, Hdf5File::Mode::inspect).texts("/texts"), texts);
  std::string first(sizeof(std::uint32_t), '\0');  // a reference begins with the length of its text
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<char>(length >> (8 * i) & 0xff);
  const std::size_t at = bytes.find(first);
  ASSERT_LT(at + count * reference, bytes.size());
  for (std::size_t i = 1; i < count; ++i)
    bytes.replace(at + i * reference, reference, bytes.substr(at, reference));
  std::ofstream(path, std::ios::binary) << bytes;
  seal(path);
  EXPECT_EQ(exit_code_of([&] { static_cast<void>(Hdf5File(path, Hdf5File::Mode::inspect).texts("/texts")); }),
            5);
  std::filesystem::remove(path);
}

TEST(Hdf5File, BearsRealColumnsAsMissing) {
  const auto path = fresh_file("missing.h5");
  Hdf5File file(path, Hdf5File::Mode::create);
  file.make_dataset({"/x", ElementType::f4, {2}, {}});
  std::vector<float> values(2);
  file.read_rows("/x", 0, 2, values.data());
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]));
  EXPECT_TRUE(file.has_attribute("/x", "_FillValue"));
  std::filesystem::remove(path);
}

TEST(Hdf5File, ReplacesAnAttribute) {
  const auto path = fresh_file("replace.h5");
  Hdf5File file(path, Hdf5File::Mode::create);
  file.set_attribute("/", "state", "partial");
  file.set_attribute("/", "state", "complete");
  EXPECT_EQ(file.text_attribute("/", "state"), "complete");
  std::filesystem::remove(path);
}

TEST(Hdf5File, RefusesWhatIsNotHdf5WithExitCode5) {
  const auto path = fresh_file("not.h5");
  std::ofstream(path) << "step_time,tp\n";
  EXPECT_EQ(exit_code_of([&] { Hdf5File(path, Hdf5File::Mode::read); }), 5);
  EXPECT_EQ(exit_code_of([&] { Hdf5File("/no/such/folder/a.h5", Hdf5File::Mode::create); }), 5);
  std::filesystem::remove(path);
}

TEST(Hdf5File, RefusesRowsPastTheEnd) {
  const auto path = fresh_file("past.h5");
  Hdf5File file(path, Hdf5File::Mode::create);
  file.make_dataset({"/x", ElementType::i4, {2}, {}});
  const std::vector<std::int32_t> values(3);
  EXPECT_EQ(exit_code_of([&] { file.write_rows("/x", 0, 3, values.data()); }), 5);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace echo::storage
