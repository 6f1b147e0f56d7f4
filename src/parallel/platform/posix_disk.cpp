#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "parallel/platform/disk.hpp"

namespace echo::parallel {
namespace {

using std::filesystem::path;

constexpr mode_t file_mode = 0644, folder_mode = 0755;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  operator int() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

int done(int result) { return result == 0 ? 0 : errno; }

// A user may reach the results through a link; what lies in a folder of journals is a launch's alone.
Descriptor open_folder(const path& folder, int access) {
  const int own = folder.extension() == journal_ending ? O_NOFOLLOW : 0;
  return Descriptor(::open(folder.c_str(), access | O_DIRECTORY | O_CLOEXEC | own));
}
Descriptor folder_with(const path& name) { return open_folder(folder_of(name), O_PATH); }

// Every byte, or an errno.
template <class Write>
int write_all(std::string_view bytes, Write write) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(bytes.data() + at, bytes.size() - at, at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    at += static_cast<std::size_t>(written);
  }
  return 0;
}

class PosixFile : public DiskFile {
 public:
  explicit PosixFile(Descriptor file) : file_(std::move(file)) {}
  int append(std::string_view bytes) override {
    return write_all(bytes, [this](const char* from, std::size_t count, std::size_t) {
      return ::write(file_, from, count);
    });
  }
  int overwrite(std::int64_t offset, std::string_view bytes) override {
    return write_all(bytes, [this, offset](const char* from, std::size_t count, std::size_t at) {
      return ::pwrite(file_, from, count, static_cast<off_t>(offset) + static_cast<off_t>(at));
    });
  }
  int sync() override { return done(::fdatasync(file_)); }
  int close() override { return done(::close(file_.release())); }
  std::int64_t read(std::int64_t offset, std::span<char> out) override {
    std::size_t got = 0;
    while (got < out.size()) {
      const ssize_t some = ::pread(file_, out.data() + got, out.size() - got,
                                   static_cast<off_t>(offset) + static_cast<off_t>(got));
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) return -errno;
      if (some == 0) break;
      got += static_cast<std::size_t>(some);
    }
    return static_cast<std::int64_t>(got);
  }
  std::int64_t size() override {
    struct stat facts {};
    return ::fstat(file_, &facts) == 0 ? static_cast<std::int64_t>(facts.st_size) : -errno;
  }

 private:
  Descriptor file_;
};

class PosixPage : public DiskPage {
 public:
  PosixPage(void* at, std::size_t bytes) : at_(at), bytes_(bytes) {}
  PosixPage(const PosixPage&) = delete;
  PosixPage& operator=(const PosixPage&) = delete;
  ~PosixPage() override { ::munmap(at_, bytes_); }
  std::byte* bytes() override { return static_cast<std::byte*>(at_); }

 private:
  void* at_;
  std::size_t bytes_;
};

class PosixDisk : public Disk {
 public:
  Opened<DiskFile> open(const path& name, Use use) override {
    constexpr int only_files = O_NONBLOCK;  // a pipe that bears the name must not keep us waiting
    const int access = use == Use::read     ? O_RDONLY | only_files
                       : use == Use::update ? O_RDWR | only_files
                                            : O_RDWR | O_CREAT | O_EXCL | O_APPEND;
    Descriptor file = open_at(name, access);
    if (file < 0) return {nullptr, errno};
    struct stat facts {};
    if (::fstat(file, &facts) != 0) return {nullptr, errno};
    if (!S_ISREG(facts.st_mode)) return {nullptr, EINVAL};
    return {std::make_unique<PosixFile>(std::move(file))};
  }

