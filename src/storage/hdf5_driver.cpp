// A virtual file driver of HDF5: a table of functions that its library calls for every byte it reads and
// writes.
#include "storage/hdf5_driver.hpp"

#include <hdf5.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace echo::storage {
namespace {

// What the library holds of an open file; `open` comes first, as it wants.
struct Driven {
  H5FD_t open{};
  std::shared_ptr<FileBytes> bytes;
  haddr_t end = 0;  // of what is allocated
};

struct Access {
  FileBytes* bytes;
};

Driven& driven(H5FD_t* file) { return *reinterpret_cast<Driven*>(file); }
const Driven& driven(const H5FD_t* file) { return *reinterpret_cast<const Driven*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* given = static_cast<const Access*>(H5Pget_driver_info(access));
  if (given == nullptr) return nullptr;
  auto file = std::make_unique<Driven>();
  file->bytes = given->bytes->shared_from_this();
  return &file.release()->open;
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<Driven> ended(&driven(file));
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_allocated(const H5FD_t* file, H5FD_mem_t) { return driven(file).end; }

herr_t set_end_of_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driven(file).end = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return driven(file).bytes->size(); }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, size_t bytes, void* out) {
  return driven(file).bytes->read(place, bytes, out) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, size_t bytes, const void* data) {
  driven(file).bytes->write(place, bytes, data);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  const Driven& one = driven(file);
  if (one.end != one.bytes->size()) one.bytes->resize(one.end);
  return 0;
}

hid_t make_driver() {
  H5FD_class_t table{};
  table.name = "echo-sweep";
  table.maxaddr = (haddr_t{1} << 62) - 1;
  table.fc_degree = H5F_CLOSE_STRONG;
  table.fapl_size = sizeof(Access);
  table.open = open_file;
  table.close = close_file;
  table.query = query;
  table.get_eoa = end_of_allocated;
  table.set_eoa = set_end_of_allocated;
  table.get_eof = end_of_file;
  table.read = read;
  table.write = write;
  table.truncate = truncate;
  constexpr H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;  // metadata apart from values
  std::copy(std::begin(kinds), std::end(kinds), std::begin(table.fl_map));
  return H5FDregister(&table);
}

}  // namespace

std::int64_t access_through(FileBytes& bytes) {
  static const hid_t driver = make_driver();
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const Access info{&bytes};
  H5Pset_driver(access, driver, &info);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

}  // namespace echo::storage
