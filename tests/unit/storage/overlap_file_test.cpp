#include "storage/overlap_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "ops/kernel_fields.hpp"
#include "storage/overlap_values.hpp"
#include "storage/seal.hpp"
#include "storage/table_schema.hpp"
#include "tests/support/redigest.hpp"
#include "tests/support/sample_overlaps.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::storage {
namespace {

using slowdown::OverlapData;
using slowdown::OverlapRow;
using testing::sample_overlaps;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const OverlapData& found, const OverlapData& expected) {
  ASSERT_EQ(found.rows.size(), expected.rows.size());
  ASSERT_EQ(found.origins.size(), expected.origins.size());
  for (std::size_t i = 0; i < found.origins.size(); ++i) {
    EXPECT_EQ(found.origins[i].source, expected.origins[i].source);
    EXPECT_EQ(found.origins[i].license, expected.origins[i].license);
    EXPECT_EQ(found.origins[i].measured_by, expected.origins[i].measured_by);
  }
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const OverlapRow &row = found.rows[i], &other = expected.rows[i];
    EXPECT_EQ(row.kernel, other.kernel);
    EXPECT_EQ(row.full_name, other.full_name);
    EXPECT_EQ(row.gpu, other.gpu);
    EXPECT_EQ(row.beside.algorithm, other.beside.algorithm);
    EXPECT_EQ(row.beside.protocol, other.beside.protocol);
    EXPECT_EQ(row.shape, other.shape);
    for (const OverlapField& field : overlap_fields())
      EXPECT_TRUE(is_same(field.get(row), field.get(other))) << i << " " << field.column;
  }
}

// What reading it complains about; empty = nothing.
std::string complaint(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_overlaps(path));
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2) << error.what();
    return error.what();
  }
  return "";
}

TEST(OverlapFile, GivesBackWhatWasWritten) {
  const TempFile file("round.h5");
  const std::string digest = write_overlaps(file.path, sample_overlaps());
  const OverlapFile back = read_overlaps(file.path);
  expect_same(back.data, sample_overlaps());
  EXPECT_EQ(back.digest, digest);
}

TEST(OverlapFile, AnEmptyOneIsOneToo) {
  const TempFile file("empty.h5");
  static_cast<void>(write_overlaps(file.path, {}));
  expect_same(read_overlaps(file.path).data, {});
}

TEST(OverlapFile, EqualContentHasEqualBytes) {
  const TempFile one("one.h5"), two("two.h5");
  OverlapData other = sample_overlaps();
  for (OverlapRow& row : other.rows)
    if (std::isnan(row.spread)) row.spread = -std::nan("7");  // any NaN is one
  const std::string digest = write_overlaps(one.path, sample_overlaps());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 would note the second
  EXPECT_EQ(write_overlaps(two.path, other), digest);
  EXPECT_EQ(bytes_of(one.path), bytes_of(two.path));
}

TEST(OverlapFile, DescribesEveryColumn) {
  const TempFile file("described.h5");
  static_cast<void>(write_overlaps(file.path, sample_overlaps()));
  const Hdf5File open(file.path, Hdf5File::Mode::read);
  for (const TableColumn& column : overlap_schema().columns) {
    const std::string path = std::string("/") + column.name;
    for (const char* name : {"units", "long_name", "description", "role"})
      EXPECT_FALSE(open.text_attribute(path, name).empty()) << path << " " << name;
  }
  EXPECT_EQ(open.text_attribute("/gpu", "flag_meanings"), "a100-sxm-80gb h100-sxm");
  EXPECT_EQ(open.text_attribute("/protocol", "flag_meanings"), "Simple unknown");
}

TEST(OverlapFile, HoldsTheSlowdownForThoseWhoDoNotCompute) {
  const TempFile file("slowdown.h5");
  static_cast<void>(write_overlaps(file.path, sample_overlaps()));
  std::vector<double> slowdowns(3);
  Hdf5File(file.path, Hdf5File::Mode::read).read_rows("/slowdown", 0, 3, slowdowns.data());
  EXPECT_EQ(slowdowns[0], 0.0);
  EXPECT_DOUBLE_EQ(slowdowns[1], 0.5);
  EXPECT_DOUBLE_EQ(slowdowns[2], -0.1 / 0.3);
}

TEST(OverlapSchema, HasAColumnForEveryMemberOfARowAndNoOther) {
  std::set<std::string_view> columns, members{"row", "kernel_name", "has_shape", "slowdown"};
  for (const TableColumn& column : overlap_schema().columns) {
    columns.insert(column.name);
    if (overlap_word(column.name) != nullptr) members.insert(column.name);
    const ops::KernelField* field = ops::kernel_field(column.name);
    if (field == nullptr) continue;
    EXPECT_TRUE(
        std::equal(field->names.begin(), field->names.end(), column.meanings.begin(), column.meanings.end()))
        << column.name;
  }
  for (const OverlapField& field : overlap_fields()) members.insert(field.column);
  for (const ops::KernelField& field : ops::kernel_fields()) members.insert(field.name);
  EXPECT_EQ(columns, members);
}

TEST(OverlapSchema, NamesCollectivesAsThePartsOfTheProgramDo) {
  for (const TableColumn& column : overlap_schema().columns) {
    if (std::string_view(column.name) != "collective") continue;
    const auto& names = ops::collective_kind_names;
    EXPECT_TRUE(std::equal(names.begin(), names.end(), column.meanings.begin(), column.meanings.end()));
  }
}