  // Written, not only made longer: a hole would be filled by the first store, and that kills where the disk
  // is full.
  Opened<DiskPage> map(const path& name, std::string_view bytes) override {
    const Descriptor file = open_at(name, O_RDWR | O_CREAT | O_EXCL);
    if (file < 0) return {nullptr, errno};
    const int reason = write_all(bytes, [&file](const char* from, std::size_t count, std::size_t) {
      return ::write(file, from, count);
    });
    if (reason != 0) return {nullptr, reason};
    void* const at = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) return {nullptr, errno};
    return {std::make_unique<PosixPage>(at, bytes.size())};
  }

  int link(const path& from, const path& to) override {
    const Descriptor a = folder_with(from), b = folder_with(to);
    return done(a < 0 || b < 0 ? -1 : ::linkat(a, name_of(from), b, name_of(to), 0));
  }
  int rename(const path& from, const path& to) override {
    const Descriptor a = folder_with(from), b = folder_with(to);
    return done(a < 0 || b < 0 ? -1 : ::renameat(a, name_of(from), b, name_of(to)));
  }
  int remove(const path& name) override { return remove_at(name, 0); }
  int remove_folder(const path& name) override { return remove_at(name, AT_REMOVEDIR); }

  int make_folders(const path& folder) override {
    if (::mkdir(folder.c_str(), folder_mode) == 0) return 0;
    if (errno == ENOENT && folder.has_parent_path()) {
      const int above = make_folders(folder.parent_path());
      if (above != 0) return above;
      if (::mkdir(folder.c_str(), folder_mode) == 0) return 0;
    }
    const int reason = errno;
    return reason == EEXIST && open_folder(folder, O_PATH) >= 0 ? 0 : reason;
  }

  int sync(const path& name) override {
    const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    return done(file < 0 ? -1 : ::fsync(file));
  }

  EntryKind kind(const path& name) override {
    const Descriptor folder = folder_with(name);
    struct stat facts {};
    if (folder < 0 || ::fstatat(folder, name_of(name), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? EntryKind::absent : EntryKind::other;
    return S_ISREG(facts.st_mode)   ? EntryKind::file
           : S_ISDIR(facts.st_mode) ? EntryKind::folder
                                    : EntryKind::other;
  }

  Opened<std::vector<std::string>> files(const path& folder) override {
    auto names = std::make_unique<std::vector<std::string>>();
    Descriptor opened = open_folder(folder, O_RDONLY);
    DIR* const entries = opened < 0 ? nullptr : ::fdopendir(opened);
    if (entries == nullptr && errno == ENOENT) return {std::move(names)};
    if (entries == nullptr) return {nullptr, errno};
    opened.release();  // the list closes it
    errno = 0;         // what tells an error from the end
    while (const dirent* const entry = ::readdir(entries)) {
      struct stat facts {};
      if (::fstatat(::dirfd(entries), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISREG(facts.st_mode))
        names->emplace_back(entry->d_name);
      errno = 0;
    }
    const int error = errno;
    ::closedir(entries);
    if (error != 0) return {nullptr, error};
    std::ranges::sort(*names);
    return {std::move(names)};
  }

 private:
  static const char* name_of(const path& name) {  // the last part, inside of `name`
    const std::string& text = name.native();
    const auto slash = text.rfind('/');
    return text.c_str() + (slash == std::string::npos ? 0 : slash + 1);
  }
  static Descriptor open_at(const path& name, int access) {
    const Descriptor folder = folder_with(name);
    if (folder < 0) return Descriptor(-1);
    return Descriptor(::openat(folder, name_of(name), access | O_NOFOLLOW | O_CLOEXEC, file_mode));
  }
  static int remove_at(const path& name, int what) {
    const Descriptor folder = folder_with(name);
    return done(folder < 0 ? -1 : ::unlinkat(folder, name_of(name), what));
  }
};

}  // namespace

Disk& real_disk() {
  static PosixDisk disk;
  return disk;
}

Opened<std::string> read_whole(Disk& disk, const path& name) {
  const auto [file, error] = disk.open(name, Disk::Use::read);
  if (error != 0) return {nullptr, error};
  auto text = std::make_unique<std::string>();
  const std::int64_t bytes = file->size();
  if (bytes < 0) return {nullptr, static_cast<int>(-bytes)};
  text->resize(static_cast<std::size_t>(bytes));
  const std::int64_t got = file->read(0, *text);
  if (got < 0) return {nullptr, static_cast<int>(-got)};
  text->resize(static_cast<std::size_t>(got));
  return {std::move(text)};
}

path folder_of(const path& name) { return name.has_parent_path() ? name.parent_path() : path("."); }

}  // namespace echo::parallel
