// Attributes: UTF-8 texts, 64-bit integers, lists of one-byte codes. They are small by nature;
// what may grow (a sweep's TOML) is a dataset, because an attribute must fit an object header.
#include <hdf5.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "storage/hdf5.hpp"
#include "storage/hdf5_handle.hpp"

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

namespace {

bool is_one_text(hid_t attribute) {
  const Handle stored(H5Aget_type(attribute), H5Tclose);
  return is_one(attribute) && H5Tis_variable_str(stored) > 0;
}

// False where it cannot be read. Contract: it is a text.
bool read_text(hid_t attribute, std::string& text) {
  const Handle type(make_text_type(), H5Tclose);
  char* content = nullptr;
  const bool is_read = H5Aread(attribute, type, &content) >= 0;
  text = content == nullptr ? "" : content;
  H5free_memory(content);
  return is_read;
}

using Texts = std::map<std::string, std::string>;

// Adds an attribute of `object` to the texts, if it is one; below 0 where it cannot be read.
herr_t add_text(hid_t object, const char* name, const H5A_info_t* /*info*/, void* texts) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (attribute < 0) return -1;
  if (!is_one_text(attribute)) return 0;
  try {
    return read_text(attribute, (*static_cast<Texts*>(texts))[name]) ? 0 : -1;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

}  // namespace

std::string Hdf5File::text_attribute(const std::string& path, const std::string& name) const {
  const Handle attribute(H5Aopen_by_name(handle_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  if (attribute < 0) fail(attempt("find", path, name));
  std::string text;
  if (!is_one_text(attribute) || !read_text(attribute, text)) fail(attempt("read", path, name));
  return text;
}

std::map<std::string, std::string> Hdf5File::text_attributes(const std::string& path) const {
  const Handle object(H5Oopen(handle_, path.c_str(), H5P_DEFAULT), H5Oclose);
  Texts texts;
  if (object < 0 || H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, &add_text, &texts) < 0)
    fail("read the attributes of \"" + path + "\"");
  return texts;
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
