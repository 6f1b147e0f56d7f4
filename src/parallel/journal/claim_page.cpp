#include "parallel/journal/claim_page.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "parallel/journal/journal.hpp"

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

ClaimPage::ClaimPage(const std::filesystem::path& folder, const JournalHeader& header, Disk& disk, Host& host)
    : path_(folder / worker_file_name(header.launch, header.worker, ".claim", header.token)),
      disk_(disk),
      host_(host) {
  static_assert(sizeof(Page) <= page_bytes);
  Page page;
  copy_text(magic, page.magic);
  copy_text(header.sweep.sweep_key, page.sweep_key);
  page.launch = header.launch;
  page.worker = header.worker;
  page.check = page.right_check();
  std::array<char, page_bytes> bytes{};
  std::memcpy(bytes.data(), static_cast<const void*>(&page), sizeof page);
  auto made = disk.map(path_, {bytes.data(), bytes.size()});
  if (made.error != 0)
    throw UserError("cannot make \"" + path_.string() + "\": " + std::strerror(made.error),
                    "free some space or write elsewhere with -o; rows written so far are kept", 5);
  mapped_ = std::move(made.it);
  auto* const mapped = reinterpret_cast<Page*>(mapped_->bytes());
  point_ = &mapped->point;
  host_.note_crashes_in(&mapped->signal);
}

ClaimPage::~ClaimPage() {
  host_.note_crashes_in(nullptr);
  let_go();  // where the disk refuses to remove it, it accuses no point
  mapped_.reset();
  static_cast<void>(disk_.remove(path_));
}

std::optional<Claim> parse_claim(std::string_view bytes) {
  ClaimPage::Page page;
  if (bytes.size() < sizeof page) return std::nullopt;
  std::memcpy(static_cast<void*>(&page), bytes.data(), sizeof page);
  page.magic.back() = page.sweep_key.back() = '\0';
  if (page.magic.data() != magic || page.check != page.right_check()) return std::nullopt;
  return Claim{page.sweep_key.data(), page.launch, page.worker, page.signal, page.point};
}

std::optional<Claim> read_claim(const std::filesystem::path& path, Disk& disk) {
  const auto [file, error] = disk.open(path, Disk::Use::read);
  if (error != 0) return std::nullopt;
  std::string bytes(page_bytes, '\0');
  bytes.resize(static_cast<std::size_t>(std::max<std::int64_t>(file->read(0, bytes), 0)));
  return parse_claim(bytes);
}

}  // namespace echo::parallel
