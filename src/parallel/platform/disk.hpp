// The disk as a launch sees it: whatever a launch makes, reads, renames or removes by name goes through here.
// tests/simulation puts a disk with faults in its place. A name that is a link is never followed, nor is a
// folder of journals that is one. New files have mode 0644 less the umask, folders 0755 less the umask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echo::parallel {

// An open file. Functions return 0, or an errno; read() and size() return -errno instead.
class DiskFile {
 public:
  virtual ~DiskFile() = default;                   // closes
  virtual int append(std::string_view bytes) = 0;  // all of them; when it fails, a part may be there
  virtual int overwrite(std::int64_t offset, std::string_view bytes) = 0;
  virtual int sync() = 0;  // afterwards contents and length survive a loss of power
  virtual int close() = 0;
  // As many of the bytes from `offset` on as there are and `out` has room for.
  virtual std::int64_t read(std::int64_t offset, std::span<char> out) = 0;
  virtual std::int64_t size() = 0;
};

// A mapped file: stores reach it even if the process dies.
class DiskPage {
 public:
  virtual ~DiskPage() = default;  // unmaps; the file stays
  virtual std::byte* bytes() = 0;
};

template <class T>
struct Opened {
  std::unique_ptr<T> it;  // null where `error` is not 0
  int error = 0;          // errno
};

// What a name stands for. other: links, devices, whatever a launch has no business with.
enum class EntryKind : std::int8_t { absent, file, folder, other };

class Disk {
 public:
  enum class Use : std::int8_t { read, update, create };  // create: for appending; EEXIST where there is one
  virtual ~Disk() = default;
  virtual Opened<DiskFile> open(const std::filesystem::path&, Use) = 0;
  // A new file with these bytes, mapped.
  virtual Opened<DiskPage> map(const std::filesystem::path&, std::string_view bytes) = 0;
  // 0, or an errno. A rename replaces; a link fails where the name is taken. remove: files only.
  virtual int link(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual int remove(const std::filesystem::path&) = 0;
  virtual int make_folders(const std::filesystem::path&) = 0;   // with those above; 0 where it is there
  virtual int remove_folder(const std::filesystem::path&) = 0;  // an empty one
  virtual int sync(const std::filesystem::path&) = 0;           // of a folder: its names
  virtual EntryKind kind(const std::filesystem::path&) = 0;
  // Names, ascending; none where there is no such folder.
  virtual Opened<std::vector<std::string>> files(const std::filesystem::path& folder) = 0;
};

[[nodiscard]] Disk& real_disk();

// The ending of folders that hold journals.
inline constexpr std::string_view journal_ending = ".journal";

// All bytes of a file; nothing when it cannot be read.
[[nodiscard]] Opened<std::string> read_whole(Disk&, const std::filesystem::path&);
// The folder that a name stands in, "." where it has none.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path&);

}  // namespace echo::parallel
