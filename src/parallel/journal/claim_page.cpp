#include "parallel/journal/claim_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/launch/crash_signal.hpp"

namespace echo::parallel {

constexpr std::size_t page_bytes = 4096;
constexpr std::string_view magic = "echo-sweep claim 1";

// The constant part has a checksum; `point` and `signal` are written by single, atomic stores.
struct ClaimPage::Page {
  std::array<char, 24> magic{};
  std::array<char, 40> sweep_key{};
  std::int32_t launch = 0, worker = 0;
  std::uint64_t check = 0;  // of everything above
  volatile sweep::PointIndex point = no_point;
  volatile std::int32_t signal = 0;

  [[nodiscard]] std::uint64_t right_check() const {
    return hash64(std::as_bytes(std::span(this, 1)).first(offsetof(Page, check)));
  }
};

static void copy_text(std::string_view text, std::span<char> to) {
  std::copy_n(text.begin(), std::min(text.size(), to.size() - 1), to.begin());
}

ClaimPage::ClaimPage(const std::filesystem::path& folder, const std::string& sweep_key, std::int32_t launch,
                     std::int32_t worker)
    : path_(folder / worker_file_name(launch, worker, ".claim")) {
  static_assert(sizeof(Page) <= page_bytes);
  Page page;
  copy_text(magic, page.magic);
  copy_text(sweep_key, page.sweep_key);
  page.launch = launch;
  page.worker = worker;
  page.check = page.right_check();
  std::array<char, page_bytes> bytes{};
  std::memcpy(bytes.data(), static_cast<const void*>(&page), sizeof page);
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  // Written, not only made longer: a hole would be filled by the first store, and that kills where the disk
  // is full.
  const bool is_written = file >= 0 && ::write(file, bytes.data(), bytes.size()) == ssize_t{page_bytes};
  void* const mapped =
      is_written ? ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (mapped == MAP_FAILED)
    throw UserError("cannot make \"" + path_.string() + "\": " + std::strerror(reason),
                    "free some space or write elsewhere with -o; rows written so far are kept", 5);
  page_ = static_cast<Page*>(mapped);
  point_ = &page_->point;
  note_crashes_in(&page_->signal);
}

ClaimPage::~ClaimPage() {
  note_crashes_in(nullptr);
  ::munmap(page_, page_bytes);
  std::error_code error;
  std::filesystem::remove(path_, error);
}

std::optional<Claim> parse_claim(std::string_view bytes) {
  ClaimPage::Page page;
  if (bytes.size() < sizeof page) return std::nullopt;
  std::memcpy(static_cast<void*>(&page), bytes.data(), sizeof page);
  page.magic.back() = page.sweep_key.back() = '\0';
  if (page.magic.data() != magic || page.check != page.right_check()) return std::nullopt;
  return Claim{page.sweep_key.data(), page.launch, page.worker, page.signal, page.point};
}

std::optional<Claim> read_claim(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(page_bytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(at(file.gcount()));
  return parse_claim(bytes);
}

}  // namespace echo::parallel
