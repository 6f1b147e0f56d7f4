// The bytes of an HDF5 file, as its library sees them. Reading: a byte behind which there are checksums is
// given out only if its block agrees with them, since the library may crash on damaged bytes, or return them.
// Writing: when the disk refuses, what cannot be written is kept in memory until the file is closed and the
// refusal is remembered, because the library cannot close a file whose writes fail, and crashes when the
// process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/block_sums.hpp"

namespace echo::storage {

class FileBytes : public std::enable_shared_from_this<FileBytes> {
 public:
  // create truncates; update checks the whole file first. UserError, 5: the file cannot be opened, has lost
  // its checksums, or (update) is damaged.
  enum class Use : std::int8_t { create, create_with_sums, read, update };
  FileBytes(const std::filesystem::path&, Use);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  // False: not readable, or damaged; problem() says how.
  [[nodiscard]] bool read(std::uint64_t place, std::size_t bytes, void* out);
  void write(std::uint64_t place, std::size_t bytes, const void* data);
  void resize(std::uint64_t bytes);
  // Appends the checksums, where the file has them, and closes it.
  void close();

  [[nodiscard]] std::uint64_t size() const { return size_; }  // of the data
  [[nodiscard]] bool has_sums() const { return has_sums_; }
  [[nodiscard]] bool is_written() const { return writes_; }
  // Why bytes could not be read or written; empty = all were.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Reads the whole file. Blocks that do not agree with their checksums, joined where they touch; empty for a
  // file without checksums.
  [[nodiscard]] std::vector<ByteRange> damaged() const;
  void require_whole() const;  // UserError, 5: it is damaged, and where

 private:
  void look_at_end(bool may_lack_sums);
  [[nodiscard]] bool read_checked(std::uint64_t place, std::size_t bytes, char* out);
  [[nodiscard]] const std::vector<std::byte>* block(std::uint64_t number);
  void append_sums();
  void remember(const std::string& what, int error);

  std::string name_, problem_;
  int file_ = -1;
  bool checks_ = false, writes_ = false, has_sums_ = false;
  std::uint64_t size_ = 0;
  BlockSums sums_;
  std::uint64_t held_number_ = 0;  // of the block in held_
  std::vector<std::byte> held_;
  std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> unwritten_;  // in the order of writing
};

}  // namespace echo::storage
