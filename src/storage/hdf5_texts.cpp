// Texts of variable length. Many elements of a crafted file may share one long text, so HDF5 gets the memory
// for them from us, and all together no more than the file is long. It converts them in a buffer that it
// clears first, and whose size is up to us: 1 MiB by default, for a handful of words.
#include <hdf5.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "storage/hdf5.hpp"
#include "storage/hdf5_handle.hpp"

namespace echo::storage {
namespace {

// The memory of texts that are read together; freed with this, whether or not reading succeeds.
class TextMemory {
 public:
  explicit TextMemory(std::size_t most) : left_(most) {}

  static void* take(std::size_t bytes, void* self) {
    auto& me = *static_cast<TextMemory*>(self);
    if (bytes > me.left_) return nullptr;
    try {
      me.texts_.push_back(std::make_unique<char[]>(bytes));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    me.left_ -= bytes;
    return me.texts_.back().get();
  }
  static void leave(void* /*text*/, void* /*self*/) {}

 private:
  std::size_t left_;
  std::vector<std::unique_ptr<char[]>> texts_;
};

}  // namespace

std::vector<std::string> Hdf5File::texts(const std::string& path) const {
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset < 0) fail("find the text \"" + path + "\"");
  const Handle space(H5Dget_space(dataset), H5Sclose), stored(H5Dget_type(dataset), H5Tclose);
  const Handle type(make_text_type(), H5Tclose), transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  hsize_t held = 0;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || H5Tis_variable_str(stored) <= 0 || H5Fget_filesize(handle_, &held) < 0)
    fail("read the text \"" + path + "\"");
  std::vector<const char*> content(static_cast<std::size_t>(count), nullptr);
  if (content.empty()) return {};
  constexpr std::size_t buffer = 1U << 14;
  TextMemory memory(held);
  H5Pset_buffer(transfer, buffer, nullptr, nullptr);
  H5Pset_vlen_mem_manager(transfer, &TextMemory::take, &memory, &TextMemory::leave, &memory);
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, transfer, content.data()) < 0)
    fail("read the text \"" + path + "\", or it is longer than the file it is");
  std::vector<std::string> result;
  for (const char* text : content) result.emplace_back(text == nullptr ? "" : text);
  return result;
}

std::string Hdf5File::text(const std::string& path) const {
  auto all = texts(path);
  if (all.size() != 1) fail("read one text from \"" + path + "\"");
  return std::move(all.front());
}

}  // namespace echo::storage
