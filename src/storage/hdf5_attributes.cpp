// Attributes: UTF-8 texts, 64-bit integers, lists of one-byte codes. They are small by nature;
// what may grow (a sweep's TOML) is a dataset, because an attribute must fit an object header.
#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "storage/hdf5.hpp"

namespace echo::storage {
namespace {

std::string attempt(const char* verb, const std::string& path, const std::string& name) {
  return std::string(verb) + " the attribute \"" + name + "\" of \"" + path + "\"";
}

// Writes one attribute of any type, replacing an older one. `space` and `type` are closed here.
bool write(std::int64_t file, const std::string& path, const std::string& name, hid_t type, hid_t memory_type,
           hid_t space, const void* value) {
  if (H5Aexists_by_name(file, path.c_str(), name.c_str(), H5P_DEFAULT) > 0)
    H5Adelete_by_name(file, path.c_str(), name.c_str(), H5P_DEFAULT);
  const hid_t attribute =
      H5Acreate_by_name(file, path.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool written = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return written;
}

// The type has variable length: every reader returns such texts as texts, while fixed ones are bytes to some.
hid_t make_text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace

void Hdf5File::set_attribute(const std::string& path, const std::string& name, const std::string& value) {
  const hid_t type = make_text_type();
  const char* const content = value.c_str();
  const bool written = write(handle_, path, name, type, type, H5Screate(H5S_SCALAR), &content);
  H5Tclose(type);
  if (!written) fail(attempt("write", path, name));
}

void Hdf5File::set_attribute(const std::string& path, const std::string& name, const char* value) {
  set_attribute(path, name, std::string(value));
}

void Hdf5File::set_attribute(const std::string& path, const std::string& name, std::int64_t value) {
  if (!write(handle_, path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, H5Screate(H5S_SCALAR), &value))
    fail(attempt("write", path, name));
}

void Hdf5File::set_attribute(const std::string& path, const std::string& name, double value) {
  if (!write(handle_, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value))
    fail(attempt("write", path, name));
}

void Hdf5File::set_attribute(const std::string& path, const std::string& name,
                             std::span<const std::int8_t> values) {
  const hsize_t count = values.size();
  if (!write(handle_, path, name, H5T_STD_I8LE, H5T_NATIVE_INT8, H5Screate_simple(1, &count, nullptr),
             values.data()))
    fail(attempt("write", path, name));
}

bool Hdf5File::has_attribute(const std::string& path, const std::string& name) const {
  return has(path) && is_true(H5Aexists_by_name(handle_, path.c_str(), name.c_str(), H5P_DEFAULT),
                              attempt("look for", path, name));
}

// One value, or an attribute that some other program wrote.
static bool is_one(hid_t attribute) {
  const hid_t space = H5Aget_space(attribute);
  const bool one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
  if (space >= 0) H5Sclose(space);
  return one;
}

std::string Hdf5File::text_attribute(const std::string& path, const std::string& name) const {
  const hid_t attribute = H5Aopen_by_name(handle_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) fail(attempt("find", path, name));
  const hid_t stored = H5Aget_type(attribute), type = make_text_type();
  char* content = nullptr;
  const bool read =
      is_one(attribute) && H5Tis_variable_str(stored) > 0 && H5Aread(attribute, type, &content) >= 0;
  const std::string value = content == nullptr ? "" : content;
  H5free_memory(content);
  H5Tclose(stored);
  H5Tclose(type);
  H5Aclose(attribute);
  if (!read) fail(attempt("read", path, name));
  return value;
}

std::int64_t Hdf5File::integer_attribute(const std::string& path, const std::string& name) const {
  std::int64_t value = 0;
  const hid_t attribute = H5Aopen_by_name(handle_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  const bool read = attribute >= 0 && is_one(attribute) && H5Aread(attribute, H5T_NATIVE_INT64, &value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (!read) fail(attempt("read", path, name));
  return value;
}

double Hdf5File::real_attribute(const std::string& path, const std::string& name) const {
  double value = 0.0;
  const hid_t attribute = H5Aopen_by_name(handle_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  const bool read = attribute >= 0 && is_one(attribute) && H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (!read) fail(attempt("read", path, name));
  return value;
}

std::vector<std::int8_t> Hdf5File::codes_attribute(const std::string& path, const std::string& name) const {
  const hid_t attribute = H5Aopen_by_name(handle_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) fail(attempt("find", path, name));
  const hid_t space = H5Aget_space(attribute);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  std::vector<std::int8_t> values(static_cast<std::size_t>(std::max<hssize_t>(count, 0)));
  const bool read = count == 0 || H5Aread(attribute, H5T_NATIVE_INT8, values.data()) >= 0;
  H5Sclose(space);
  H5Aclose(attribute);
  if (!read) fail(attempt("read", path, name));
  return values;
}

}  // namespace echo::storage
