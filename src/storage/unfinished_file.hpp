// A file that is written beside its place and moved there when it is whole: readers see all or nothing. Its
// name is nobody else's, and it is never reached through a link that bears it.
#pragma once

#include <filesystem>

namespace echo::storage {

class UnfinishedFile {
 public:
  // Makes the folder of `file`, and in it FILE.RANDOM.tmp, empty, of mode 0644 less the umask. UserError 5.
  explicit UnfinishedFile(const std::filesystem::path& file);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();  // removes it unless it was moved

  [[nodiscard]] const std::filesystem::path& path() const { return unfinished_; }
  void move_into_place();  // the closed file: on the disk first, then under its name. UserError 5

 private:
  std::filesystem::path file_, unfinished_;
};

}  // namespace echo::storage
