#include "storage/hdf5.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "storage/chunk_filters.hpp"
#include "storage/file_bytes.hpp"
#include "storage/hdf5_driver.hpp"
#include "storage/hdf5_handle.hpp"

namespace echo::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

// Errors are reported once as UserError; HDF5's own stack dump is disabled.
void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

hid_t stored(ElementType type) {
  switch (type) {
    case ElementType::i1:
      return H5T_STD_I8LE;
    case ElementType::i2:
      return H5T_STD_I16LE;
    case ElementType::i4:
      return H5T_STD_I32LE;
    case ElementType::i8:
      return H5T_STD_I64LE;
    case ElementType::u8:
      return H5T_STD_U64LE;
    case ElementType::f4:
      return H5T_IEEE_F32LE;
    case ElementType::f8:
      return H5T_IEEE_F64LE;
  }
  return H5I_INVALID_HID;
}

// Dates are under /provenance only; and HDF5 1.10 crashes when it copies a group whose attributes are in a
// heap.
void keep_plain(hid_t creation) {
  constexpr unsigned any_number = 1024;
  H5Pset_obj_track_times(creation, false);
  H5Pset_attr_phase_change(creation, any_number, 0);
}

std::vector<hsize_t> extents(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::i1:
      return 1;
    case ElementType::i2:
      return 2;
    case ElementType::i4:
    case ElementType::f4:
      return 4;
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::f8:
      return 8;
  }
  return 0;
}

static FileBytes::Use use_of(Hdf5File::Mode mode) {
  using Mode = Hdf5File::Mode;
  return mode == Mode::create             ? FileBytes::Use::create
         : mode == Mode::create_with_sums ? FileBytes::Use::create_with_sums
         : mode == Mode::update           ? FileBytes::Use::update
                                          : FileBytes::Use::read;
}