TEST(OverlapFile, WhatIsNoDatasetIsRefused) {
  const TempFile file("foreign.h5");
  EXPECT_NE(complaint(file.path).find("there is no dataset of overlaps"), std::string::npos);
  write_bytes(file.path, "kernel,slowdown\n");
  EXPECT_NE(complaint(file.path).find("is not a dataset of overlaps"), std::string::npos);
  seal(file.path);
  EXPECT_NE(complaint(file.path).find("not an HDF5"), std::string::npos) << complaint(file.path);
}

void expect_refused(const std::string& why, void (*spoil)(Hdf5File&)) {
  const TempFile file("spoilt.h5");
  static_cast<void>(write_overlaps(file.path, sample_overlaps()));
  {
    Hdf5File open(file.path, Hdf5File::Mode::update);
    spoil(open);
    open.close();
  }
  seal(file.path);
  const std::string said = complaint(file.path);
  EXPECT_NE(said.find(why), std::string::npos) << said;
}

TEST(OverlapFile, ADamagedOneIsRefused) {
  expect_refused("its version is 2.0", [](Hdf5File& f) { f.set_attribute("/", "schema_version", "2.0"); });
  expect_refused("does not match its digest", [](Hdf5File& f) {
    const double seconds = 1e-3;
    f.write_rows("/alone", 2, 1, &seconds);
  });
  expect_refused("does not match its digest",
                 [](Hdf5File& f) { f.set_attribute("/gpu", "flag_meanings", "b200-sxm h100-sxm"); });
  expect_refused("code without a name", [](Hdf5File& f) {
    const std::int8_t code = 4;
    f.write_rows("/communication", 1, 1, &code);
  });
  expect_refused("code without a name", [](Hdf5File& f) {
    const std::int8_t code = -1;
    f.write_rows("/algorithm", 1, 1, &code);
  });
  expect_refused("past the end of kernels", [](Hdf5File& f) {
    const std::int32_t kernel = 3;
    f.write_rows("/kernel_name", 1, 1, &kernel);
  });
  expect_refused("past the end of origins", [](Hdf5File& f) {
    const std::int32_t origin = -1;
    f.write_rows("/origin", 1, 1, &origin);
  });
}

// Of the sample with one value changed and everything else right, so that only the row's own sense can refuse
// it.
std::string complaint_after(const std::string& column, double value) {
  const TempFile file("impossible.h5");
  static_cast<void>(write_overlaps(file.path, sample_overlaps()));
  {
    Hdf5File open(file.path, Hdf5File::Mode::update);
    const std::string path = "/" + column;
    const auto whole = static_cast<std::int32_t>(std::isfinite(value) ? value : 0.0);
    open.write_rows(path, 1, 1,
                    open.type(path) == ElementType::f8 ? static_cast<const void*>(&value) : &whole);
    open.close();
  }
  testing::redigest(file.path, overlap_schema());
  return complaint(file.path);
}

TEST(OverlapFile, ARowThatNothingCouldMeasureIsRefused) {
  EXPECT_EQ(complaint_after("registers", 64.0), "");  // what is sound passes
  EXPECT_NE(complaint_after("alone", 0.0).find("durations"), std::string::npos);
  EXPECT_NE(complaint_after("alone", std::nan("")).find("durations"), std::string::npos);
  EXPECT_NE(complaint_after("overlapped", INFINITY).find("durations"), std::string::npos);
  EXPECT_NE(complaint_after("overlapped", 1.4e-4).find("does not follow"), std::string::npos);
  EXPECT_NE(complaint_after("overlap_ratio", 1.01).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(complaint_after("slowdown", 0.51).find("does not follow"), std::string::npos);
  EXPECT_NE(complaint_after("slowdown", std::nan("")).find("does not follow"), std::string::npos);
  EXPECT_NE(complaint_after("l2_hit_rate", 1.5).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(complaint_after("communication_overlap_ratio", -0.1).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(complaint_after("communication_alone", 0.0).find("of the communication"), std::string::npos);
  EXPECT_NE(complaint_after("link_rate", -1.0).find("rates of the communication"), std::string::npos);
  EXPECT_NE(complaint_after("repeats", 0).find("repeats"), std::string::npos);
  EXPECT_NE(complaint_after("m", 0).find("must be 1 or more"), std::string::npos);
  EXPECT_NE(complaint_after("clock", -5).find("clock"), std::string::npos);
}

TEST(OverlapFile, CutOffAnywhereItIsRefused) {
  const TempFile file("cut.h5");
  static_cast<void>(write_overlaps(file.path, sample_overlaps()));
  const std::string whole = bytes_of(file.path);
  for (std::size_t length = 0; length < whole.size(); length += 499) {
    write_bytes(file.path, whole.substr(0, length));
    EXPECT_NE(complaint(file.path), "") << length;
  }
}

// Bytes changed at random: what was written, or a complaint.
TEST(OverlapFile, ChangedBytesAreNoticed) {
  const TempFile file("changed.h5");
  static_cast<void>(write_overlaps(file.path, sample_overlaps()));
  const std::string whole = bytes_of(file.path);
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::string changed = whole;
    for (std::uint64_t flips = 0; flips <= i % 3; ++flips)
      changed[mix(1000 * i + flips) % changed.size()] = static_cast<char>(mix(1000 * i + flips + 500));
    write_bytes(file.path, changed);
    try {
      expect_same(read_overlaps(file.path).data, sample_overlaps());
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 2);
    }
  }
}

}  // namespace
}  // namespace echo::storage