Hdf5File::Hdf5File(const std::filesystem::path& path, Mode mode)
    : name_(path.string()),
      bytes_(std::make_shared<FileBytes>(path, use_of(mode))),
      filters_(std::make_unique<ChunkFilters>()) {
  silence_hdf5();
  // Up to here a check of the whole file takes less than a tenth of a second from memory.
  constexpr std::uint64_t small_file = std::uint64_t{256} << 20;
  if (mode == Mode::read && bytes_->size() <= small_file) bytes_->require_whole();
  const Handle access(access_through(*bytes_), H5Pclose);
  const bool is_new = mode == Mode::create || mode == Mode::create_with_sums;
  if (is_new) {  // Creation order: netCDF-4 keeps variables in schema order.
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    keep_plain(creation);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    handle_ = H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, creation, access);
  } else {
    handle_ = H5Fopen(name_.c_str(), mode == Mode::update ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  }
  if (handle_ < 0) fail(is_new ? "start an HDF5 file" : "read HDF5");
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(std::move(other.bytes_)),
      filters_(std::move(other.filters_)),
      datasets_(std::move(other.datasets_)),
      handle_(std::exchange(other.handle_, -1)) {}

Hdf5File::~Hdf5File() {
  forget_datasets();
  if (handle_ >= 0) H5Fclose(handle_);
}

void Hdf5File::close() {
  if (handle_ < 0) return;
  forget_datasets();
  const bool is_closed = H5Fclose(std::exchange(handle_, -1)) >= 0;
  if (is_closed) bytes_->close();
  require_written();
  if (!is_closed) fail("finish writing");
}

void Hdf5File::fail(const std::string& attempted) const {
  if (bytes_->is_written()) require_written();
  if (bytes_->problem().empty())
    throw UserError("cannot " + attempted + " in \"" + name_ + "\"",
                    "check that the file is intact and was written by this program", 5);
  throw UserError("cannot " + attempted + " in \"" + name_ + "\": " + bytes_->problem(),
                  "restore the file from a copy, or remove it and run its sweep again; echo-sweep verify "
                  "lists what is lost",
                  5);
}

void Hdf5File::require_written() const {
  if (!bytes_->problem().empty())
    throw UserError("\"" + name_ + "\" is not finished: " + bytes_->problem(),
                    "run the same command again when the disk has room, or write elsewhere with -o", 5);
}

bool Hdf5File::is_true(int answer, const std::string& attempted) const {
  if (answer < 0) fail(attempted);
  return answer > 0;
}

bool Hdf5File::has_sums() const { return bytes_->has_sums(); }
std::vector<ByteRange> Hdf5File::damaged() const { return bytes_->damaged(); }
void Hdf5File::require_whole() const { bytes_->require_whole(); }

void Hdf5File::make_group(const std::string& path) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  keep_plain(creation);
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const Handle group(H5Gcreate2(handle_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  if (group < 0) fail("make the group \"" + path + "\"");
}

void Hdf5File::remove(const std::string& path) {
  forget_datasets();
  if (H5Ldelete(handle_, path.c_str(), H5P_DEFAULT) < 0) fail("remove the group \"" + path + "\"");
}

void Hdf5File::make_dataset(const DatasetSpec& spec) {
  const auto dimensions = extents(spec.shape);
  const Handle space(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr),
                     H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  keep_plain(creation);
  H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const bool is_empty = std::ranges::find(spec.shape, 0U) != spec.shape.end();
  if (const auto chunk = extents(spec.chunk.empty() ? spec.shape : spec.chunk);
      !spec.chunk.empty() || (has_sums() && !is_empty)) {
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    if (!spec.chunk.empty()) H5Pset_shuffle(creation);
    if (!spec.chunk.empty()) H5Pset_deflate(creation, 4);
    if (has_sums()) H5Pset_fletcher32(creation);
  }
  const double missing = std::numeric_limits<double>::quiet_NaN();
  if (is_real(spec.type)) H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &missing);
  const Handle dataset(
      H5Dcreate2(handle_, spec.path.c_str(), stored(spec.type), space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  if (dataset < 0) fail("make the column \"" + spec.path + "\"");
  if (!is_real(spec.type)) return;
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle mark(H5Acreate2(dataset, "_FillValue", stored(spec.type), scalar, H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose);
  if (H5Awrite(mark, H5T_NATIVE_DOUBLE, &missing) < 0) fail("mark missing values of \"" + spec.path + "\"");
}

void Hdf5File::make_text(const std::string& path, const std::string& text) {
  const Handle type(make_text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  keep_plain(creation);
  const Handle dataset(H5Dcreate2(handle_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                       H5Dclose);
  const char* const content = text.c_str();
  if (dataset < 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &content) < 0)
    fail("write the text \"" + path + "\"");
}

void Hdf5File::make_texts(const std::string& path, std::span<const std::string> texts) {
  const hsize_t count = texts.size();
  const Handle type(make_text_type(), H5Tclose), space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  keep_plain(creation);
  const Handle dataset(H5Dcreate2(handle_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                       H5Dclose);
  std::vector<const char*> content;
  for (const std::string& text : texts) content.push_back(text.c_str());
  if (dataset < 0 ||
      (count > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.data()) < 0))
    fail("write the texts \"" + path + "\"");
}

void Hdf5File::make_scale(const std::string& path) {
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (H5DSset_scale(dataset, path.substr(path.rfind('/') + 1).c_str()) < 0)
    fail("make \"" + path + "\" a dimension scale");
}

void Hdf5File::attach_scale(const std::string& path, unsigned dimension, const std::string& scale) {
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle axis(H5Dopen2(handle_, scale.c_str(), H5P_DEFAULT), H5Dclose);
  if (H5DSattach_scale(dataset, axis, dimension) < 0)
    fail("attach the scale \"" + scale + "\" to \"" + path + "\"");
}

void Hdf5File::detach_scale(const std::string& path, unsigned dimension, const std::string& scale) {
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle axis(H5Dopen2(handle_, scale.c_str(), H5P_DEFAULT), H5Dclose);
  if (H5DSdetach_scale(dataset, axis, dimension) < 0)
    fail("detach the scale \"" + scale + "\" from \"" + path + "\"");
}

bool Hdf5File::has(const std::string& path) const {
  for (std::size_t end = 0; end != std::string::npos;) {  // H5Lexists wants every step of the path to exist
    end = path.find('/', end + 1);
    const std::string step = path.substr(0, end);
    if (step.empty() || step == "/") continue;
    if (!is_true(H5Lexists(handle_, step.c_str(), H5P_DEFAULT), "look for \"" + path + "\"")) return false;
  }
  return true;
}

Shape Hdf5File::shape(const std::string& path) const {
  const Handle space(H5Dget_space(handle_of(path)), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) fail("find the shape of \"" + path + "\"");
  std::vector<hsize_t> dimensions(static_cast<std::size_t>(rank));
  if (!dimensions.empty()) H5Sget_simple_extent_dims(space, dimensions.data(), nullptr);
  return {dimensions.begin(), dimensions.end()};
}

ElementType Hdf5File::type(const std::string& path) const {
  const Handle type(H5Dget_type(handle_of(path)), H5Tclose);
  for (const auto candidate : {ElementType::i1, ElementType::i2, ElementType::i4, ElementType::i8,
                               ElementType::u8, ElementType::f4, ElementType::f8})
    if (H5Tequal(type, stored(candidate)) > 0) return candidate;
  fail("understand the type of \"" + path + "\"");
}

bool Hdf5File::is_text(const std::string& path) const {
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind < 0) fail("understand the type of \"" + path + "\"");
  return kind == H5T_STRING;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  const Handle opened(H5Gopen2(handle_, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (opened < 0) fail("find the group \"" + group + "\"");
  H5G_info_t info{};
  if (H5Gget_info(opened, &info) < 0) fail("list \"" + group + "\"");
  std::vector<std::string> result;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto length =
        H5Lget_name_by_idx(opened, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (length < 0) fail("list \"" + group + "\"");
    std::string name(static_cast<std::size_t>(length), '\0');
    if (H5Lget_name_by_idx(opened, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name.data(), name.size() + 1,
                           H5P_DEFAULT) < 0)
      fail("list \"" + group + "\"");
    result.push_back((group == "/" ? "" : group) + "/" + name);
  }
  return result;
}

bool Hdf5File::is_dataset(const std::string& path) const {
  H5O_info_t object{};
  if (H5Oget_info_by_name2(handle_, path.c_str(), &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
    fail("find \"" + path + "\"");
  return object.type == H5O_TYPE_DATASET;
}

std::vector<std::string> Hdf5File::datasets(const std::string& group) const {
  auto all = members(group);
  std::erase_if(all, [this](const std::string& path) { return !is_dataset(path); });
  return all;
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

void sync_to_disk(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!synced)
    throw UserError("cannot flush \"" + path.string() + "\" to disk", "check that the disk has free space",
                    5);
}

}  // namespace echo::storage
